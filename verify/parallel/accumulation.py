"""Gradients accumulated over several micro-steps under DistributedDataParallel."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from verify.parallel.collectives import stream
from verify.parallel.data_parallel import draw_samples, make_model

_WARM_UP = 3  # DDP's constructor broadcasts, and its second step rebuilds buckets


class Accumulation:
    """One rank's replica under DDP, and the samples of all ranks and micro-steps."""

    def __init__(
        self, rank: int, ranks: int, *, steps: int, batch: int, hidden: int, seed: int
    ) -> None:
        self._rank, self._ranks, self._steps, self._batch = rank, ranks, steps, batch
        self.model = make_model(hidden, seed)
        self._parallel = DistributedDataParallel(self.model)
        self._inputs, self._targets = draw_samples(ranks * steps * batch, stream(seed, 1))
        for _ in range(_WARM_UP):
            self.model.zero_grad()
            self.micro_step(0)

    def micro_step(self, step: int, *, forward: bool = False, backward: bool = False) -> None:
        """Add the gradient of this rank's samples of one micro-step, for the mean over all.

        `forward` and `backward` say which of the two passes runs inside no_sync.
        """
        start = (step * self._ranks + self._rank) * self._batch
        own = slice(start, start + self._batch)
        with self._no_sync(forward):
            outputs = self._parallel(self._inputs[own])
        loss = nn.functional.mse_loss(outputs, self._targets[own]) / self._steps
        with self._no_sync(backward):
            torch.autograd.backward(loss)

    def _no_sync(self, inside: bool) -> AbstractContextManager[None]:
        return self._parallel.no_sync() if inside else nullcontext()

    def alone(self) -> None:
        """The gradient of all ranks' samples of all micro-steps, by one process in one step."""
        self.model.zero_grad()
        torch.autograd.backward(nn.functional.mse_loss(self.model(self._inputs), self._targets))
