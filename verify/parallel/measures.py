"""What is counted of a model and its gradients, and how far two results lie apart."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import nn


def size_of(model: nn.Module) -> int:
    """Bytes of all parameters."""
    return bytes_of(model.parameters())


def bytes_of(tensors: Iterable[torch.Tensor]) -> int:
    """Bytes of all elements."""
    return sum(t.numel() * t.element_size() for t in tensors)


def gradients_of(model: nn.Module) -> list[torch.Tensor]:
    """Every parameter's gradient; zeros where the backward pass didn't reach."""
    return [p.grad if p.grad is not None else torch.zeros_like(p) for p in model.parameters()]


def joined(tensors: list[torch.Tensor]) -> torch.Tensor:
    """All elements in one vector."""
    return torch.cat([t.detach().reshape(-1) for t in tensors])


def relative_difference(found: torch.Tensor, expected: torch.Tensor) -> float:
    """‖found − expected‖∞ / ‖expected‖∞, over all elements of both."""
    return ((found - expected).abs().max() / expected.abs().max()).item()
