"""Three stages on three ranks, and a skip connection from the first to the last.

The last stage's input is the sum of the second's output and, over the skip, the first's.
"""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch import nn

STAGES = 3
_FIRST, _MIDDLE, _LAST = range(STAGES)


class SkipStage:
    """One rank's stage. `route` says how the skip travels: `direct`, `relayed` or `none`."""

    def __init__(self, rank: int, layers: nn.Module, route: str) -> None:
        self.layers = layers
        self._rank, self.route = rank, route
        self.entered = self.output = torch.empty(0)

    def forward(self, inputs: torch.Tensor, corrupt: int | None = None) -> None:
        """Receive what this stage needs, compute, send what others need.

        `inputs`: (batch, sequence, hidden), on every rank, of the shape of what is received. With
        `corrupt`, that element of what came over the skip gains 1.
        """
        self.entered = inputs.clone()
        if self._rank == _LAST:
            self.entered = self._receive(_MIDDLE)
            if self.route != "none":
                skipped = self._receive(_FIRST if self.route == "direct" else _MIDDLE)
                if corrupt is not None:
                    skipped.view(-1)[corrupt % skipped.numel()] += 1
                self.entered += skipped
        elif self._rank == _MIDDLE:
            self.entered = self._receive(_FIRST)
        self.entered.requires_grad_()
        self.output = self.layers(self.entered)
        if self._rank != _LAST:
            dist.send(self.output.detach(), self._rank + 1)
        if self.route == "direct" and self._rank == _FIRST:
            dist.send(self.output.detach(), _LAST)
        if self.route == "relayed" and self._rank == _MIDDLE:
            dist.send(self.entered.detach(), _LAST)

    def backward(self, targets: torch.Tensor, *, skip: bool = True) -> None:
        """The way back. Without `skip` no gradient goes back over the skip connection."""
        direct, relayed = (skip and self.route == route for route in ("direct", "relayed"))
        if self._rank == _LAST:
            torch.autograd.backward(nn.functional.mse_loss(self.output, targets))
        else:
            gradient = self._receive(self._rank + 1)
            if self._rank == _FIRST and direct:
                gradient += self._receive(_LAST)
            torch.autograd.backward(self.output, gradient)
        assert self.entered.grad is not None
        back = self.entered.grad
        if self._rank == _MIDDLE and relayed:
            back = back + self._receive(_LAST)
        if self._rank != _FIRST:
            dist.send(back, self._rank - 1)
        if self._rank == _LAST and direct:
            dist.send(back, _FIRST)
        if self._rank == _LAST and relayed:
            dist.send(back, _MIDDLE)

    def _receive(self, peer: int) -> torch.Tensor:
        received = torch.empty_like(self.entered, requires_grad=False)
        dist.recv(received, peer)
        return received


def unsplit(
    stages: list[nn.Sequential], inputs: torch.Tensor, targets: torch.Tensor, *, skip: bool
) -> None:
    """One process's pass through the whole model; leaves the gradients in `stages`."""
    first = stages[_FIRST](inputs)
    second = stages[_MIDDLE](first)
    output = stages[_LAST](second + first if skip else second)
    torch.autograd.backward(nn.functional.mse_loss(output, targets))
