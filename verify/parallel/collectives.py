"""Collectives on fresh random tensors, and how one rank compares its tensors with the others'."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.distributed as dist

_BLOCK = 2**20  # elements that are drawn, or compared in float64, at a time
_ELEMENT = 4  # bytes of a float32


def stream(seed: int, *index: int) -> int:
    """The seed of one stream of random numbers out of many: of a rank, or of a rank's step."""
    for i in index:
        seed = seed * 2**16 + i
    return seed % 2**63


def _blocks(payload: int, seed: int) -> Iterator[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    count = payload // _ELEMENT
    for start in range(0, count, _BLOCK):
        yield torch.randn(min(_BLOCK, count - start), generator=generator)


def random_tensor(payload: int, seed: int) -> torch.Tensor:
    """Float32 vector of `payload` bytes, drawn from a standard normal distribution by `seed`."""
    return torch.cat(list(_blocks(payload, seed)))


def all_reduce(tensor: torch.Tensor) -> None:
    """Sum `tensor` over all ranks, in place."""
    dist.all_reduce(tensor)


def sum_error(result: torch.Tensor, payload: int, seeds: list[int]) -> float:
    """‖result − sum‖∞ / ‖sum‖∞, the sum over all seeds' random tensors taken in float64."""
    worst = largest = 0.0
    drawn = zip(*(_blocks(payload, seed) for seed in seeds), strict=True)
    for ours, blocks in zip(torch.split(result, _BLOCK), drawn, strict=True):
        expected = torch.zeros(len(ours), dtype=torch.float64)
        for block in blocks:
            expected += block
        worst = max(worst, (ours - expected).abs().max().item())
        largest = max(largest, expected.abs().max().item())
    return worst / largest


def of_first(tensor: torch.Tensor) -> torch.Tensor:
    """Rank 0's tensor, on every rank."""
    first = tensor.clone()
    dist.broadcast(first, 0)
    return first


def elements_that_differ(tensor: torch.Tensor, exchange: Callable[[Any], list[Any]]) -> int:
    """In how many elements a float32 tensor differs in any bit from rank 0's, at the worst rank."""
    bits = tensor.view(torch.int32)
    return int(max(exchange(int((bits != of_first(bits)).sum()))))


def corrupt_one_element(tensor: torch.Tensor, seed: int) -> None:
    """Add the largest magnitude in `tensor` to one of its elements, in place."""
    flat = tensor.detach().view(-1)
    flat[seed % len(flat)] += flat.abs().max()
