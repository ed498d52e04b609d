"""The warm server: a small process that has torch loaded and forks the workers of each run.

Importing torch costs seconds, forking a process that has it costs milliseconds. The server obeys
one parent over one socket, does one run at a time, and ends with its workers and their files when
that socket closes or its parent changes: one of the two happens however the parent ends.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import pkgutil
import shutil
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.synchronize import Barrier
from typing import Never

from verify.worlds.channel import Channel
from verify.worlds.job import Job

_LOOK_SECONDS = 0.5  # between looks at who our parent is
_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of linux/prctl.h


class Server:
    """One thread, one loop: requests from the parent, deaths of workers."""

    def __init__(self, control: Channel, parent: int) -> None:
        self._control = control
        self._parent = parent
        self._workers: dict[int, int] = {}  # process id -> rank
        self._folder: str | None = None
        self._deaths, self._wake = socket.socketpair()
        for end in (self._deaths, self._wake):
            end.setblocking(False)
        signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> None:
        """Until the parent is gone."""
        try:
            while os.getppid() == self._parent:
                ready = wait([self._control.fileno(), self._deaths.fileno()], _LOOK_SECONDS)
                if self._deaths.fileno() in ready:
                    self._reap()
                if self._control.fileno() in ready:
                    self._obey(*self._control.receive())
        except (EOFError, ConnectionError):
            return
        finally:
            self._kill(signal.SIGKILL)
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)

    def _obey(self, order: str, job: Job | None = None) -> None:
        if order == "launch" and job is not None:
            self._launch(job)
        elif order == "kill":
            self._kill(signal.SIGKILL)
        elif order == "dump":
            self._kill(signal.SIGUSR1)

    def _launch(self, job: Job) -> None:
        self._folder = job.folder
        ends = [socket.socket(fileno=handle) for handle in self._control.receive_handles(job.ranks)]
        barrier = _barrier(job.ranks)
        server = os.getpid()
        for rank in range(job.ranks):
            if (pid := os.fork()) == 0:
                self._become_worker(job, rank, ends, barrier, server)
            self._workers[pid] = rank
        for end in ends:
            end.close()

    def _become_worker(
        self, job: Job, rank: int, ends: list[socket.socket], barrier: Barrier, server: int
    ) -> Never:
        from verify.worlds.worker import work

        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            _end_with_server(server)
            self._control.close()
            for end in (self._deaths, self._wake, *ends[:rank], *ends[rank + 1 :]):
                end.close()
            work(job, rank, Channel(ends[rank]), barrier)
        finally:
            os._exit(1)

    def _kill(self, how: signal.Signals) -> None:
        for pid in self._workers:
            os.kill(pid, how)  # not yet waited for, so the number is still theirs

    def _reap(self) -> None:
        with suppress(BlockingIOError):
            self._deaths.recv(4096)
        while self._workers:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            rank = self._workers.pop(pid)
            self._control.send(("exited", rank, os.waitstatus_to_exitcode(status)))


def _barrier(ranks: int) -> Barrier:
    try:
        return get_context("fork").Barrier(ranks)
    except OSError as error:
        where = f"/dev/shm, where ranks share memory, can't be used: {error.strerror}"
        raise OSError(error.errno, where) from error


def _end_with_server(server: int) -> None:
    """Where the kernel can: have it kill this worker when the server ends, even by a kill."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != server:
            os._exit(1)


@contextmanager
def _ending_with(parent: int) -> Iterator[None]:
    """Exit when the parent goes while this process is busy importing.

    The thread is gone again before anything is forked.
    """
    done = threading.Event()

    def look() -> None:
        while not done.wait(_LOOK_SECONDS):
            if os.getppid() != parent:
                os._exit(1)

    watch = threading.Thread(target=look)
    watch.start()
    try:
        yield
    finally:
        done.set()
        watch.join()


def _load() -> str:
    """Import torch and what experiments import, so that no worker has to; torch's version."""
    import torch

    import verify.parallel
    import verify.worlds.worker

    torch.set_num_threads(1)
    for module in pkgutil.iter_modules(verify.parallel.__path__):
        with suppress(Exception):  # the experiment that needs it will say what is wrong with it
            importlib.import_module(f"verify.parallel.{module.name}")
    gc.collect()
    gc.freeze()  # else a collection in a worker would touch, and so copy, all of it
    return str(torch.__version__)


def _leave(*_: object) -> Never:
    raise SystemExit(1)


def main() -> None:
    """Entry of the server process: its socket's descriptor and its parent's id are given."""
    control, parent = Channel(socket.socket(fileno=int(sys.argv[1]))), int(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    signal.signal(signal.SIGTERM, _leave)  # tidily
    with _ending_with(parent):
        version = _load()
    server = Server(control, parent)
    with suppress(ConnectionError):
        control.send(("ready", version))
        server.serve()
    os._exit(0)  # an orderly shutdown of torch takes longer than the rest


if __name__ == "__main__":
    main()
