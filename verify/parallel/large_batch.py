"""Data-parallel training of several copies of a small digit classifier at once.

The copies differ in their weights and in the order of their samples: they are the repetitions, by
seed, of one training.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.distributed as dist

from verify.parallel.collectives import stream
from verify.parallel.digits import Classifiers, digits
from verify.parallel.measures import relative_difference

_HIDDEN = (64, 64)


@dataclass(frozen=True)
class Plan:
    """How a training goes: the samples of a step on all ranks, and each step's learning rate."""

    batch: int
    rate: Callable[[int], float]


@dataclass(frozen=True)
class Result:
    losses: tuple[float, ...]  # of each seed, over all digits, at the end
    curve: tuple[float, ...]  # the mean loss over seeds while training
    steps: int
    spread: float  # the largest difference between two ranks' weights


class Trainings:
    """One rank's part of the trainings by every seed."""

    def __init__(self, rank: int, ranks: int, *, seeds: int, seed: int) -> None:
        self._rank, self._ranks, self._seeds, self._seed = rank, ranks, seeds, seed
        self._images, self._labels = digits()
        self.size = len(self._images)

    def train(
        self, plan: Plan, *, epochs: int, every: int, average: bool = True, reduce: bool = True
    ) -> Result:
        """Train by plain SGD. Each step's loss is averaged over `every` steps for the curve.

        Samples that don't fill an epoch's last batch are left out of that epoch. Without `average`
        the ranks' gradients are added up; without `reduce` every rank keeps its own.
        """
        model = self._model()
        losses = []
        step = 0
        for epoch in range(epochs):
            order = self._order(epoch)
            for start in range(0, self.size - plan.batch + 1, plan.batch):
                mine = order[:, start + self._rank : start + plan.batch : self._ranks]
                loss = model.loss(self._images[mine], self._labels[mine])
                gradients = model.gradients_of(loss)
                model.add(-plan.rate(step) * self._combined(gradients, average, reduce))
                losses.append(loss.detach().mean())
                step += 1
        return Result(
            tuple(self._whole_loss(model).tolist()),
            self._curve(torch.stack(losses), every),
            step,
            self._spread(model.vector()),
        )

    def first_losses(self) -> tuple[float, ...]:
        """Of each seed, over all digits, before any training."""
        return tuple(self._whole_loss(self._model()).tolist())

    def step_difference(
        self, rate: float, batch: int, factor: int, *, big_rate: float, stale: bool = False
    ) -> tuple[float, ...]:
        """By seed: how far `factor` small steps lie from one big step over the same samples.

        ‖small − big‖ / ‖big‖ of the change in weights, from the start of the training. With `stale`
        every small step takes its gradient at the start.
        """
        start, moved = self._model(), self._model()
        small = torch.zeros_like(start.vector())
        order = self._order(0)
        for first in range(0, factor * batch, batch):
            at = start if stale else moved
            change = -rate * self._averaged(at, order[:, first : first + batch])
            moved.add(change)
            small += change
        big = -big_rate * self._averaged(start, order[:, : factor * batch])
        return tuple(((small - big).norm(dim=1) / big.norm(dim=1)).tolist())

    def gradient_difference(
        self, batch: int, *, average: bool = True, reduce: bool = True
    ) -> float:
        """‖g − r‖∞ / ‖r‖∞ of the first step's gradient, r being one process's on all samples."""
        model, samples = self._model(), self._order(0)[:, :batch]
        found = self._averaged(model, samples, average=average, reduce=reduce)
        alone = model.gradients(self._images[samples], self._labels[samples])
        return relative_difference(found, alone)

    def _averaged(
        self,
        model: Classifiers,
        samples: torch.Tensor,
        *,
        average: bool = True,
        reduce: bool = True,
    ) -> torch.Tensor:
        mine = samples[:, self._rank :: self._ranks]
        gradients = model.gradients(self._images[mine], self._labels[mine])
        return self._combined(gradients, average, reduce)

    def _combined(self, gradients: torch.Tensor, average: bool, reduce: bool) -> torch.Tensor:
        if reduce:
            dist.all_reduce(gradients)
        return gradients / self._ranks if reduce and average else gradients

    def _model(self) -> Classifiers:
        return Classifiers(self._seeds, _HIDDEN, torch.Generator().manual_seed(self._seed))

    def _order(self, epoch: int) -> torch.Tensor:
        """Every seed's order of samples in an epoch, the same on all ranks: (seeds, samples)."""
        generator = torch.Generator().manual_seed(stream(self._seed, 1, epoch))
        return torch.rand(self._seeds, self.size, generator=generator).argsort(1)

    def _whole_loss(self, model: Classifiers) -> torch.Tensor:
        images = self._images.expand(self._seeds, -1, -1)
        with torch.no_grad():
            return model.loss(images, self._labels.expand(self._seeds, -1))

    def _curve(self, losses: torch.Tensor, every: int) -> tuple[float, ...]:
        dist.all_reduce(losses)
        losses /= self._ranks
        return tuple(part.mean().item() for part in torch.split(losses, every))

    @staticmethod
    def _spread(weights: torch.Tensor) -> float:
        lowest, highest = weights.clone(), weights.clone()
        dist.all_reduce(lowest, dist.ReduceOp.MIN)
        dist.all_reduce(highest, dist.ReduceOp.MAX)
        return (highest - lowest).max().item()
