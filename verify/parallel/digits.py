"""The handwritten digits in verify/data, and a small classifier of them in several copies.

Each copy has weights of its own, so that one pass trains as many models as there are copies: the
first dimension of every tensor here is the copy.
"""

from __future__ import annotations

from copy import copy
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from torch import nn

PIXELS, CLASSES = 64, 10
_FILE = Path(__file__).parents[1] / "data" / "digits.csv.gz"
_WHITE = 16  # the largest grey level


@cache
def digits() -> tuple[torch.Tensor, torch.Tensor]:
    """Images (1797 × 64, float32, from 0 to 1) and digits (1797, from 0 to 9)."""
    table = torch.from_numpy(np.loadtxt(_FILE, dtype=np.int64, delimiter=","))
    return table[:, :PIXELS].float() / _WHITE, table[:, PIXELS]


class Classifiers:
    """Copies of a perceptron 64 → hidden → … → 10 with tanh between its layers."""

    def __init__(self, copies: int, hidden: tuple[int, ...], generator: torch.Generator) -> None:
        """Weights and biases uniform in ±1/√inputs, which is how torch begins a linear layer."""
        self._copies = copies
        self._layers = []
        widths = (PIXELS, *hidden, CLASSES)
        for inputs, outputs in pairwise(widths):
            for rows in (inputs, 1):
                drawn = torch.rand(copies, rows, outputs, generator=generator)
                self._layers.append(((2 * drawn - 1) / inputs**0.5).requires_grad_())

    def first_repeated(self, copies: int) -> Classifiers:
        """So many copies of the first one."""
        repeated = copy(self)
        repeated._copies = copies
        repeated._layers = [
            layer[:1].detach().repeat(copies, 1, 1).requires_grad_() for layer in self._layers
        ]
        return repeated

    @property
    def parameters(self) -> list[torch.Tensor]:
        return self._layers

    def loss(self, images: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Each copy's mean cross-entropy, (copies,), of (copies, batch, 64) and (copies, batch)."""
        values = images
        for weight, bias in zip(self._layers[::2], self._layers[1::2], strict=True):
            if weight is not self._layers[0]:
                values = values.tanh()
            values = torch.baddbmm(bias, values, weight)
        each = nn.functional.cross_entropy(
            values.reshape(-1, CLASSES), labels.reshape(-1), reduction="none"
        )
        return each.view(self._copies, -1).mean(1)

    def gradients(self, images: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Each copy's gradient of its loss: (copies, number of parameters)."""
        return self.gradients_of(self.loss(images, labels))

    def gradients_of(self, losses: torch.Tensor) -> torch.Tensor:
        """The same from losses that are computed already."""
        found = torch.autograd.grad(losses.sum(), self._layers)
        return torch.cat([gradient.flatten(1) for gradient in found], 1)

    def vector(self) -> torch.Tensor:
        """Each copy's parameters: (copies, number of parameters)."""
        return torch.cat([layer.detach().flatten(1) for layer in self._layers], 1)

    def add(self, change: torch.Tensor) -> None:
        """Add to every copy's parameters its row of (copies, number of parameters)."""
        widths = [layer[0].numel() for layer in self._layers]
        with torch.no_grad():
            for layer, part in zip(self._layers, torch.split(change, widths, 1), strict=True):
                layer.add_(part.view_as(layer))
