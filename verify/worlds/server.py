"""The warm server: a small process that has torch loaded and forks the workers of each run.

Importing torch costs seconds, forking a process that has it costs milliseconds. The server obeys
one parent over one socket and ends, with all its workers and files, when that socket closes:
however the parent ends, the kernel closes it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context, reduction
from multiprocessing.connection import Connection, wait
from typing import Any


@dataclass
class _Run:
    folder: str
    workers: dict[int, int] = field(default_factory=dict)  # pid -> rank


class Server:
    """One thread, one loop: requests from the parent, deaths of workers."""

    def __init__(self, control: socket.socket) -> None:
        self._socket = control
        self._control = Connection(os.dup(control.fileno()))
        self._runs: dict[int, _Run] = {}
        self._deaths, wake = socket.socketpair()
        for end in (self._deaths, wake):
            end.setblocking(False)
        self._wake = wake
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> None:
        """Until the parent is gone."""
        try:
            while True:
                for ready in wait([self._control, self._deaths]):
                    if ready is self._deaths:
                        with suppress(BlockingIOError):
                            self._deaths.recv(4096)
                        self._reap()
                    else:
                        self._obey(json.loads(self._control.recv_bytes()))
        except (EOFError, OSError):
            pass
        finally:
            for number in list(self._runs):
                self._kill(number, signal.SIGKILL)
            for run in self._runs.values():
                shutil.rmtree(run.folder, ignore_errors=True)

    def tell(self, *message: Any) -> None:
        self._control.send_bytes(json.dumps(message).encode())

    def _obey(self, message: list[Any]) -> None:
        request, number = message[0], message[1]
        if request == "launch":
            self._launch(number, message[2])
        elif request == "kill":
            self._kill(number, signal.SIGKILL)
        elif request == "dump":
            self._kill(number, signal.SIGUSR1)
        elif request == "forget":
            self._runs.pop(number, None)

    def _launch(self, number: int, job_fields: dict[str, Any]) -> None:
        from verify.worlds.worker import Job, work

        job = Job(**job_fields)
        handles = reduction.recvfds(self._socket, job.ranks)
        barrier = get_context("fork").Barrier(job.ranks)
        run = self._runs[number] = _Run(job.folder)
        for rank in range(job.ranks):
            pid = os.fork()
            if pid == 0:
                self._become_worker(handles, rank, lambda end, r=rank: work(job, r, end, barrier))
            run.workers[pid] = rank
        for handle in handles:
            os.close(handle)

    def _become_worker(
        self, handles: list[int], rank: int, work: Callable[[Connection], None]
    ) -> None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._control.close()
        for end in (self._socket, self._deaths, self._wake):
            end.close()
        for other, handle in enumerate(handles):
            if other != rank:
                os.close(handle)
        work(Connection(handles[rank]))

    def _kill(self, number: int, how: signal.Signals) -> None:
        run = self._runs.get(number)
        for pid in run.workers if run else ():
            os.kill(pid, how)  # not yet waited for, so the number is still theirs

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            for number, run in self._runs.items():
                if pid in run.workers:
                    rank = run.workers.pop(pid)
                    self.tell("exited", number, rank, os.waitstatus_to_exitcode(status))


def main() -> None:
    """Entry of the server process: the socket's descriptor is the first argument."""
    control = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    server = Server(control)
    import torch

    import verify.worlds.worker  # noqa: F401 # what every worker needs, loaded once

    torch.set_num_threads(1)
    server.tell("ready", torch.__version__)
    _preload()
    server.serve()


def _preload() -> None:
    """Load what experiments import, so that no worker has to."""
    import importlib
    import pkgutil

    import verify.parallel

    for module in pkgutil.iter_modules(verify.parallel.__path__):
        importlib.import_module(f"verify.parallel.{module.name}")


if __name__ == "__main__":
    main()
