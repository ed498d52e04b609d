"""Parameters divided among the ranks, as in ZeRO stage 3 and FSDP, written out by hand.

Each layer's weight and bias are one flat vector, cut into N equal pieces; a rank keeps one of them.
The whole vector is gathered for the layer's forward and, where it was freed since, once more for
its backward; its gradient is reduced and scattered (Rajbhandari et al., "ZeRO", 2020, section 7).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn

from verify.parallel.operations import all_gather, gloo_reduce_scatter, reduce_scatter

Reduce = Callable[[torch.Tensor], torch.Tensor]
"""This rank's row of the sum over ranks of a (ranks, elements) tensor."""

REDUCTIONS: dict[str, Reduce] = {"direct": reduce_scatter, "gloo": gloo_reduce_scatter}


def own_row(rank: int) -> Reduce:
    """No reduce-scatter at all: this rank's row of its own tensor, as if all had the same."""
    return lambda tensor: len(tensor) * tensor[rank]


class Gathered:
    """The whole layers that a rank holds besides its pieces, in bytes; `keep` frees none."""

    def __init__(self, keep: bool = False) -> None:
        self.now = self.most = 0
        self._kept: list[torch.Tensor] | None = [] if keep else None

    def add(self, flat: torch.Tensor) -> None:
        """This one is held from now on."""
        self.now += flat.nbytes
        self.most = max(self.most, self.now)

    def free(self, flat: torch.Tensor) -> None:
        """This one isn't needed any more."""
        if self._kept is None:
            self.now -= flat.nbytes
        else:
            self._kept.append(flat)


class ShardedLinear(nn.Module):
    """A linear layer of which this rank holds one piece in N."""

    def __init__(
        self,
        linear: nn.Linear,
        rank: int,
        ranks: int,
        gathered: Gathered,
        *,
        reshard: bool,
        reduce: Reduce,
    ) -> None:
        super().__init__()
        self.shape = linear.weight.shape
        self.reshard, self.reduce, self.gathered = reshard, reduce, gathered
        self.ranks = ranks
        self.piece = nn.Parameter(self.cut(linear.weight, linear.bias)[rank].clone())

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        result = _Linear.apply(inputs, self.piece, self)  # type: ignore[no-untyped-call] # torch leaves it so
        assert isinstance(result, torch.Tensor)
        return result

    def cut(self, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        """Weight and bias as (ranks, elements), the end padded with zeros."""
        flat = torch.cat([weight.detach().reshape(-1), bias.detach()])
        padding = -len(flat) % self.ranks
        return nn.functional.pad(flat, (0, padding)).view(self.ranks, -1)

    def gather(self) -> torch.Tensor:
        """Weight and bias in one flat vector, from all ranks."""
        flat = all_gather(self.piece.detach(), self.ranks).view(-1)
        self.gathered.add(flat)
        return flat

    def weight_and_bias(self, flat: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        outputs, inputs = self.shape
        weight = flat[: outputs * inputs].view(outputs, inputs)
        return weight, flat[outputs * inputs : outputs * (inputs + 1)]


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(
        context: Any, inputs: torch.Tensor, piece: torch.Tensor, layer: ShardedLinear
    ) -> torch.Tensor:
        flat = layer.gather()
        weight, bias = layer.weight_and_bias(flat)
        context.layer = layer
        if layer.reshard:
            layer.gathered.free(flat)
        context.save_for_backward(inputs, *([] if layer.reshard else [flat]))
        return nn.functional.linear(inputs, weight, bias)

    @staticmethod
    def backward(context: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None]:
        layer: ShardedLinear = context.layer
        inputs, *kept = context.saved_tensors
        flat = kept[0] if kept else layer.gather()
        weight, _ = layer.weight_and_bias(flat)
        (gradient,) = gradients
        whole = layer.cut(gradient.T @ inputs, gradient.sum(0))
        layer.gathered.free(flat)
        return gradient @ weight, layer.reduce(whole) / layer.ranks, None


def shard(
    model: nn.Sequential,
    rank: int,
    ranks: int,
    gathered: Gathered,
    *,
    reshard: bool,
    reduce: Reduce,
) -> nn.Sequential:
    """The model with every linear layer sharded."""
    layers = [
        ShardedLinear(layer, rank, ranks, gathered, reshard=reshard, reduce=reduce)
        if isinstance(layer, nn.Linear)
        else layer
        for layer in model
    ]
    return nn.Sequential(*layers)


def pieces_of(model: nn.Sequential, sharded: nn.Sequential, rank: int) -> list[torch.Tensor]:
    """The unsharded model's gradients, cut as the sharded one is: this rank's pieces."""
    return [
        layer.cut(_gradient(whole.weight), _gradient(whole.bias))[rank]
        for whole, layer in zip(model, sharded, strict=True)
        if isinstance(layer, ShardedLinear) and isinstance(whole, nn.Linear)
    ]


def _gradient(parameter: torch.Tensor) -> torch.Tensor:
    assert parameter.grad is not None
    return parameter.grad


def state_of(optimizer: torch.optim.Optimizer) -> Iterator[torch.Tensor]:
    """The tensors that the optimizer keeps for itself."""
    for state in optimizer.state.values():
        yield from (value for value in state.values() if torch.is_tensor(value))
