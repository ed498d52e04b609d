"""The wire probe: bytes that the kernel says this rank sent and received, per peer.

Unprivileged and in-process: walk /proc/self/fd, ask TCP_INFO of each established TCP socket. What
was sent is `tcpi_bytes_sent − tcpi_bytes_retrans` (loopback does retransmit; `acked` lags by tens
of milliseconds). Two checks guard every window: what a rank sent in all equals `wchar` of
/proc/self/io, which counts the same bytes at the system call, and what it received on a connection
equals what its peer sent there. Where either fails, or the kernel can't tell, the window is
unmeasured, with the reason. Field offsets: linux/include/uapi/linux/tcp.h, struct tcp_info.
"""

from __future__ import annotations

import os
import socket
import struct
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
Traffic = tuple[int, int]  # bytes sent, bytes received

_ESTABLISHED = 1
_TCP_INFO_LENGTH = 216  # up to and with bytes_retrans (Linux 4.19); older kernels return less
_RECEIVED, _SENT, _RETRANSMITTED = 128, 200, 208
_QUIET_SECONDS = 0.02  # bytes_sent was seen to lag by 6 ms
_POLL_SECONDS = 0.004
_QUIET_DEADLINE = 5.0

NO_COUNTERS = Text(
    ja="この OS のカーネルからは TCP 接続ごとの送受信量を読み取れません"
    "（Linux 4.19 以降が必要です）。",
    en="this system's kernel doesn't tell what each TCP connection sent (Linux 4.19+ does).",
)
NOT_TCP = Text(
    ja="この通信は TCP を通らないため、カーネルの計数器に現れません（NCCL など）。",
    en="this traffic doesn't pass through TCP (NCCL, say), so the kernel's counters don't see it.",
)
_SENT_DISAGREES = Text(
    ja="カーネルの二つの計数器が食い違いました（TCP_INFO {tcp} B、wchar {wchar} B）。",
    en="two counters of the kernel disagree (TCP_INFO {tcp} B, wchar {wchar} B).",
)
_RECEIVED_DISAGREES = Text(
    ja="受信側と送信側の計数器が食い違いました（受信 {received} B、送信 {sent} B）。",
    en="receiver and sender disagree ({received} B received, {sent} B sent).",
)


@dataclass(frozen=True, slots=True)
class Counters:
    """Bytes sent (less retransmitted) and received on each connection, and wchar, at one moment."""

    connections: Mapping[Connection, Traffic]
    wchar: int


def read_counters() -> Counters:
    """Ask the kernel now. Raises OSError where it can't tell."""
    return Counters(_connections(), _wchar())


def _connections() -> dict[Connection, Traffic]:
    found: dict[Connection, Traffic] = {}
    for handle in _sockets():
        if handle.family not in (socket.AF_INET, socket.AF_INET6):
            continue
        if handle.type != socket.SOCK_STREAM:
            continue
        information = handle.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
        if information[0] != _ESTABLISHED:
            continue
        try:
            ends = _endpoint(handle.getsockname()), _endpoint(handle.getpeername())
        except OSError:
            continue  # closed by the peer between the two calls
        found[ends] = parse_tcp_info(information)
    return found


def parse_tcp_info(information: bytes) -> Traffic:
    """Bytes sent once and bytes received. Raises OSError where the kernel told less."""
    if len(information) < _TCP_INFO_LENGTH:
        raise OSError(f"TCP_INFO has {len(information)} bytes, {_TCP_INFO_LENGTH} are needed")
    received, sent, again = (
        struct.unpack_from("=Q", information, offset)[0]
        for offset in (_RECEIVED, _SENT, _RETRANSMITTED)
    )
    return sent - again, received


def _sockets() -> Iterator[socket.socket]:
    """A duplicate of each socket that this process holds, closed again after its turn."""
    for entry in Path("/proc/self/fd").iterdir():
        try:
            if not entry.readlink().name.startswith("socket:"):
                continue
            copy = os.dup(int(entry.name))
        except OSError:
            continue  # closed since it was listed
        try:
            handle = socket.socket(fileno=copy)
        except OSError:
            os.close(copy)
            continue
        with handle:
            yield handle


def _endpoint(address: Any) -> Endpoint:
    host = str(address[0]).removeprefix("::ffff:")  # IPv4 on an IPv6 socket
    return host, int(address[1])


def _wchar() -> int:
    text = Path("/proc/self/io").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("wchar"))


@dataclass
class Window:
    """What passed between entering and leaving. Read it after the window has closed."""

    sent: tuple[int, ...] = ()  # bytes to each rank
    received: tuple[int, ...] = ()  # bytes from each rank
    connections: Mapping[Connection, Traffic] = field(default_factory=dict)
    unmeasured: Unmeasured | None = None
    sent_by_axis: Mapping[str, int] = field(default_factory=dict)  # of the axes that have a label

    def __add__(self, other: Window) -> Window:
        """What passed in both."""
        return Window(
            tuple(a + b for a, b in zip(self.sent, other.sent, strict=False)),
            tuple(a + b for a, b in zip(self.received, other.received, strict=False)),
            {
                ends: _plus(self.connections.get(ends, (0, 0)), other.connections.get(ends, (0, 0)))
                for ends in {**self.connections, **other.connections}
            },
            self.unmeasured or other.unmeasured,
            {
                axis: self.sent_by_axis.get(axis, 0) + other.sent_by_axis.get(axis, 0)
                for axis in {**self.sent_by_axis, **other.sent_by_axis}
            },
        )

    def readings(self, prefix: str = "wire", *, matrix: bool = True) -> Readings:
        """`wire_sent`, `wire_received` and this rank's row of `wire_matrix`, in bytes."""
        readings = {
            f"{prefix}_sent": self.reading(sum(self.sent)),
            f"{prefix}_received": self.reading(sum(self.received)),
        }
        return readings | ({f"{prefix}_matrix": self.reading(self.sent)} if matrix else {})

    def reading_along(self, axis: str) -> Reading | Unmeasured:
        """Bytes sent over the connections of one axis; see `Wire.label`."""
        return self.reading(self.sent_by_axis.get(axis, 0))

    def reading(self, value: Any) -> Reading | Unmeasured:
        """A value drawn from this window, or why there is none."""
        return self.unmeasured or Reading(value, Source.MEASURED)


