"""One model trained by several methods: each rank's share of it, of the batch and of the step."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import nn

from verify.parallel.operations import reduce_scatter
from verify.parallel.sharded import Gathered, own_row, pieces_of, shard
from verify.parallel.tensor_parallel import (
    MLP_PLAN,
    Shard,
    SplitMlp,
    gradients_to_expect,
    make_mlp,
    sample,
    take_part,
)
from verify.probes.memory import SavedActivations

_EXPANSION = 4  # intermediate features of an MLP per hidden one
_REPLICAS = 2  # of the model in the hybrid


@dataclass(frozen=True)
class Problem:
    """A model of equal MLPs and one batch, (samples, hidden) in float64; alike on all ranks."""

    layers: Sequence[nn.Sequential]
    inputs: torch.Tensor
    targets: torch.Tensor

    @classmethod
    def draw(cls, layers: int, batch: int, hidden: int, seed: int) -> Problem:
        mlps = [make_mlp(hidden, _EXPANSION * hidden, seed + layer) for layer in range(layers)]
        return cls(mlps, *sample((batch, hidden), seed))

    def parameters(self) -> list[nn.Parameter]:
        return [p for layer in self.layers for p in layer.parameters()]

    def alone(self, saved: SavedActivations) -> int:
        """One process's step on the whole batch: gradients in the layers; bytes that it saves."""
        with saved.recording():
            output = nn.Sequential(*self.layers)(self.inputs)
        held = saved.bytes
        torch.autograd.backward(nn.functional.mse_loss(output, self.targets))
        return held


class Share:
    """Data parallelism: a replica of all layers and 1/N of the batch. Others build on it."""

    def __init__(self, problem: Problem, rank: int, ranks: int, fault: str | None) -> None:
        self._problem, self._rank, self._ranks, self._fault = problem, rank, ranks, fault
        self.gathered = Gathered()  # whole layers that are held for a moment
        self.layers = self._take_layers()
        part, parts = self._part_of_batch()
        self.inputs, self._targets = (
            t.tensor_split(parts)[part].clone() for t in (problem.inputs, problem.targets)
        )
        self._outputs: list[torch.Tensor] = []

    def _take_layers(self) -> list[nn.Module]:
        return [copy.deepcopy(layer) for layer in self._problem.layers]

    def _part_of_batch(self) -> tuple[int, int]:
        """Which part of how many this rank takes."""
        return self._rank, self._ranks

    def parameters(self) -> list[nn.Parameter]:
        return [p for layer in self.layers for p in layer.parameters()]

    def expected(self) -> list[torch.Tensor]:
        """This rank's share of one process's gradients, in the order of `parameters`."""
        return [_gradient(p) for p in self._problem.parameters()]

    def forward(self) -> None:
        """All of this rank's forward passes of a step."""
        self._outputs = [nn.Sequential(*self.layers)(self.inputs)]

    def backward(self) -> None:
        """All of its backward passes, and the average over replicas."""
        (output,) = self._outputs
        self._outputs = []
        torch.autograd.backward(nn.functional.mse_loss(output, self._targets))
        self._average()

    def _average(self) -> None:
        self._average_over(None, self._ranks)

    def _average_over(self, group: dist.ProcessGroup | None, count: int) -> None:
        if self._fault == "skip-all-reduce":
            return
        for parameter in self.parameters():
            dist.all_reduce(_gradient(parameter), group=group)
            _gradient(parameter).div_(count)


class TensorShare(Share):
    """Tensor parallelism: 1/N of every MLP, and the whole batch."""

    _shard: Shard

    def _take_layers(self) -> list[nn.Module]:
        self._shard = self._cut()
        layers: list[nn.Module] = []
        for whole in self._problem.layers:
            hidden = self._problem.inputs.shape[1]
            split = SplitMlp(hidden, _EXPANSION * hidden, self._shard)
            take_part(split, whole, MLP_PLAN, self._shard)
            layers.append(split)
        return layers

    def _cut(self) -> Shard:
        return Shard(self._rank, self._ranks, fault=self._fault)

    def _part_of_batch(self) -> tuple[int, int]:
        return 0, 1

    def expected(self) -> list[torch.Tensor]:
        pairs = zip(self.layers, self._problem.layers, strict=True)
        return [
            gradient
            for split, whole in pairs
            for gradient in gradients_to_expect(split, whole, MLP_PLAN, self._shard)
        ]

    def _average(self) -> None:
        """There is one replica."""


