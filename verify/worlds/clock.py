"""One clock for ranks on several hosts: offsets by exchange, after NTP (RFC 5905, section 8)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from verify.worlds.exchange import Store

_ROUNDS = 16


@dataclass(frozen=True, slots=True)
class Offset:
    """Seconds to add to this rank's clock to read rank 0's, right to within `error`."""

    seconds: float = 0.0
    error: float = 0.0


def exchange_offsets(
    store: Store,
    index: int,
    hosts: Sequence[str],
    now: Callable[[], float] = time.monotonic,
) -> Offset:
    """This rank's offset to rank 0. Collective: every rank calls it with the host of each rank.

    `time.monotonic` is one clock for all processes of a host, so ranks on rank 0's host need none.
    A question leaves at t, its answer s comes back at u: the offset is s − (t + u) / 2 and errs by
    at most (u − t) / 2, so the quickest of 16 rounds counts.
    """
    away = [rank for rank, host in enumerate(hosts) if host != hosts[0]]
    if index == 0:
        for rank in away:
            for number in range(_ROUNDS):
                store.get(f"question/{rank}/{number}")
                store.set(f"answer/{rank}/{number}", repr(now()))
    if index not in away:
        return Offset()
    rounds = []
    for number in range(_ROUNDS):
        left = now()
        store.set(f"question/{index}/{number}", "")
        answer = float(store.get(f"answer/{index}/{number}"))
        back = now()
        rounds.append(Offset(answer - (left + back) / 2, (back - left) / 2))
    return min(rounds, key=lambda offset: offset.error)
