"""The local world: ranks forked from a warm server on this machine.

The parent keeps one socket to the server and one pipe per rank. Everything it waits for has a
deadline, and whatever happens it leaves no process, port or file behind.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from importlib.util import find_spec
from multiprocessing import Pipe, reduction
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import IO, Any

from verify.environment import describe
from verify.errors import NotInstalled, RunFailed
from verify.evidence import Evidence, WorldFacts
from verify.text import Text
from verify.worlds.failure import Fate, explain
from verify.worlds.perform import Outcome, gather
from verify.worlds.request import OnProgress, Progress, Request, ignore
from verify.worlds.timeline import align

_START_SECONDS = 60.0  # importing torch on a cold, busy machine
_GRACE_SECONDS = 0.5  # after a first failure, for the real cause to arrive
_END_SECONDS = 5.0
_SPARE_SECONDS = 30.0  # of a run's deadline, beside what it is expected to take

_NOT_INSTALLED = NotInstalled(
    Text(ja="証明には torch が必要です。", en="Proving needs torch."),
    Text(
        ja="インストール: pip install 'proofdeck[verify]'",
        en="To install it: pip install 'proofdeck[verify]'",
    ),
)


def deadline_of(request: Request) -> float:
    """Seconds after which a run is broken off."""
    return _SPARE_SECONDS + 4 * request.expected_seconds


class LocalWorld:
    """Runs experiments one at a time. Use as a context manager, or call `close`."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._control: Connection | None = None
        self._log: IO[bytes] | None = None
        self._torch: str | None = None
        self._runs = 0
        self._lock = threading.RLock()

    def __enter__(self) -> LocalWorld:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- the server ------------------------------------------------------------------------------

    def warm(self) -> None:
        """Start the server without waiting for it. Raises NotInstalled where torch is missing."""
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                return
            self.close()
            if find_spec("torch") is None:
                raise _NOT_INSTALLED
            ours, theirs = socket.socketpair()
            self._log = tempfile.TemporaryFile()  # noqa: SIM115 # lives as long as the server
            with theirs:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "verify.worlds.server", str(theirs.fileno())],
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=self._log,
                    stderr=self._log,
                    env=_environment(),
                    start_new_session=True,  # Ctrl-C reaches us alone; we end the workers
                )
            self._socket, self._control = ours, Connection(os.dup(ours.fileno()))
            self._torch = None

    def close(self) -> None:
        """End the server and its workers."""
        with self._lock:
            if self._control is not None and self._socket is not None:
                self._control.close()
                self._socket.close()
            if self._process is not None:
                try:
                    self._process.wait(_END_SECONDS)
                except subprocess.TimeoutExpired:
                    self._process.kill()
                    self._process.wait()
            if self._log is not None:
                self._log.close()
            self._process = self._socket = self._control = self._log = None

    def _ready(self) -> Connection:
        """The control connection of a server that has torch loaded."""
        self.warm()
        assert self._control is not None
        if self._torch is None:
            if not self._control.poll(_START_SECONDS):
                self._server_is_gone("it didn't start in time")
            try:
                _, self._torch = json.loads(self._control.recv_bytes())
            except (EOFError, OSError):
                self._server_is_gone("it ended while starting")
        return self._control

    def _server_is_gone(self, how: str) -> None:
        tail = ""
        if self._log is not None and not self._log.closed:
            self._log.seek(0)
            tail = self._log.read()[-4000:].decode(errors="replace")
        self.close()
        last = tail.strip().splitlines()[-1:] or [""]
        raise RunFailed(
            Text(
                ja=f"測定サーバが終了しました({how})。{last[0]}",
                en=f"the worker server is gone: {how}. {last[0]}".strip(),
            ),
            traceback=tail,
        )

    # -- a run -----------------------------------------------------------------------------------

    def run(self, request: Request, progress: OnProgress = ignore) -> Evidence:
        """Run an experiment and return its evidence.

        Raises RunFailed naming the rank and the reason when a rank raises, exits or stalls, and
        NotInstalled without torch.
        """
        with self._lock:
            control = self._ready()
            started, at = time.monotonic(), datetime.now(UTC)
            with _Attempt(self, control, request) as attempt:
                ranks = attempt.collect(progress)
            quantities = gather(request.experiment, request.parameters, ranks)
            return Evidence(
                experiment=request.experiment.name,
                parameters=dict(request.values),
                quantities=quantities,
                world=WorldFacts(request.ranks, 1, "gloo", "cpu", "local"),
                environment=describe(self._torch or "", request.experiment),
                seed=request.seed,
                seconds=time.monotonic() - started,
                at=at.isoformat(timespec="seconds"),
                fault=request.fault,
                timeline=align([rank[-1].spans for rank in ranks]),
            )

    def _send(self, *message: Any) -> None:
        assert self._control is not None
        try:
            self._control.send_bytes(json.dumps(message).encode())
        except OSError:
            self._server_is_gone("it didn't take the job")