class HybridShare(TensorShare):
    """Two replicas, each on N/2 ranks that split every MLP; half of the batch for each."""

    def _cut(self) -> Shard:
        width = self._ranks // _REPLICAS
        replicas = [list(range(first, first + width)) for first in range(0, self._ranks, width)]
        across = [list(range(first, self._ranks, width)) for first in range(width)]
        # Every rank takes part in making every group.
        tensor_groups = [dist.new_group(ranks) for ranks in replicas]
        data_groups = [dist.new_group(ranks) for ranks in across]
        self._replica, index = divmod(self._rank, width)
        self._data_group = data_groups[index]
        return Shard(index, width, tensor_groups[self._replica], self._fault)

    def _part_of_batch(self) -> tuple[int, int]:
        return self._replica, _REPLICAS

    def _average(self) -> None:
        self._average_over(self._data_group, _REPLICAS)


class StageShare(Share):
    """Pipeline parallelism: consecutive whole layers, and the whole batch in microbatches (GPipe).

    A layer is never divided: with fewer layers than ranks some ranks hold nothing.
    """

    microbatches = 4

    def _take_layers(self) -> list[nn.Module]:
        count = len(self._problem.layers)
        per_stage = -(-count // self._ranks)
        first = self._rank * per_stage
        self._last_stage = (count - 1) // per_stage
        self._own = self._problem.layers[first : first + per_stage]
        return [copy.deepcopy(layer) for layer in self._own]

    def _part_of_batch(self) -> tuple[int, int]:
        return 0, 1

    def expected(self) -> list[torch.Tensor]:
        return [_gradient(p) for layer in self._own for p in layer.parameters()]

    def forward(self) -> None:
        self._received = []
        for chunk in self.inputs.chunk(self.microbatches) if self.layers else ():
            inputs = chunk
            if self._rank > 0:
                inputs = torch.empty_like(chunk)
                dist.recv(inputs, self._rank - 1)
                inputs.requires_grad_()
            self._received.append(inputs)
            self._outputs.append(nn.Sequential(*self.layers)(inputs))
            if self._rank < self._last_stage:
                dist.send(self._outputs[-1].detach(), self._rank + 1)

    def backward(self) -> None:
        targets = self._targets.chunk(self.microbatches)
        passes = list(zip(self._received, self._outputs, targets, strict=False))  # or none at all
        self._received, self._outputs = [], []
        while passes:  # each is let go as it is done
            inputs, output, target = passes.pop(0)
            if self._rank == self._last_stage:
                loss = nn.functional.mse_loss(output, target) / self.microbatches
                torch.autograd.backward(loss)
            else:
                gradient = torch.empty_like(output)
                dist.recv(gradient, self._rank + 1)
                torch.autograd.backward(output, gradient)
            if self._rank > 0:
                assert inputs.grad is not None
                dist.send(inputs.grad, self._rank - 1)


class ShardedShare(Share):
    """Sharded data parallelism (ZeRO stage 3): 1/N of every parameter, and 1/N of the batch."""

    def _take_layers(self) -> list[nn.Module]:
        skip = self._fault == "skip-all-reduce"
        reduce = own_row(self._rank) if skip else reduce_scatter
        return [
            shard(whole, self._rank, self._ranks, self.gathered, reshard=True, reduce=reduce)
            for whole in self._problem.layers
        ]

    def expected(self) -> list[torch.Tensor]:
        return [
            piece
            for whole, own in zip(self._problem.layers, self.layers, strict=True)
            if isinstance(own, nn.Sequential)
            for piece in pieces_of(whole, own, self._rank)
        ]

    def _average(self) -> None:
        """The layers do it, as they scatter their gradients."""


SHARES: dict[str, type[Share]] = {
    "data": Share,
    "tensor": TensorShare,
    "pipeline": StageShare,
    "hybrid": HybridShare,
    "sharded": ShardedShare,
}


def _gradient(parameter: nn.Parameter) -> torch.Tensor:
    assert parameter.grad is not None
    return parameter.grad
