"""One operation between ranks out of several, on a tensor of each rank that is cut into N pieces.

Every operation takes this rank's tensor, (ranks, elements), and gives its result; what it should
be is worked out from all ranks' tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce as fold

import torch
import torch.distributed as dist

from verify.parallel.collectives import random_tensor

_ELEMENT = 4  # bytes of a float32


def draw(payload: int, ranks: int, seed: int) -> torch.Tensor:
    """(ranks, elements) in float32, at least `payload` bytes; the same for the same seed."""
    elements = -(-payload // (_ELEMENT * ranks))
    return random_tensor(_ELEMENT * elements * ranks, seed).view(ranks, elements)


def perform(operation: str, tensor: torch.Tensor, rank: int) -> torch.Tensor:
    """The operation's result on this rank. Collective; `tensor` is left alone."""
    return _OPERATIONS[operation](tensor, rank)


def left_out(operation: str, tensor: torch.Tensor, rank: int) -> torch.Tensor:
    """What a rank has without the operation, in the shape of the operation's result."""
    return tensor[rank].clone() if operation in _SCATTERS else tensor.clone()


def reduce_scatter(tensor: torch.Tensor) -> torch.Tensor:
    """Row `rank` of the sum over ranks, each rank's rows sent once: an all-to-all, then a sum.

    gloo has no reduce-scatter of its own and sends as much as for an all-reduce.
    """
    received = torch.empty_like(tensor)
    dist.all_to_all_single(received, tensor)
    return received.sum(0)


def gloo_reduce_scatter(tensor: torch.Tensor) -> torch.Tensor:
    """Row `rank` of the sum over ranks, by the backend's own reduce-scatter."""
    result = torch.empty_like(tensor[0])
    dist.reduce_scatter_tensor(result, tensor.view(-1))
    return result


def all_gather(piece: torch.Tensor, ranks: int) -> torch.Tensor:
    """Every rank's piece, a vector, one row each."""
    result = piece.new_empty(ranks * len(piece))
    dist.all_gather_into_tensor(result, piece)
    return result.view(ranks, -1)


def _all_reduce(tensor: torch.Tensor, _: int) -> torch.Tensor:
    result = tensor.clone()
    dist.all_reduce(result)
    return result


def _reduce_then_broadcast(tensor: torch.Tensor, _: int) -> torch.Tensor:
    result = tensor.clone()
    dist.reduce(result, 0)
    dist.broadcast(result, 0)
    return result


def _broadcast(tensor: torch.Tensor, _: int) -> torch.Tensor:
    result = tensor.clone()
    dist.broadcast(result, 0)
    return result


def _all_to_all(tensor: torch.Tensor, _: int) -> torch.Tensor:
    result = torch.empty_like(tensor)
    dist.all_to_all_single(result, tensor)
    return result


_OPERATIONS: dict[str, Callable[[torch.Tensor, int], torch.Tensor]] = {
    "all-reduce": _all_reduce,
    "reduce-then-broadcast": _reduce_then_broadcast,
    "broadcast": _broadcast,
    "all-gather": lambda tensor, rank: all_gather(tensor[rank], len(tensor)),
    "reduce-scatter": lambda tensor, _: reduce_scatter(tensor),
    "gloo-reduce-scatter": lambda tensor, _: gloo_reduce_scatter(tensor),
    "all-to-all": _all_to_all,
}
_SCATTERS = ("reduce-scatter", "gloo-reduce-scatter")


def expected(operation: str, payload: int, rank: int, seeds: Sequence[int]) -> torch.Tensor:
    """The result by definition, in float64, from every rank's tensor (drawn one at a time)."""
    tensors = (draw(payload, len(seeds), seed).double() for seed in seeds)
    if operation == "broadcast":
        return next(tensors)
    if operation == "all-gather":
        return torch.stack([tensor[peer] for peer, tensor in enumerate(tensors)])
    if operation == "all-to-all":
        return torch.stack([tensor[rank] for tensor in tensors])
    total = fold(torch.add, tensors)
    return total[rank] if operation in _SCATTERS else total
