"""What an experiment's `run` is handed: one rank of a world, and its probes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from verify.probes.calls import Calls
from verify.probes.memory import Memory
from verify.probes.timeline import Timeline
from verify.probes.wire import Wire
from verify.text import Text


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
    memory: Memory = field(default_factory=Memory)

    def breaks(self, fault: str) -> bool:
        """Whether the run was asked to show this fault. Also True for one rank's part in it."""
        return self.fault == fault


def make_rank(
    index: int,
    size: int,
    seed: int,
    fault: str | None,
    *,
    barrier: Callable[[], None],
    exchange: Callable[[Any], list[Any]],
    step: Callable[[str], None],
    device: str = "cpu",
    clock_offset: float = 0.0,
    unseen: Text | None = None,
) -> Rank:
    """A rank with its probes, for any world that has a barrier and an exchange.

    `clock_offset` is what to add to this host's clock, in seconds, to read rank 0's; `unseen`
    says why no counter of the kernel sees what this world's ranks send, where none does.
    """
    return Rank(
        index=index,
        size=size,
        seed=seed,
        fault=fault,
        barrier=barrier,
        exchange=exchange,
        step=step,
        wire=Wire(index, size, barrier, exchange, unseen),
        timeline=Timeline(index, clock_offset),
        calls=Calls(),
        device=device,
    )
