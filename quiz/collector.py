"""Python's cyclic collector, and when it is in the way."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


def collect_rarely() -> None:
    """For the whole of a command. What it imports and reads stays, and is searched in vain: that
    is 10 ms of its start, and half a millisecond of some grades."""
    gc.set_threshold(50_000)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Without the collector, which walks whatever grows again and again though it has no cycles.

    Composing 10,000 cards costs several times as much with it on, a long log a quarter more.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
