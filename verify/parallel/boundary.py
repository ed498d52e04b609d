"""Naive model parallelism: consecutive layers on consecutive ranks, one pass at a time."""

from __future__ import annotations

import copy
from contextlib import AbstractContextManager, nullcontext

import torch
import torch.distributed as dist
from torch import nn

from verify.parallel.collectives import stream

ELEMENT = torch.float32


class _Layer(nn.Module):
    """x + GELU(Wx + b). The sum keeps gradients alive through many layers."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.linear = nn.Linear(hidden, hidden)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return inputs + nn.functional.gelu(self.linear(inputs))


def make_stages(stages: int, depth: int, hidden: int, seed: int) -> list[nn.Sequential]:
    """The whole model, cut: per stage, `depth` layers hidden → hidden with weights by `seed`."""
    torch.manual_seed(seed)
    return [nn.Sequential(*(_Layer(hidden) for _ in range(depth))) for _ in range(stages)]


class Stage:
    """One rank's layers, and what it exchanges with the ranks before and after it.

    Activations are computed in float32; with `half` they are float16 on the wire.
    """

    def __init__(self, rank: int, stages: list[nn.Sequential], *, half: bool = False) -> None:
        self.layers = copy.deepcopy(stages[rank])
        self._before = rank - 1 if rank > 0 else None
        self._after = rank + 1 if rank < len(stages) - 1 else None
        self._wire_type = torch.float16 if half else ELEMENT
        self.output = self._input = self.message = torch.empty(0)

    def connect(self) -> None:
        """Open the connections with one element each way."""
        element = torch.zeros(1)
        if self._before is not None:
            dist.recv(element, self._before)
        if self._after is not None:
            dist.send(element, self._after)
            dist.recv(element, self._after)
        if self._before is not None:
            dist.send(element, self._before)

    def forward(self, inputs: torch.Tensor, *, training: bool, corrupt: int | None = None) -> None:
        """Receive (the first rank takes `inputs`), compute, send (but on the last rank).

        `inputs`: (batch, sequence, hidden), of the same shape as what is received. With `corrupt`,
        that element of what was received gains 1.
        """
        self._input = inputs
        if self._before is not None:
            self.message = torch.empty(inputs.shape, dtype=self._wire_type)
            dist.recv(self.message, self._before)
            self._input = self.message.to(ELEMENT, copy=True)
            if corrupt is not None:
                self._input.view(-1)[corrupt % inputs.numel()] += 1
            self._input.requires_grad_(training)
        with _recording(training):
            self.output = self.layers(self._input)
        if self._after is not None:
            self.message = self.output.detach().to(self._wire_type)
            dist.send(self.message, self._after)

    def backward(self, targets: torch.Tensor, *, messages: bool = True) -> None:
        """Receive the output's gradient (the last rank takes the loss's) and send the input's.

        Without `messages` no gradient crosses a boundary: only the last rank gets any.
        """
        if self._after is None:
            _mean_squared_error(self.output, targets)
        elif messages:
            gradient = torch.empty_like(self.output)
            dist.recv(gradient, self._after)
            torch.autograd.backward(self.output, gradient)
        if self._before is not None and messages:
            assert self._input.grad is not None
            dist.send(self._input.grad, self._before)

    def input_gradient_size(self) -> int:
        """Bytes of the gradient of what was received; 0 without one."""
        gradient = self._input.grad
        return 0 if gradient is None else gradient.numel() * gradient.element_size()


def pass_unsplit(
    stages: list[nn.Sequential],
    inputs: torch.Tensor,
    targets: torch.Tensor,
    *,
    training: bool,
) -> list[torch.Tensor]:
    """One process's pass through the whole model: each stage's output; gradients in `stages`."""
    outputs = []
    with _recording(training):
        for stage in stages:
            inputs = stage(inputs)
            outputs.append(inputs)
    if training:
        _mean_squared_error(inputs, targets)
    return [output.detach() for output in outputs]


def sample(shape: tuple[int, int, int], seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Inputs and targets, each (batch, sequence, hidden), drawn by `seed`."""
    generator = torch.Generator().manual_seed(stream(seed, 1))
    return torch.randn(shape, generator=generator), torch.randn(shape, generator=generator)


def _recording(training: bool) -> AbstractContextManager[object]:
    return nullcontext() if training else torch.no_grad()


def _mean_squared_error(output: torch.Tensor, targets: torch.Tensor) -> None:
    loss = nn.functional.mse_loss(output, targets)
    loss.backward()  # type: ignore[no-untyped-call] # torch leaves it so
