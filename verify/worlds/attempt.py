"""One run on the warm server: its processes, channels and folder, from launch to the last trace."""

from __future__ import annotations

import selectors
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

from verify.errors import RunFailed
from verify.worlds.channel import Channel, channel_pair
from verify.worlds.failure import Fate, explain, read_log
from verify.worlds.job import job_of
from verify.worlds.outcome import Outcome
from verify.worlds.request import OnProgress, Progress, Request, ignore
from verify.worlds.warm import WarmServer

_GRACE_SECONDS = 0.5  # after a first failure or the deadline, for what is under way to arrive
_LEAVE_SECONDS = 0.5  # for a rank to end once all have delivered
_END_SECONDS = 5.0  # for the server to end the ranks
_STACK_SECONDS = 1.0  # for stalled ranks to write their stacks
_SILENCE_SECONDS = 5.0  # in the middle of a message


class Attempt:
    """A context manager around one run. Whatever happens, no process, socket or file is left."""

    def __init__(self, server: WarmServer, request: Request) -> None:
        """Raises UsageError where a worker couldn't find the experiment."""
        self._server = server
        self._folder = tempfile.mkdtemp(prefix="proofdeck-")  # mode 0700
        try:
            self._job = job_of(request, self._folder)
        except BaseException:
            self._remove_folder()
            raise
        self._fates = [Fate(rank) for rank in range(self._job.ranks)]
        self._alive: set[int] = set()
        self._channels: list[Channel] = []
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> Self:
        theirs: list[Channel] = []
        try:
            self._selector.register(self._server.control, selectors.EVENT_READ)
            for rank in range(self._job.ranks):
                our_end, their_end = channel_pair()
                our_end.give_up_after(_SILENCE_SECONDS)
                self._channels.append(our_end)
                theirs.append(their_end)
                self._selector.register(our_end, selectors.EVENT_READ, rank)
            self._alive = set(range(self._job.ranks))
            handles = tuple(end.fileno() for end in theirs)
            self._server.tell("launch", self._job, handles=handles)
        except BaseException:
            self.__exit__()
            raise
        finally:
            for end in theirs:
                end.close()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            with suppress(RunFailed):  # the server is gone, and its workers with it
                self._end_ranks()
        finally:
            if self._alive:
                self._server.end()
            self._selector.close()
            for channel in self._channels:
                channel.close()
            self._remove_folder()

    def outcomes(self, progress: OnProgress) -> list[list[Outcome]]:
        """Every rank's outcomes, in rank order. Raises RunFailed."""
        bound = time.monotonic() + self._job.deadline
        closing = False  # a rank has failed or time is up: hear what is under way, then explain
        while not self._complete:
            if not self._alive:
                raise self._explain()
            heard = self._listen(bound - time.monotonic(), progress)
            over = not heard or time.monotonic() >= bound
            if over and closing:
                raise self._explain()
            if not closing and (over or any(fate.failed for fate in self._fates)):
                closing, progress = True, ignore
                bound = time.monotonic() + _GRACE_SECONDS
        return [fate.outcomes or [] for fate in self._fates]

    @property
    def _complete(self) -> bool:
        return all(fate.outcomes is not None for fate in self._fates)

    def _listen(self, seconds: float, progress: OnProgress) -> bool:
        """Take what has been said by then; whether anything was."""
        heard = self._selector.select(max(0.0, seconds))
        # Ranks first: what a rank delivered counts although it has ended since.
        for key, _ in sorted(heard, key=lambda pair: pair[0].data is None):
            if key.data is None:
                self._hear_server()
            else:
                self._hear_rank(key.data, progress)
        return bool(heard)

    def _hear_server(self) -> None:
        _, rank, code = self._server.hear()
        while self._channels[rank].fileno() in self._selector.get_map():
            self._hear_rank(rank, lambda _: None)  # its last words, up to the end of the stream
        self._alive.discard(rank)
        self._fates[rank].ended(code, time.monotonic())

    def _hear_rank(self, rank: int, progress: OnProgress) -> None:
        fate = self._fates[rank]
        try:
            kind, *content = self._channels[rank].receive()
        except (EOFError, OSError):
            self._selector.unregister(self._channels[rank])
            return
        if kind == "step":
            fate.reached(*content)
            progress(Progress(rank, self._job.ranks, *content))
        elif kind == "raised":
            summary, traceback = content
            fate.raised(summary, traceback, time.monotonic())
        elif kind == "outcomes":
            (fate.outcomes,) = content

    def _explain(self) -> RunFailed:
        if not any(fate.failed for fate in self._fates):
            self._ask_for_stacks()
        for fate in self._fates:
            fate.log = read_log(self._job.log(fate.rank))
        return explain(self._fates, self._job.deadline)

    def _ask_for_stacks(self) -> None:
        logs = [self._job.log(fate.rank) for fate in self._fates if fate.outcomes is None]
        before = [_size(log) for log in logs]
        self._server.tell("dump")
        bound = time.monotonic() + _STACK_SECONDS
        while time.monotonic() < bound:
            time.sleep(0.05)  # also for the one that writes last to finish
            if all(_size(log) > size for log, size in zip(logs, before, strict=True)):
                return

    def _end_ranks(self) -> None:
        if self._complete and self._all_ended(_LEAVE_SECONDS):
            return
        self._server.tell("kill")
        self._all_ended(_END_SECONDS)

    def _all_ended(self, seconds: float) -> bool:
        bound = time.monotonic() + seconds
        while self._alive and self._server.within(bound - time.monotonic()):
            _, rank, _ = self._server.hear()
            self._alive.discard(rank)
        return not self._alive

    def _remove_folder(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
