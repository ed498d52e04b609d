"""Data parallelism with DistributedDataParallel, and one process that trains alone beside it."""

from __future__ import annotations

import copy
from contextlib import nullcontext

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.nn.utils import parameters_to_vector

from verify.parallel.collectives import corrupt_one_element, stream
from verify.parallel.measures import gradients_of

_ON_RANK_1 = ("swapped", "stale-rank")  # faults in what one rank hands to the all-reduce
_FEATURES = 32
_TARGETS = 8


def make_model(hidden: int, seed: int) -> nn.Sequential:
    """A perceptron 32 → hidden → hidden → hidden → 8 in float64, its weights drawn by `seed`."""
    torch.manual_seed(seed)
    return nn.Sequential(
        nn.Linear(_FEATURES, hidden),
        nn.Tanh(),
        nn.Linear(hidden, hidden),
        nn.Tanh(),
        nn.Linear(hidden, hidden),
        nn.Tanh(),
        nn.Linear(hidden, _TARGETS),
    ).double()


def draw_samples(count: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Inputs (count, 32) and targets (count, 8) for the perceptron, in float64."""
    generator = torch.Generator().manual_seed(seed)
    inputs, targets = (
        torch.randn(count, width, generator=generator, dtype=torch.float64)
        for width in (_FEATURES, _TARGETS)
    )
    return inputs, targets


class Training:
    """One rank's replica under DDP, and one process's training on everybody's samples joined.

    Both start from the same weights and take the same steps: `backward` on both, `update` on both.
    """

    def __init__(
        self,
        rank: int,
        ranks: int,
        *,
        hidden: int,
        batch: int,
        learning_rate: float,
        seed: int,
    ) -> None:
        self._rank, self._ranks, self._batch, self._seed = rank, ranks, batch, seed
        self.alone = make_model(hidden, seed)
        self.replica = copy.deepcopy(self.alone)
        self._parallel = DistributedDataParallel(self.replica)
        self._optimizers = [
            torch.optim.SGD(model.parameters(), lr=learning_rate)
            for model in (self.alone, self.replica)
        ]
        self._steps = 0
        self._draw()

    def _draw(self) -> None:
        """The next step's samples of all ranks: inputs (ranks × batch, 32), targets (…, 8)."""
        seed = stream(self._seed, self._steps)
        self._inputs, self._targets = draw_samples(self._ranks * self._batch, seed)

    def samples(self) -> torch.Tensor:
        """This rank's samples of the step, dealt out in turn as DistributedSampler does."""
        return self._inputs[self._rank :: self._ranks]

    def backward(self, fault: str | None = None) -> None:
        """Gradients of the mean loss over this rank's samples, averaged over ranks by DDP."""
        alone = fault in ("skip-all-reduce", *_ON_RANK_1)
        stale = fault in ("stale", "stale-rank")
        previous = [g.clone() for g in gradients_of(self.replica)] if stale else []
        self._optimizers[1].zero_grad()
        # What counts is whether the forward pass runs inside no_sync.
        with self._parallel.no_sync() if alone else nullcontext():
            self._backward(self._parallel, self.samples(), self._targets[self._rank :: self._ranks])
        gradients = gradients_of(self.replica)
        if fault in _ON_RANK_1:
            self._average(gradients, fault, previous)
        if fault == "sum-not-mean":
            for gradient in gradients:
                gradient.mul_(self._ranks)
        if fault == "stale":
            for gradient, old in zip(gradients, previous, strict=True):
                gradient.copy_(old)
        if fault == "one-element" and self._rank == 1:
            corrupt_one_element(gradients[0], self._seed)

    def _average(
        self, gradients: list[torch.Tensor], fault: str, previous: list[torch.Tensor]
    ) -> None:
        """DDP's averaging by hand, tensor by tensor, with rank 1 doing its part wrongly."""
        order = list(range(len(gradients)))
        if self._rank == 1 and fault == "swapped":
            # The weights between the hidden layers have one shape, so nothing can object.
            order[2], order[4] = order[4], order[2]
        for place, index in enumerate(order):
            if self._rank == 1 and fault == "stale-rank":
                gradients[place].copy_(previous[place])
            dist.all_reduce(gradients[index])
            gradients[index].div_(self._ranks)

    def backward_alone(self) -> None:
        """Gradients of the mean loss over all samples, in one process."""
        self._optimizers[0].zero_grad()
        self._backward(self.alone, self._inputs, self._targets)

    @staticmethod
    def _backward(model: nn.Module, inputs: torch.Tensor, targets: torch.Tensor) -> None:
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()  # type: ignore[no-untyped-call] # torch leaves it so

    def update(self) -> None:
        """Plain SGD, θ ← θ − ηg, on both; then the next samples."""
        for optimizer in self._optimizers:
            optimizer.step()
        self._steps += 1
        self._draw()

    def weights(self) -> torch.Tensor:
        """All parameters of the replica in one vector."""
        return parameters_to_vector(self.replica.parameters()).detach().clone()
