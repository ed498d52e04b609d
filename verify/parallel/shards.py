"""Gradients over shards of samples that need not be equal, averaged by DistributedDataParallel."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.nn.parallel import DistributedDataParallel

from verify.parallel.collectives import stream
from verify.parallel.data_parallel import draw_samples, make_model
from verify.parallel.measures import gradients_of, joined


class Shards:
    """The samples of all ranks in shards of given sizes, and a small model on this rank."""

    def __init__(self, rank: int, sizes: Sequence[int], *, hidden: int, seed: int) -> None:
        model = make_model(hidden, seed)
        self.inputs, self.targets = draw_samples(sum(sizes), stream(seed, 1))
        start = sum(sizes[:rank])
        self._own = slice(start, start + sizes[rank])
        self._model = model
        self._parallel = DistributedDataParallel(model)

    def averaged(self, reduction: str, weight: float = 1.0) -> torch.Tensor:
        """DDP's gradient of weight × this rank's loss, its mean or sum over the shard."""
        self._model.zero_grad()
        outputs = self._parallel(self.inputs[self._own])
        _loss(outputs, self.targets[self._own], reduction, weight)
        return joined(gradients_of(self._model)).clone()

    def alone(self, reduction: str, *, own: bool = False) -> torch.Tensor:
        """One process's gradient over all samples, or over this rank's own."""
        self._model.zero_grad()
        part = self._own if own else slice(None)
        _loss(self._model(self.inputs[part]), self.targets[part], reduction)
        return joined(gradients_of(self._model)).clone()


def _loss(
    outputs: torch.Tensor, targets: torch.Tensor, reduction: str, weight: float = 1.0
) -> None:
    """Backward of the squared error: a mean or a sum over samples, and a sum over features."""
    errors = (outputs - targets).square().sum(1)
    torch.autograd.backward(weight * (errors.mean() if reduction == "mean" else errors.sum()))
