"""The parent's hold on its warm server: start it, speak to it, end it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import verify
from verify.errors import NotInstalled, RunFailed
from verify.text import Text, printable, verbatim
from verify.units import GiB
from verify.worlds.channel import channel_pair

_START_SECONDS = 180.0  # importing torch on a cold disk, or at a load of twenty
_END_SECONDS = 5.0
_SILENCE_SECONDS = 5.0  # in the middle of a message

# Page faults were a third of a short run: large buffers come in huge pages and are used again.
_MEMORY = {
    "THP_MEM_ALLOC_ENABLE": "1",  # of torch
    "MALLOC_MMAP_THRESHOLD_": str(GiB),  # of glibc, in bytes
    "MALLOC_TRIM_THRESHOLD_": str(GiB),
}
# Anything here would change how gloo, torch or OpenMP behave.
_NOT_INHERITED = ("GLOO_", "TORCH_", "TORCHELASTIC_", "MASTER_", "OMP_", "KMP_", "MKL_")

_SLOW = Text(ja="時間内に起動しませんでした", en="it didn't start in time")
_UNBORN = Text(ja="起動の途中で終了しました", en="it ended while starting")
_DEAF = Text(ja="仕事を受け取りませんでした", en="it didn't take the job")
_LOST = Text(ja="実行の途中で終了しました", en="it ended during a run")


class WarmServer:
    """One server process. Starting doesn't wait for it; `ready` does."""

    def __init__(self) -> None:
        """Raises NotInstalled where torch is missing."""
        if find_spec("torch") is None:
            raise NotInstalled(
                Text(ja="証明には torch が必要です。", en="Proving needs torch."),
                Text(
                    ja="インストール: pip install 'proofdeck[verify]'",
                    en="To install it: pip install 'proofdeck[verify]'",
                ),
            )
        self.control, theirs = channel_pair()
        self.control.give_up_after(_SILENCE_SECONDS)
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 # lives as long as the server
        self._torch: str | None = None
        handle = theirs.fileno()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "verify.worlds.server", str(handle), str(os.getpid())],
                pass_fds=[handle],
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                env=environment_for_server(os.environ),
                start_new_session=True,  # Ctrl-C reaches us alone; we end the workers
            )
        finally:
            theirs.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ready(self) -> str:
        """Wait until torch is loaded; its version. Raises RunFailed."""
        if self._torch is None:
            if not self.within(_START_SECONDS):
                raise self._gone(_SLOW)
            _, self._torch = self.hear(_UNBORN)
        return str(self._torch)

    def within(self, seconds: float) -> bool:
        """Whether the server says something, or ends, within that time."""
        return bool(wait([self.control.fileno()], max(0.0, seconds)))

    def hear(self, otherwise: Text = _LOST) -> tuple[Any, ...]:
        """The server's next message. Raises RunFailed where there is none."""
        try:
            message: tuple[Any, ...] = self.control.receive()
        except (EOFError, OSError) as error:
            raise self._gone(otherwise) from error
        return message

    def tell(self, *order: object, handles: tuple[int, ...] = ()) -> None:
        """Give an order. Raises RunFailed when nobody takes it."""
        try:
            self.control.send(order, handles)
        except OSError as error:
            raise self._gone(_DEAF) from error

    def end(self) -> None:
        """End the server and its workers. Any thread may call it; one that waits hears of it."""
        self.control.shut()
        if self._torch is None:
            self._process.kill()  # still importing: it has nothing to tidy up
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def release(self) -> None:
        """Close what is open here, once nobody waits any more."""
        self.end()
        self.control.close()
        self._log.close()

    def _gone(self, how: Text) -> RunFailed:
        self.end()
        self._log.seek(0)
        tail = self._log.read()[-4000:].decode(errors="replace").strip()
        last = printable(tail.splitlines()[-1][:300]) if tail else ""
        return RunFailed(
            Text(
                ja=f"測定サーバが使えません（{how.ja}）。",
                en=f"the worker server is gone: {how.en}.",
            ),
            verbatim(last) if last else None,
            traceback=tail,
        )


def environment_for_server(inherited: Mapping[str, str]) -> dict[str, str]:
    """Loopback only, one thread, the parent's import path, and nothing that changes gloo."""
    kept = {k: v for k, v in inherited.items() if not k.startswith(_NOT_INHERITED)}
    home = str(Path(verify.__file__ or "").parents[1])
    return (
        kept
        | _MEMORY
        | {
            "GLOO_SOCKET_IFNAME": "lo0" if sys.platform == "darwin" else "lo",
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": os.pathsep.join([*map(os.path.abspath, sys.path), home]),
            "PYTHONSAFEPATH": "1",
        }
    )
