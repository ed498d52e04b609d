"""The local world: ranks forked from a warm server on this machine, or one that counts for many.

Everything it waits for has a deadline, and whatever happens it leaves no process, port or file
behind.
"""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime

from verify.environment import describe
from verify.evidence import Evidence, WorldFacts
from verify.worlds.attempt import Attempt
from verify.worlds.perform import curves, gather
from verify.worlds.request import OnProgress, Request, ignore
from verify.worlds.timeline import align
from verify.worlds.warm import WarmServer


class LocalWorld:
    """Runs experiments one at a time. Use as a context manager, or call `close`.

    Any thread may call any method: `run` waits for its turn, `warm` waits for nothing, and `close`
    breaks off a run that another thread waits for, which then raises RunFailed.
    """

    def __init__(self) -> None:
        self._server: WarmServer | None = None
        self._lock = threading.Lock()  # around `_server`, for moments
        self._turn = threading.Lock()  # around a whole run

    def __enter__(self) -> LocalWorld:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def warm(self) -> None:
        """Start the server without waiting for it. Raises NotInstalled where torch is missing."""
        self._started()

    def _started(self) -> WarmServer:
        with self._lock:
            if self._server is None or not self._server.alive:
                if self._server is not None:
                    self._server.release()
                self._server = WarmServer()
            return self._server

    def run(self, request: Request, progress: OnProgress = ignore) -> Evidence:
        """Run an experiment and return its evidence.

        Raises RunFailed naming the rank and the reason when a rank raises, exits or stalls, and
        NotInstalled without torch.
        """
        with self._turn:
            server = self._started()
            torch_version = server.ready()
            started, at = time.monotonic(), datetime.now(UTC)
            with Attempt(server, request) as attempt:
                ranks = attempt.outcomes(progress)
            return Evidence(
                experiment=request.experiment.name,
                parameters=dict(request.values),
                quantities=gather(request.experiment, request.parameters, ranks),
                world=_facts(request),
                environment=describe(torch_version, request.experiment),
                seed=request.seed,
                seconds=time.monotonic() - started,
                at=at.isoformat(timespec="seconds"),
                fault=request.fault,
                timeline=align([rank[-1].spans for rank in ranks]),
                curves=curves(ranks),
            )

    def close(self) -> None:
        """End the server and its workers."""
        with self._lock:
            server, self._server = self._server, None
        if server is not None:
            server.end()
            with self._turn:  # whoever still waited has heard by now
                server.release()


def _facts(request: Request) -> WorldFacts:
    if request.counts_only:
        return WorldFacts(request.ranks, 1, "fake", "meta", "fake")
    return WorldFacts(request.ranks, 1, "gloo", "cpu", "local")
