"""A model of equal layers, held whole or one layer to a rank, and a training step through it.

Each layer's compute takes as long as asked for, as a timed wait that leaves the processor free.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.distributed as dist
from torch import nn

from verify.parallel.collectives import stream
from verify.probes.replay import Kind
from verify.probes.timeline import Timeline

COMMUNICATION = "C"  # the kind of spans in which a rank waits for a message
_WIDTH = 32


def make_layers(count: int, seed: int) -> list[nn.Module]:
    """Layers 32 → 32 in float64, drawn by `seed`."""
    torch.manual_seed(seed)
    return [nn.Sequential(nn.Linear(_WIDTH, _WIDTH), nn.Tanh()).double() for _ in range(count)]


def draw_batch(samples: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Inputs and targets, each (samples, 32) in float64."""
    generator = torch.Generator().manual_seed(stream(seed, 1))
    shape = (2, samples, _WIDTH)
    inputs, targets = torch.randn(shape, generator=generator, dtype=torch.float64)
    return inputs, targets


def reference(
    layers: Sequence[nn.Module], inputs: torch.Tensor, targets: torch.Tensor
) -> list[list[torch.Tensor]]:
    """Each layer's gradients of the mean loss, by one process; leaves none behind."""
    loss = nn.functional.mse_loss(nn.Sequential(*layers)(inputs), targets)
    parameters = [list(layer.parameters()) for layer in layers]
    gradients = iter(torch.autograd.grad(loss, [p for layer in parameters for p in layer]))
    return [[next(gradients) for _ in layer] for layer in parameters]


class Part:
    """Some consecutive layers of the model, and one step of training on them.

    `before` and `after` are the ranks that hold the layers around these; None where there are none
    or where nothing is to be exchanged with them.
    """

    def __init__(
        self,
        layers: dict[int, nn.Module],
        before: int | None = None,
        after: int | None = None,
    ) -> None:
        """`layers` by their place in the model."""
        self.layers = layers
        self._before, self._after = before, after

    def step(
        self,
        inputs: torch.Tensor,
        targets: torch.Tensor,
        timeline: Timeline,
        seconds: float,
        number: int = 0,
    ) -> None:
        """Forward and backward of the mean loss over (samples, 32); `number` labels the spans.

        A forward of one layer takes at least `seconds`, a backward twice that. Where other ranks
        hold the layers around these, inputs and gradients come from there.
        """
        passed = []
        output = inputs if self._before is None else _receive(inputs, self._before, timeline)
        for place, layer in self.layers.items():
            entered = output.detach().requires_grad_()
            with timeline.span(Kind.FORWARD, place, number, at_least=seconds):
                output = layer(entered)
            passed.append((place, entered, output))
        gradient = None
        if self._after is not None:
            dist.send(output.detach(), self._after)
            gradient = _receive(output, self._after, timeline)
        for place, entered, output in reversed(passed):
            with timeline.span(Kind.BACKWARD, place, number, at_least=2 * seconds):
                if gradient is None:
                    torch.autograd.backward(nn.functional.mse_loss(output, targets))
                else:
                    torch.autograd.backward(output, gradient)
            gradient = entered.grad
        if self._before is not None and gradient is not None:
            dist.send(gradient, self._before)

    def average(self, ranks: int, timeline: Timeline) -> None:
        """Average the gradients over all ranks with one all-reduce."""
        gradients = self.gradients()
        with timeline.span(COMMUNICATION):
            flat = torch.cat([g.view(-1) for g in gradients])
            dist.all_reduce(flat)
            pieces = torch.split(flat / ranks, [g.numel() for g in gradients])
            for gradient, piece in zip(gradients, pieces, strict=True):
                gradient.copy_(piece.view_as(gradient))

    def gradients(self) -> list[torch.Tensor]:
        """Those of this part's parameters, after a step."""
        parameters = (p for layer in self.layers.values() for p in layer.parameters())
        return [p.grad for p in parameters if p.grad is not None]

    def clear(self) -> None:
        """Forget the gradients."""
        for layer in self.layers.values():
            layer.zero_grad()


def _receive(like: torch.Tensor, peer: int, timeline: Timeline) -> torch.Tensor:
    received = torch.empty_like(like)
    with timeline.span(COMMUNICATION):
        dist.recv(received, peer)
    return received
