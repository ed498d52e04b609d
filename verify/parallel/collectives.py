"""Collectives on fresh random tensors, as ordinary torch code."""

from __future__ import annotations

import torch
import torch.distributed as dist


def random_tensor(payload: int, seed: int) -> torch.Tensor:
    """Float32 tensor of `payload` bytes, drawn from a standard normal distribution by `seed`."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(payload // 4, generator=generator)


def all_reduce(tensor: torch.Tensor) -> None:
    """Sum `tensor` over all ranks, in place."""
    dist.all_reduce(tensor)
