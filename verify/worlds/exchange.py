"""How every rank gets to know a value of each: JSON, past the connections that are measured."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

Exchange = Callable[[Any], list[Any]]
"""Give this rank's value, get the values of all in rank order. Collective."""


class Store(Protocol):
    """What we use of a `torch.distributed.Store`."""

    def set(self, key: str, value: str, /) -> None: ...

    def get(self, key: str, /) -> bytes: ...


def exchange_through(store: Store, index: int, size: int) -> Exchange:
    """Through a store that all ranks reach."""
    calls = 0

    def exchange(value: Any) -> list[Any]:
        nonlocal calls
        calls += 1
        store.set(f"{calls}/{index}", json.dumps(value))
        return [json.loads(store.get(f"{calls}/{peer}")) for peer in range(size)]

    return exchange


def exchange_in(folder: Path, index: int, size: int, barrier: Callable[[], None]) -> Exchange:
    """Through files of one host and a barrier, which wakes a rank sooner than a store's polling."""
    calls = 0

    def exchange(value: Any) -> list[Any]:
        nonlocal calls
        calls += 1
        (folder / f"{calls}-{index}.json").write_text(json.dumps(value), encoding="utf-8")
        barrier()
        return [
            json.loads((folder / f"{calls}-{peer}.json").read_text(encoding="utf-8"))
            for peer in range(size)
        ]

    return exchange
