"""The memory probe: what a rank holds of parameters, gradients, optimizer state and activations.

Activations are those that autograd saves in a forward pass for the backward pass. Hooks on saved
tensors see each of them when it is saved, and the death of its handle when autograd lets go of it,
so that the count is exact at every moment, and 0 once every backward pass is over.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.quantities import Reading, Readings, Source

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Holdings:
    """Bytes that a rank holds between steps."""

    parameters: int
    gradients: int
    optimizer: int

    def readings(self) -> Readings:
        """`parameters_held`, `gradients_held` and `optimizer_held`."""
        return {
            "parameters_held": reading(self.parameters),
            "gradients_held": reading(self.gradients),
            "optimizer_held": reading(self.optimizer),
        }


class SavedActivations:
    """Bytes of activations that autograd holds for one rank's backward passes.

    A tensor that several operations save counts once, and parameters don't count.
    """

    def __init__(self, parameters: Iterable[torch.Tensor] = ()) -> None:
        self.bytes = 0  # now
        self.peak = 0
        self.series: list[int] = []  # one entry for each `mark`
        self._skipped = {_storage(parameter) for parameter in parameters}
        self._users: dict[tuple[int, int], int] = {}  # handles by address and size
        # A handle may die in a thread of autograd, or while this thread is at work here.
        self._lock = threading.RLock()

    @contextmanager
    def recording(self, pinned: list[object] | None = None) -> Iterator[None]:
        """Count what autograd saves inside. A handle kept in `pinned` stays alive: a leak."""
        import torch

        def pack(tensor: torch.Tensor) -> torch.Tensor | _Handle:
            if _storage(tensor) in self._skipped:
                return tensor
            handle = _Handle(tensor, self)
            if pinned is not None:
                pinned.append(handle)
            return handle

        def unpack(saved: torch.Tensor | _Handle) -> torch.Tensor:
            return saved.tensor if isinstance(saved, _Handle) else saved

        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            yield

    def mark(self) -> None:
        """Note the bytes held now as the next entry of the series."""
        self.series.append(self.bytes)

    def readings(self, prefix: str = "activation") -> Readings:
        """`activation_peak` and `activation_end`: the most bytes so far, and those held now."""
        return {f"{prefix}_peak": reading(self.peak), f"{prefix}_end": reading(self.bytes)}

    def _take(self, key: tuple[int, int]) -> None:
        with self._lock:
            users = self._users.get(key, 0)
            self._users[key] = users + 1
            if users == 0:
                self.bytes += key[1]
                self.peak = max(self.peak, self.bytes)

    def _drop(self, key: tuple[int, int]) -> None:
        with self._lock:
            self._users[key] -= 1
            if self._users[key] == 0:
                del self._users[key]
                self.bytes -= key[1]


class _Handle:
    """What autograd keeps in place of a saved tensor."""

    __slots__ = ("_key", "_ledger", "tensor")

    def __init__(self, tensor: torch.Tensor, ledger: SavedActivations) -> None:
        # Detached: a handle that kept the graph alive would keep itself alive through it.
        self.tensor = tensor.detach()
        self._key = tensor.data_ptr(), min(tensor.nbytes, tensor.untyped_storage().nbytes())
        self._ledger = ledger
        ledger._take(self._key)

    def __del__(self) -> None:
        self._ledger._drop(self._key)


class Memory:
    """The probe of one rank. It sends nothing and waits for nobody."""

    @staticmethod
    def held(
        parameters: Iterable[torch.Tensor], optimizer: torch.optim.Optimizer | None = None
    ) -> Holdings:
        """What is held of these parameters now, of a DTensor the local part."""
        held = [parameter for parameter in parameters if parameter is not None]
        gradients = [p.grad for p in held if p.grad is not None]
        states = optimizer.state.values() if optimizer is not None else ()
        tensors = [value for state in states for value in state.values()]
        return Holdings(
            sum(map(_local_bytes, held)),
            sum(map(_local_bytes, gradients)),
            sum(map(_local_bytes, (t for t in tensors if hasattr(t, "untyped_storage")))),
        )

    @staticmethod
    def saved(parameters: Iterable[torch.Tensor] = ()) -> SavedActivations:
        """A fresh count of saved activations; give it the parameters, which don't count."""
        return SavedActivations(parameters)


def reading(value: int) -> Reading:
    """Bytes that this probe counted."""
    return Reading(value, Source.COUNTED)


def _storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def _local_bytes(tensor: torch.Tensor) -> int:
    local = tensor.to_local() if hasattr(tensor, "to_local") else tensor
    return int(local.nbytes)
