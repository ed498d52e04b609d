"""The timeline probe: busy spans of a rank on one clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from verify.evidence import Span


class Timeline:
    """Spans of work on one rank. `time.monotonic` is one clock for all processes of a host.

    `offset` seconds are added to it, to read the clock of rank 0 on another host.
    """

    def __init__(self, rank: int, offset: float = 0.0) -> None:
        self._rank = rank
        self._offset = offset
        self._spans: list[Span] = []

    def clear(self) -> None:
        self._spans.clear()

    @contextmanager
    def span(
        self, kind: str, stage: int = 0, microbatch: int = 0, *, at_least: float = 0.0
    ) -> Iterator[None]:
        """Record what happens inside as one span, in seconds of the monotonic clock.

        Work that is done sooner waits until the span is `at_least` seconds long, and leaves the
        processor free meanwhile, as a kernel on an accelerator does.
        """
        start = time.monotonic()
        try:
            yield
            if (rest := start + at_least - time.monotonic()) > 0:
                time.sleep(rest)
        finally:
            self.since(start, kind, stage, microbatch)

    def since(self, start: float, kind: str, stage: int = 0, microbatch: int = 0) -> None:
        """Record a span that began at `start` (of `time.monotonic`) and ends now."""
        first, last = start + self._offset, time.monotonic() + self._offset
        self._spans.append(Span(self._rank, kind, stage, microbatch, first, last))

    def spans(self) -> tuple[Span, ...]:
        return tuple(self._spans)


def seconds_of(work: Callable[[], object], times: int) -> float:
    """Seconds that one call of `work` takes, averaged over `times` calls."""
    start = time.monotonic()
    for _ in range(times):
        work()
    return (time.monotonic() - start) / times


@dataclass(frozen=True, slots=True)
class BusyTime:
    """One rank's seconds of work, and the moments of its first start and last end."""

    busy: float
    first: float
    last: float


def busy_time(spans: Sequence[Span]) -> BusyTime:
    """The measured busy time of one rank's spans, which don't overlap. Needs at least one."""
    return BusyTime(
        sum(span.end - span.start for span in spans),
        min(span.start for span in spans),
        max(span.end for span in spans),
    )


def wall_bubble(ranks: Sequence[BusyTime]) -> float:
    """Idle over total by the clock: the busy time of all ranks against ranks × makespan."""
    makespan = max(rank.last for rank in ranks) - min(rank.first for rank in ranks)
    return 1 - sum(rank.busy for rank in ranks) / (len(ranks) * makespan)
