"""What an experiment's `run` is handed: one rank of a world, and its probes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    device: str = "cpu"

    def breaks(self, fault: str) -> bool:
        """Whether the run was asked to show this fault. Also True for one rank's part in it."""
        return self.fault == fault
