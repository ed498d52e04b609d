"""What an experiment's `run` is handed: one rank of a world, and its probes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from verify.probes.calls import Calls
from verify.probes.timeline import Timeline
from verify.probes.wire import Wire


@dataclass(frozen=True)
class Rank:
    """One process of a world, with torch.distributed already initialised.

    `barrier` waits for all ranks without sending a byte between them. `exchange` gives every rank
    the JSON-able value of each, in rank order, past the connections that the wire probe counts.
    `step` names what this rank does next: progress for whoever waits, and the last word of a rank
    that stalls.
    """

    index: int
    size: int
    seed: int  # the same on every rank, fresh for each run
    fault: str | None
    barrier: Callable[[], None]
    exchange: Callable[[Any], list[Any]]
    step: Callable[[str], None]
    wire: Wire
    timeline: Timeline
    calls: Calls
    device: str = "cpu"

    def breaks(self, fault: str) -> bool:
        """Whether the run was asked to show this fault. Also True for one rank's part in it."""
        return self.fault == fault


class Store(Protocol):
    """What we use of a `torch.distributed.Store`."""

    def set(self, key: str, value: str, /) -> None: ...

    def get(self, key: str, /) -> bytes: ...


def make_rank(
    index: int,
    size: int,
    seed: int,
    fault: str | None,
    *,
    barrier: Callable[[], None],
    store: Store,
    step: Callable[[str], None],
    device: str = "cpu",
    clock_offset: float = 0.0,
) -> Rank:
    """A rank with its probes, for any world that has a barrier and a store.

    `clock_offset` is what to add to this host's clock, in seconds, to read rank 0's.
    """
    exchange = exchange_through(store, index, size)
    return Rank(
        index=index,
        size=size,
        seed=seed,
        fault=fault,
        barrier=barrier,
        exchange=exchange,
        step=step,
        wire=Wire(index, size, barrier, exchange),
        timeline=Timeline(index, clock_offset),
        calls=Calls(),
        device=device,
    )


def exchange_through(store: Store, index: int, size: int) -> Callable[[Any], list[Any]]:
    """`Rank.exchange` for any store that ranks share; JSON travels."""
    calls = 0

    def exchange(value: Any) -> list[Any]:
        nonlocal calls
        calls += 1
        store.set(f"{calls}/{index}", json.dumps(value))
        return [json.loads(store.get(f"{calls}/{peer}")) for peer in range(size)]

    return exchange
