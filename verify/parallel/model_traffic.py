"""One rank's step of a published transformer, on meta tensors: shapes without contents.

The rank holds some of the layers (its stage) and 1/t of each layer's matrices; it takes its
replica's microbatches from the stage before and hands them on, and at the end all-reduces its
gradients with the other replicas. Tensor parallelism follows Megatron-LM (Shoeybi et al. 2019):
f before the matrices that are divided by columns, g after those divided by rows.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh

from verify.parallel.tensor_parallel import Shard, enter, leave
from verify.published import Transformer

AXES = ("stages", "data", "tensor")
_KIND = torch.bfloat16  # of parameters, activations and gradients


class Mesh:
    """Tensor-parallel ranks lie closest together, then replicas, then stages."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        shape = tuple(sizes[axis] for axis in AXES)
        self._mesh = init_device_mesh("cpu", shape, mesh_dim_names=AXES)
        self.sizes = sizes
        self.stage = self._mesh.get_local_rank("stages")

    def group(self, axis: str) -> dist.ProcessGroup:
        return self._mesh.get_group(axis)

    def ranks(self, axis: str) -> tuple[int, ...]:
        """This rank's group along an axis, by global index."""
        return tuple(dist.get_process_group_ranks(self.group(axis)))

    def stages_beside(self) -> list[int]:
        """The ranks that hold the stage before and the one after, where there are such."""
        line = self.ranks("stages")
        return [line[i] for i in (self.stage - 1, self.stage + 1) if 0 <= i < len(line)]


def _weight(outputs: int, inputs: int) -> nn.Parameter:
    return nn.Parameter(torch.empty(outputs, inputs, device="meta", dtype=_KIND))


class Layer(nn.Module):
    """This rank's 1/t of one layer: attention and MLP, each after a norm and beside a shortcut."""

    def __init__(self, model: Transformer, shard: Shard) -> None:
        super().__init__()
        parts = shard.count
        self._shard, self._width = shard, model.hidden // model.heads
        self._heads, self._key_heads = model.heads // parts, model.key_heads // parts
        self._gated = model.gated
        hidden, attended = model.hidden, self._heads * self._width
        columns = attended + 2 * self._key_heads * self._width
        wide = model.width // parts
        self.norms = nn.ModuleList(
            nn.LayerNorm(hidden, bias=model.biases, device="meta", dtype=_KIND) for _ in range(2)
        )
        self.query_key_value, self.out = _weight(columns, hidden), _weight(hidden, attended)
        self.up, self.down = _weight(wide * (1 + model.gated), hidden), _weight(hidden, wide)
        outputs = (columns, hidden, wide * (1 + model.gated), hidden) if model.biases else ()
        self.biases = nn.ParameterList(
            nn.Parameter(torch.empty(size, device="meta", dtype=_KIND)) for size in outputs
        )

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """`inputs`: (sequences, length, hidden); so is what is returned."""
        middle = inputs + self._attend(self.norms[0](inputs))
        return middle + self._widen(self.norms[1](middle))

    def _linear(self, inputs: torch.Tensor, weight: nn.Parameter, place: int) -> torch.Tensor:
        """A matrix; its bias, where the model has any, too. By rows the bias follows the sum."""
        bias = self.biases[place] if len(self.biases) else None
        if place % 2 == 0:
            return nn.functional.linear(enter(inputs, self._shard), weight, bias)
        total = leave(nn.functional.linear(inputs, weight), self._shard)
        return total if bias is None else total + bias

    def _attend(self, inputs: torch.Tensor) -> torch.Tensor:
        mixed = self._linear(inputs, self.query_key_value, 0)
        mixed = mixed.reshape(*mixed.shape[:-1], -1, self._width)
        counts = [self._heads, self._key_heads, self._key_heads]
        query, key, value = (
            part.transpose(1, 2) for part in torch.split_with_sizes(mixed, counts, 2)
        )
        shared = self._heads // self._key_heads
        attended = nn.functional.scaled_dot_product_attention(
            query, key.repeat_interleave(shared, 1), value.repeat_interleave(shared, 1)
        )
        return self._linear(attended.transpose(1, 2).flatten(2), self.out, 1)

    def _widen(self, inputs: torch.Tensor) -> torch.Tensor:
        wide = self._linear(inputs, self.up, 2)
        if self._gated:
            gate, wide = wide.chunk(2, -1)
            return self._linear(nn.functional.silu(gate) * wide, self.down, 3)
        return self._linear(nn.functional.gelu(wide), self.down, 3)


class Stage(nn.Module):
    """The layers that one rank holds, as many as the fullest stage has."""

    def __init__(self, model: Transformer, mesh: Mesh, fault: str | None) -> None:
        super().__init__()
        shard = Shard(
            index=0,  # every part of a matrix has the same shape
            count=mesh.sizes["tensor"],
            group=mesh.group("tensor"),
            fault="skip-all-reduce" if fault == "skip-tensor-all-reduce" else None,
        )
        self.layers = nn.Sequential(
            *(Layer(model, shard) for _ in range(-(-model.layers // mesh.sizes["stages"])))
        )
        self._mesh, self._fault = mesh, fault

    def step(self, microbatch: torch.Tensor, count: int) -> None:
        """`count` microbatches forward and backward, then the gradients of all replicas."""
        beside = self._mesh.stages_beside()
        for _ in range(count):
            inputs = torch.empty_like(microbatch).requires_grad_()
            outputs = self.layers(inputs)
            torch.autograd.backward(outputs, torch.empty_like(outputs))
            for neighbour in beside:  # to the next one the outputs, to the one before its gradient
                if self._fault != "skip-sends":
                    dist.send(inputs.detach(), neighbour)
                dist.recv(torch.empty_like(microbatch), neighbour)
        if self._mesh.sizes["data"] > 1 and self._fault != "skip-data-all-reduce":
            for parameter in self.parameters():
                dist.all_reduce(parameter.grad, group=self._mesh.group("data"))
