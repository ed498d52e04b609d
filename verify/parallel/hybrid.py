"""Data, pipeline and tensor parallelism at once, on a mesh of ranks.

Ranks that split a layer lie next to each other, then the stages, then the replicas, as in
Megatron-LM's combination of the three (Narayanan et al. 2021, section 3).
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.pipelining import ScheduleGPipe

from verify.parallel.collectives import corrupt_one_element
from verify.parallel.measures import gradients_of, joined, size_of
from verify.parallel.pipeline import make_stage
from verify.parallel.tensor_parallel import (
    Plan,
    Shard,
    SplitMlp,
    gradients_to_expect,
    mlp_plan,
    replicated,
    replicated_size,
    take_part,
)

AXES = ("data", "stages", "tensor")
_EXPANSION = 2  # intermediate features of an MLP per hidden one


class Layer(nn.Module):
    """x + MLP(norm(x)), in one process."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(hidden)
        self.up = nn.Linear(hidden, _EXPANSION * hidden)
        self.down = nn.Linear(_EXPANSION * hidden, hidden)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """`inputs`: (batch, sequence, hidden); so is what is returned."""
        outputs: torch.Tensor = inputs + self.down(nn.functional.gelu(self.up(self.norm(inputs))))
        return outputs


class SplitLayer(nn.Module):
    """The same layer with its MLP divided among the ranks of the axis `tensor`.

    Since the norm lies before it, the MLP's input has a gradient in the first layer too.
    """

    def __init__(self, hidden: int, shard: Shard) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(hidden)
        self.mlp = SplitMlp(hidden, _EXPANSION * hidden, shard)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """`inputs`: (batch, sequence, hidden); so is what is returned."""
        outputs: torch.Tensor = inputs + self.mlp(self.norm(inputs))
        return outputs


_PLAN: Plan = {
    "norm.weight": ("norm.weight", replicated),
    "norm.bias": ("norm.bias", replicated),
    **mlp_plan("up", "down", "mlp."),
}


def make_model(layers: int, hidden: int, seed: int, device: str = "cpu") -> nn.Sequential:
    """The undivided model, in float64, its weights drawn by `seed`."""
    torch.manual_seed(seed)
    return nn.Sequential(*(Layer(hidden) for _ in range(layers))).double().to(device)


def replicated_in_model(model: nn.Sequential) -> int:
    """Bytes of the parameters that the axis `tensor` doesn't divide."""
    return sum(replicated_size(layer, _PLAN) for layer in model)


class Mesh:
    """This rank's place on a mesh of `data` × `stages` × `tensor` ranks, and its groups."""

    def __init__(self, data: int, stages: int, tensor: int, device: str = "cpu") -> None:
        self.sizes = dict(zip(AXES, (data, stages, tensor), strict=True))
        kind = torch.device(device).type
        self._mesh = init_device_mesh(kind, (data, stages, tensor), mesh_dim_names=AXES)
        self._device = device

    def place(self, axis: str) -> int:
        return self._mesh.get_local_rank(axis)

    def group(self, axis: str) -> dist.ProcessGroup:
        return self._mesh.get_group(axis)

    def ranks(self, axis: str) -> tuple[int, ...]:
        """This rank's group along an axis, by global index."""
        return tuple(dist.get_process_group_ranks(self.group(axis)))

    def neighbours(self) -> int:
        """How many stages come right before or after this rank's."""
        place = self.place("stages")
        return (place > 0) + (place < self.sizes["stages"] - 1)

    def talk(self, axis: str) -> None:
        """All-reduce a few elements in this rank's group along an axis."""
        dist.all_reduce(torch.ones(self.sizes[axis], device=self._device), group=self.group(axis))


class HybridStep:
    """One training step of the model on a mesh: this rank's layers, on its replica's samples."""

    def __init__(
        self,
        mesh: Mesh,
        model: nn.Sequential,
        microbatch: torch.Tensor,
        microbatches: int,
        fault: str | None,
        seed: int,
    ) -> None:
        """`microbatch` (samples, sequence, hidden) is shaped as each one that a replica takes."""
        self._mesh, self._fault, self._seed = mesh, fault, seed
        tensor_fault = "skip-all-reduce" if fault == "skip-tensor-all-reduce" else None
        self._shard = Shard(
            mesh.place("tensor"), mesh.sizes["tensor"], mesh.group("tensor"), tensor_fault
        )
        stages, place = mesh.sizes["stages"], mesh.place("stages")
        count = len(model) // stages
        self._whole = list(model)[place * count : (place + 1) * count]
        self.layers = nn.Sequential(*self._split(microbatch.shape[-1]))
        stage = make_stage(self.layers, place, stages, microbatch, mesh.group("stages"))
        self._first, self._last = stage.is_first, stage.is_last
        self._schedule = ScheduleGPipe(stage, microbatches, loss_fn=nn.functional.mse_loss)

    def _split(self, hidden: int) -> Iterator[SplitLayer]:
        for whole in self._whole:
            layer = SplitLayer(hidden, self._shard)
            take_part(layer, whole, _PLAN, self._shard)
            yield layer

    def layer_size(self) -> int:
        """Bytes of the parameters that this rank holds of one layer."""
        return size_of(self.layers[0])

    def backward(self, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """This rank's gradient of the mean squared error over all samples, in one vector.

        The replicas share the batch (batch, sequence, hidden) out evenly, and each sends its part
        through the stages in microbatches.
        """
        self.layers.zero_grad()
        data = self._mesh.sizes["data"]
        own, target = (t.chunk(data)[self._mesh.place("data")] for t in (inputs, targets))
        arguments = (own,) if self._first else ()
        self._schedule.step(*arguments, target=target if self._last else None, return_outputs=False)
        gradient = joined(gradients_of(self.layers))
        if data > 1 and self._fault != "skip-data-all-reduce":
            dist.all_reduce(gradient, group=self._mesh.group("data"))
        if self._fault != "sum-not-mean":
            gradient /= data
        if self._fault == "one-element" and dist.get_rank() == 1:
            corrupt_one_element(gradient, self._seed)
        return gradient

    def gradient_to_expect(self) -> torch.Tensor:
        """This rank's part of the gradient that the undivided model holds."""
        pairs = zip(self.layers, self._whole, strict=True)
        return joined(
            [
                gradient
                for layer, whole in pairs
                for gradient in gradients_to_expect(layer, whole, _PLAN, self._shard)
            ]
        )

    def spread(self, gradient: torch.Tensor) -> float:
        """The largest difference between this rank's gradient and the first replica's."""
        first = gradient.clone()
        dist.broadcast(first, group=self._mesh.group("data"), group_src=0)
        return (gradient - first).abs().max().item()
