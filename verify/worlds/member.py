"""One rank of a world that a launcher started: it joins, runs in a thread, and is watched over.

The launcher's key-value store carries everything but the experiment's own traffic: barriers,
exchanges and what became of each rank. Its clients use `send`, and no rank is at the other end of
their connections, so the wire probe doesn't see them.
"""

from __future__ import annotations

import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

from verify.probes.wire import NOT_TCP
from verify.worlds.clock import exchange_offsets
from verify.worlds.exchange import exchange_through
from verify.worlds.failure import Fate, summary_of
from verify.worlds.perform import perform
from verify.worlds.rank import Rank, make_rank
from verify.worlds.request import Request

if TYPE_CHECKING:
    from torch._C._distributed_c10d import Store

BROKEN = "broken"  # set as soon as any rank has failed
_LOOK_SECONDS = 0.05
_GRACE_SECONDS = 0.5  # after a first failure, for a rank to hear of it from torch
_JOIN_SECONDS = 120.0  # for slower ranks to load torch
_BEYOND_DEADLINE = 30.0  # so that a stall is told by whoever watches, not by whoever waits


class Member:
    """This process as one rank."""

    def __init__(
        self, store: Store, watching: Store, request: Request, index: int, device: str
    ) -> None:
        """Meet the other ranks on the store. Raises DistStoreError where they don't come.

        `watching` is a second client of the same store: one that waits blocks its other callers.
        """
        self._request = request
        self._store = store
        self._watching = watching
        self._patience = timedelta(seconds=request.allowed_seconds + _BEYOND_DEADLINE)
        self.fate = Fate(index)
        store.set_timeout(timedelta(seconds=_JOIN_SECONDS))
        size = request.ranks
        greet = exchange_through(prefixed("greet", store), index, size)
        greetings = greet([socket.gethostname(), request.seed])
        self.hosts = [host for host, _ in greetings]
        self.offset = exchange_offsets(prefixed("clock", store), index, self.hosts)
        store.set_timeout(self._patience)
        self.rank: Rank = make_rank(
            index,
            size,
            greetings[0][1],  # rank 0's seed
            request.fault,
            barrier=self._barrier(),
            exchange=exchange_through(prefixed("exchange", store), index, size),
            step=self.fate.reached,
            device=device,
            clock_offset=self.offset.seconds,
            unseen=None if device == "cpu" else NOT_TCP,
        )

    def run(self, backend: str) -> Fate:
        """Run the experiment to its end, to the deadline, or until another rank has failed."""
        thread = threading.Thread(target=self._perform, args=(backend,), daemon=True)
        bound = time.monotonic() + self._request.allowed_seconds
        broken = False
        thread.start()
        while thread.is_alive() and time.monotonic() < bound:
            thread.join(_LOOK_SECONDS)
            if not broken and self._watching.check([BROKEN]):
                broken = True
                bound = min(bound, time.monotonic() + _GRACE_SECONDS)
        self.fate.log = _stack_of(thread)
        return self.fate

    def _perform(self, backend: str) -> None:
        import torch
        import torch.distributed as dist

        request = self._request
        try:
            if self.rank.device != "cpu":
                torch.cuda.set_device(self.rank.device)
            torch.set_num_threads(1)
            dist.init_process_group(
                backend,
                store=prefixed("world", self._store),
                rank=self.rank.index,
                world_size=self.rank.size,
                timeout=self._patience,
            )
            self.rank.step("joined")
            parameters = request.parameters
            self.fate.outcomes = perform(self.rank, request.experiment, parameters, request.times)
            dist.destroy_process_group()
        except BaseException as error:
            self.fate.raised(summary_of(error), traceback.format_exc(), time.time())
            with suppress(Exception):
                self._watching.set(BROKEN, "")

    def _barrier(self) -> Callable[[], None]:
        """Through the store: `dist.barrier` would leak bytes into the neighbours' windows."""
        store, size, calls = prefixed("barrier", self._store), self._request.ranks, 0

        def meet() -> None:
            nonlocal calls
            calls += 1
            if store.add(f"{calls}/met", 1) == size:
                store.set(f"{calls}/open", "")
            store.wait([f"{calls}/open"], self._patience)

        return meet


def prefixed(prefix: str, store: Store) -> Store:
    """The part of a store whose keys begin with a prefix."""
    from torch._C._distributed_c10d import PrefixStore

    return PrefixStore(prefix, store)


def _stack_of(thread: threading.Thread) -> str:
    """Where a thread stands, innermost frame first as faulthandler has it; empty once it's over."""
    frame = sys._current_frames().get(thread.ident or -1)
    if frame is None:
        return ""
    lines = [
        f'  File "{place.filename}", line {place.lineno} in {place.name}'
        for place in reversed(traceback.extract_stack(frame))
    ]
    return "\n".join(["Thread (most recent call first):", *lines, ""])