class _Attempt:
    """One run's processes, pipes and folder, from launch to the last trace."""

    def __init__(self, world: LocalWorld, control: Connection, request: Request) -> None:
        self._world = world
        self._control = control
        self._request = request
        world._runs += 1
        self._number = world._runs
        self._deadline = deadline_of(request)
        self._folder = tempfile.mkdtemp(prefix="proofdeck-")  # mode 0700
        self._pipes: list[Connection] = []
        self._alive = set(range(request.ranks))
        self._fates = [Fate(rank) for rank in range(request.ranks)]
        self._outcomes: dict[int, list[Outcome]] = {}

    def __enter__(self) -> _Attempt:
        request = self._request
        pairs = [Pipe() for _ in range(request.ranks)]
        self._pipes = [ours for ours, _ in pairs]
        experiment = request.experiment
        try:
            self._world._send(
                "launch",
                self._number,
                {
                    "experiment": f"{experiment.run.__module__}:experiment",
                    "parameters": dict(request.values),
                    "ranks": request.ranks,
                    "repeats": request.times,
                    "seed": request.seed,
                    "fault": request.fault,
                    "folder": self._folder,
                    "deadline": self._deadline,
                    "path": sys.path,
                },
            )
            assert self._world._socket is not None
            reduction.sendfds(self._world._socket, [theirs.fileno() for _, theirs in pairs])
        except BaseException:
            self._clear()
            raise
        finally:
            for _, theirs in pairs:
                theirs.close()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            bound = time.monotonic() + _END_SECONDS
            if len(self._outcomes) < self._request.ranks:
                self._kill()
            while self._alive and time.monotonic() < bound:
                if self._control.poll(0.5):
                    self._hear_server()
                elif len(self._outcomes) == self._request.ranks:
                    self._kill()  # has delivered but doesn't end
            self._world._send("forget", self._number)
        finally:
            self._clear()

    def _clear(self) -> None:
        for pipe in self._pipes:
            pipe.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _kill(self) -> None:
        with suppress(RunFailed):
            self._world._send("kill", self._number)

    def collect(self, progress: OnProgress) -> list[list[Outcome]]:
        """Every rank's outcomes, in rank order. Raises RunFailed."""
        bound = time.monotonic() + self._deadline
        listening = dict(zip(self._pipes, range(self._request.ranks), strict=True))
        while len(self._outcomes) < self._request.ranks:
            ready = wait([*listening, self._control], max(0.0, bound - time.monotonic()))
            if not ready:
                self._fail(late=True)
            for source in ready:
                if source is self._control:
                    self._hear_server()
                elif not self._hear_rank(listening[source], source, progress):  # type: ignore[index, arg-type] # wait() is typed for any waitable
                    del listening[source]  # type: ignore[arg-type]
            if any(fate.failed for fate in self._fates):
                bound = min(bound, time.monotonic() + _GRACE_SECONDS)
                if not any(rank in self._alive for rank in listening.values()):
                    self._fail(late=False)
                if time.monotonic() >= bound - _GRACE_SECONDS / 10:
                    self._fail(late=False)
        return [self._outcomes[rank] for rank in range(self._request.ranks)]

    def _hear_server(self) -> None:
        try:
            _, number, rank, code = json.loads(self._control.recv_bytes())
        except (EOFError, OSError):
            self._world._server_is_gone("it ended during a run")
        if number == self._number:
            self._alive.discard(rank)
            self._fates[rank].ended(code, delivered=rank in self._outcomes)

    def _hear_rank(self, rank: int, pipe: Connection, progress: OnProgress) -> bool:
        """Take one message; False when the pipe has closed."""
        try:
            kind, *content = pipe.recv()
        except (EOFError, OSError):
            return False
        if kind == "step":
            self._fates[rank].reached(content[0])
            progress(Progress(rank, self._request.ranks, content[0]))
        elif kind == "raised":
            self._fates[rank].raised(*content)
        elif kind == "outcomes":
            self._outcomes[rank] = content[0]
        return True

    def _fail(self, *, late: bool) -> None:
        traces = ""
        if late and not any(fate.failed for fate in self._fates):
            self._world._send("dump", self._number)
            time.sleep(0.2)  # for the stacks to be written
        from verify.worlds.failure import read_log

        for fate in self._fates:
            fate.log = read_log(Path(self._folder) / f"rank-{fate.rank}.log")
        raise explain(self._fates, set(self._outcomes), self._deadline if late else None, traces)


def _environment() -> dict[str, str]:
    """The server's environment: loopback only, one thread, nothing inherited that changes gloo."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GLOO_", "TORCH_", "MASTER_", "OMP_", "KMP_", "MKL_"))
    }
    loopback = "lo0" if platform.system() == "Darwin" else "lo"
    return kept | {
        "GLOO_SOCKET_IFNAME": loopback,
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
        "PYTHONSAFEPATH": "1",
    }
