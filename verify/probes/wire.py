"""The wire probe: bytes that the kernel says this rank sent and received, per peer.

Unprivileged and in-process: walk /proc/self/fd, ask TCP_INFO of each established TCP socket. What
was sent is `tcpi_bytes_sent − tcpi_bytes_retrans` (loopback does retransmit; `acked` lags by tens
of milliseconds). The total is cross-checked against `wchar` of /proc/self/io, which counts the same
bytes at the system call. Field offsets: linux/include/uapi/linux/tcp.h, struct tcp_info.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from verify.quantities import Reading, Readings, Source, Unmeasured
from verify.text import Text

Endpoint = tuple[str, int]  # address, port
Connection = tuple[Endpoint, Endpoint]  # ours, theirs

_ESTABLISHED = 1
_TCP_INFO_LENGTH = 216  # up to and with bytes_retrans; older kernels return less
_RECEIVED, _SENT, _RETRANSMITTED = 128, 200, 208
_QUIET_SECONDS = 0.02
_QUIET_DEADLINE = 5.0

_NO_KERNEL_COUNTERS = Text(
    ja="この OS のカーネルは TCP 接続ごとの送信量を教えてくれません(Linux 4.19 以降が必要です)。",
    en="this system's kernel doesn't tell what each TCP connection sent (Linux 4.19+ does).",
)
_COUNTERS_DISAGREE = Text(
    ja="カーネルの 2 つの計数器が食い違いました(TCP_INFO {tcp} B、wchar {wchar} B)。",
    en="two counters of the kernel disagree (TCP_INFO {tcp} B, wchar {wchar} B).",
)


@dataclass(frozen=True, slots=True)
class Counters:
    """Bytes sent (less retransmitted) and received on each connection, and wchar, at one moment."""

    connections: Mapping[Connection, tuple[int, int]]
    wchar: int


def _endpoint(address: Any) -> Endpoint:
    host = str(address[0]).removeprefix("::ffff:")
    return host, int(address[1])


def read_counters() -> Counters:
    """Ask the kernel now. Raises OSError where it can't tell."""
    connections: dict[Connection, tuple[int, int]] = {}
    for entry in os.listdir("/proc/self/fd"):
        try:
            handle = socket.socket(fileno=os.dup(int(entry)))
        except OSError:
            continue  # not a socket, or gone since
        with handle:
            if handle.family not in (socket.AF_INET, socket.AF_INET6):
                continue
            if handle.type != socket.SOCK_STREAM:
                continue
            information = handle.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
            if information[0] != _ESTABLISHED:
                continue
            if len(information) < _TCP_INFO_LENGTH:
                raise OSError("TCP_INFO is too short")
            received, sent, again = (
                struct.unpack_from("=Q", information, offset)[0]
                for offset in (_RECEIVED, _SENT, _RETRANSMITTED)
            )
            try:
                ends = _endpoint(handle.getsockname()), _endpoint(handle.getpeername())
            except OSError:
                continue  # closed by the peer between the two calls
            connections[ends] = (sent - again, received)
    return Counters(connections, _wchar())


def _wchar() -> int:
    text = Path("/proc/self/io").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("wchar"))


@dataclass
class Window:
    """What passed between entering and leaving. Read it after the window has closed."""

    sent: tuple[int, ...] = ()  # bytes to each rank
    received: tuple[int, ...] = ()  # bytes from each rank
    connections: Mapping[Connection, tuple[int, int]] = field(default_factory=dict)
    unmeasured: Unmeasured | None = None

    def readings(self, prefix: str = "wire", *, matrix: bool = True) -> Readings:
        """`wire_sent`, `wire_received` and this rank's row of `wire_matrix`."""
        names = [f"{prefix}_sent", f"{prefix}_received", *([f"{prefix}_matrix"] if matrix else [])]
        if self.unmeasured is not None:
            return dict.fromkeys(names, self.unmeasured)
        values = (sum(self.sent), sum(self.received), self.sent)
        return {
            name: Reading(value, Source.MEASURED)
            for name, value in zip(names, values, strict=False)
        }


class Wire:
    """The probe of one rank. Opening and closing a window are collective: every rank takes part."""

    def __init__(
        self,
        rank: int,
        size: int,
        barrier: Callable[[], None],
        exchange: Callable[[Any], list[Any]],
    ) -> None:
        self._rank = rank
        self._size = size
        self._barrier = barrier
        self._exchange = exchange

    @contextmanager
    def window(self) -> Iterator[Window]:
        """Count what passes inside. Nothing but torch.distributed may write inside a window."""
        window = Window()
        if not sys.platform.startswith("linux"):
            window.unmeasured = Unmeasured(_NO_KERNEL_COUNTERS)
            yield window
            return
        before = self._quiet()
        yield window
        after = self._quiet()
        self._settle(window, before, after)

    def _quiet(self) -> Counters:
        """All ranks idle, counters final: barrier, poll until still, barrier, read, barrier."""
        self._barrier()
        last, since = read_counters().connections, time.monotonic()
        bound = since + _QUIET_DEADLINE
        while time.monotonic() - since < _QUIET_SECONDS and time.monotonic() < bound:
            time.sleep(0.004)
            now = read_counters().connections
            if now != last:
                last, since = now, time.monotonic()
        self._barrier()
        counters = read_counters()
        self._barrier()
        return counters

    def _settle(self, window: Window, before: Counters, after: Counters) -> None:
        passed = {
            ends: tuple(
                a - b for a, b in zip(now, before.connections.get(ends, (0, 0)), strict=True)
            )
            for ends, now in after.connections.items()
        }
        # Every rank must know whose socket is at the other end; sockets without a rank there (the
        # store of torchrun, say) drop out.
        ends = [[list(a), list(b)] for a, b in passed]
        owner = {
            (tuple(ours), tuple(theirs)): rank
            for rank, listed in enumerate(self._exchange(ends))
            for ours, theirs in listed
        }
        sent, received = [0] * self._size, [0] * self._size
        window.connections = {}
        peers: dict[Connection, tuple[int, int]] = {}
        for (ours, theirs), (out, into) in passed.items():
            peer = owner.get((theirs, ours))
            if peer is None or peer == self._rank:
                continue
            sent[peer] += out
            received[peer] += into
            peers[ours, theirs] = (out, into)
        window.sent, window.received, window.connections = tuple(sent), tuple(received), peers
        written = after.wchar - before.wchar
        if written != sum(sent):
            reason = _COUNTERS_DISAGREE.fill(tcp=sum(sent), wchar=written)
            window.unmeasured = Unmeasured(reason)