def _plus(a: Traffic, b: Traffic) -> Traffic:
    return a[0] + b[0], a[1] + b[1]


class Wire:
    """The probe of one rank. Opening and closing a window are collective: every rank takes part.

    `barrier` and `exchange` may not pass through the connections that are counted. `unseen` says
    why this world's traffic is beyond the kernel's counters, where it is.
    """

    def __init__(
        self,
        rank: int,
        size: int,
        barrier: Callable[[], None],
        exchange: Callable[[Any], list[Any]],
        unseen: Text | None = None,
    ) -> None:
        self._rank = rank
        self._size = size
        self._barrier = barrier
        self._exchange = exchange
        self._unseen = unseen
        self._axes: dict[Connection, str] = {}
        self._unlabelled: Unmeasured | None = None  # why a label isn't to be trusted

    @contextmanager
    def window(self) -> Iterator[Window]:
        """Count what passes inside. Nothing but torch.distributed may write inside a window."""
        window = Window()
        if self._unseen is not None:
            window.unmeasured = Unmeasured(self._unseen)
            yield window
            return
        before = self._quiet()
        yield window
        after = self._quiet()
        self._settle(window, before, after)

    def label(self, axis: str, talk: Callable[[], None]) -> None:
        """Find out which connections belong to an axis of a mesh. Collective.

        Every process group has connections of its own, even between the same two ranks, and opens
        them on first use. `talk` sends a few bytes over each one that will carry the axis's
        traffic: an all-reduce in the axis's group, say. Windows from then on tell the axes apart.
        Raises ValueError where a connection belongs to another axis already.
        """
        with self.window() as window:
            talk()
        self._unlabelled = self._unlabelled or window.unmeasured
        for ends, traffic in window.connections.items():
            if any(traffic) and self._axes.setdefault(ends, axis) != axis:
                raise ValueError(f"the axes {self._axes[ends]} and {axis} share a connection")

    def _quiet(self) -> Counters | None:
        """All ranks idle, counters final: barrier, poll until still, barrier, read, barrier."""
        self._barrier()
        last, since = _read(), time.monotonic()
        bound = since + _QUIET_DEADLINE
        while last is not None and time.monotonic() < min(since + _QUIET_SECONDS, bound):
            time.sleep(_POLL_SECONDS)
            now = _read()
            if now != last:
                last, since = now, time.monotonic()
        self._barrier()
        counters = _read()
        self._barrier()
        return counters

    def _settle(self, window: Window, before: Counters | None, after: Counters | None) -> None:
        """Match our connections with the other ranks' and put the sums into the window."""
        passed = None if before is None or after is None else _difference(before, after)
        everyone = self._exchange(
            None if passed is None else [[*ends, *traffic] for ends, traffic in passed.items()]
        )
        if before is None or after is None or passed is None or None in everyone:
            window.unmeasured = Unmeasured(NO_COUNTERS)
            return
        far_ends = {
            (tuple(far), tuple(near)): (rank, out)
            for rank, listed in enumerate(everyone)
            if rank != self._rank
            for far, near, out, _ in listed
        }
        sent, received = [0] * self._size, [0] * self._size
        connections: dict[Connection, Traffic] = {}
        for (near, far), (out, into) in passed.items():
            if (far, near) not in far_ends:
                continue  # no rank at the other end: the store of torchrun, say
            peer, peer_out = far_ends[far, near]
            connections[near, far] = (out, into)
            sent[peer] += out
            received[peer] += into
            if into != peer_out:
                reason = _RECEIVED_DISAGREES.fill(received=into, sent=peer_out)
                window.unmeasured = Unmeasured(reason)
        window.sent, window.received = tuple(sent), tuple(received)
        window.connections = connections
        window.sent_by_axis = self._along(connections)
        window.unmeasured = window.unmeasured or self._unlabelled
        if (written := after.wchar - before.wchar) != sum(sent):
            window.unmeasured = Unmeasured(_SENT_DISAGREES.fill(tcp=sum(sent), wchar=written))

    def _along(self, connections: Mapping[Connection, Traffic]) -> dict[str, int]:
        along = dict.fromkeys(self._axes.values(), 0)
        for ends, (sent, _) in connections.items():
            if (axis := self._axes.get(ends)) is not None:
                along[axis] += sent
        return along


def _difference(before: Counters, after: Counters) -> dict[Connection, Traffic]:
    passed = {}
    for ends, (sent, received) in after.connections.items():
        sent_before, received_before = before.connections.get(ends, (0, 0))  # opened since
        passed[ends] = (sent - sent_before, received - received_before)
    return passed


def _read() -> Counters | None:
    try:
        return read_counters()
    except OSError:
        return None
