"""Means over valid tokens that ranks and accumulation steps hold in different numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import torch
import torch.distributed as dist
from torch import nn

from verify.parallel.collectives import stream
from verify.parallel.measures import gradients_of, joined

_WIDTH = 16
_CLASSES = 32
_IGNORED = -100  # the label of padding, which cross entropy leaves out


def ratios(pairs: Sequence[tuple[float, float]], *, exchange: bool = True) -> list[Fraction]:
    """For each pair, the sum over ranks of the first by that of the second, from one all-reduce.

    Exact, as long as the sums are float64's. Without `exchange`, of this rank's pairs alone.
    """
    flat = torch.tensor(pairs, dtype=torch.float64)
    if exchange:
        dist.all_reduce(flat)
    return [Fraction(above) / Fraction(below) for above, below in flat.tolist()]


class Tokens:
    """A padded sequence for each rank and step, and a linear model in float64."""

    def __init__(self, valid: Sequence[Sequence[int]], seed: int) -> None:
        """`valid[rank][step]` tokens are valid, the others padding."""
        torch.manual_seed(stream(seed, 1))
        self.model = nn.Linear(_WIDTH, _CLASSES).double()
        longest = max(map(max, valid))
        shape = (len(valid), len(valid[0]), longest)
        self._inputs = torch.randn(*shape, _WIDTH, dtype=torch.float64)
        self._labels = torch.randint(_CLASSES, shape)
        for rank, steps in enumerate(valid):
            for step, count in enumerate(steps):
                self._labels[rank, step, count:] = _IGNORED

    def backward(self, rank: int, weights: Sequence[float]) -> None:
        """Add up weight × mean loss over the valid tokens of each of the rank's steps."""
        self.model.zero_grad()
        for inputs, labels, weight in zip(
            self._inputs[rank], self._labels[rank], weights, strict=True
        ):
            torch.autograd.backward(weight * self._mean_loss(inputs, labels))

    def alone(self) -> None:
        """The mean loss over all valid tokens, by one process in one step."""
        self.model.zero_grad()
        inputs, labels = self._inputs.flatten(0, 2), self._labels.flatten()
        torch.autograd.backward(self._mean_loss(inputs, labels))

    def average(self) -> None:
        """Average the gradients over all ranks."""
        for gradient in gradients_of(self.model):
            dist.all_reduce(gradient)
            gradient.div_(dist.get_world_size())

    def gradient(self) -> torch.Tensor:
        """All gradients in one vector."""
        return joined(gradients_of(self.model))

    def _mean_loss(self, inputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return nn.functional.cross_entropy(self.model(inputs), labels, ignore_index=_IGNORED)
