"""The timeline probe: busy spans of a rank on one clock."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from verify.evidence import Span


class Timeline:
    """Spans of work on one rank. `time.monotonic` is one clock for all processes of a host."""

    def __init__(self, rank: int) -> None:
        self._rank = rank
        self._spans: list[Span] = []

    def clear(self) -> None:
        self._spans.clear()

    @contextmanager
    def span(self, kind: str, stage: int = 0, microbatch: int = 0) -> Iterator[None]:
        """Record what happens inside as one span, in seconds of the monotonic clock."""
        start = time.monotonic()
        try:
            yield
        finally:
            self._spans.append(Span(self._rank, kind, stage, microbatch, start, time.monotonic()))

    def spans(self) -> tuple[Span, ...]:
        return tuple(self._spans)
