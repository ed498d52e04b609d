"""The wire probe: what it reads from the kernel, and when it refuses to tell."""

from __future__ import annotations

import os
import socket
import struct
import sys
import time
from pathlib import Path

import pytest

from verify.probes import wire as module
from verify.probes.wire import NO_COUNTERS, NOT_TCP, Counters, Window, Wire, parse_tcp_info
from verify.quantities import Reading, Source, Unmeasured

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

OURS, FIRST, SECOND, STORE = (("127.0.0.1", port) for port in (1, 2, 3, 4))


@pytest.fixture
def pair():
    """Both ends of a TCP connection over loopback."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        one = socket.create_connection(server.getsockname())
        other, _ = server.accept()
    with one, other:
        yield one, other


def counts(near, far):
    """The counters of one end, once they have stopped moving."""
    deadline = time.monotonic() + 2
    last = None
    while time.monotonic() < deadline:
        now = module.read_counters().connections[near.getsockname(), far.getsockname()]
        if now == last:
            return now
        last = now
        time.sleep(0.03)
    raise AssertionError("the counters never came to rest")


@linux
def test_the_kernel_counts_what_is_written_and_read(pair):
    one, other = pair
    assert counts(one, other) == (0, 0)
    written = module.read_counters().wchar
    os.write(one.fileno(), b"x" * 12_345)
    assert len(other.recv(12_345, socket.MSG_WAITALL)) == 12_345
    assert counts(one, other) == (12_345, 0)
    assert counts(other, one) == (0, 12_345)
    assert module.read_counters().wchar - written == 12_345


@linux
def test_ipv6_connections_and_those_of_ipv4_on_an_ipv6_socket_are_seen():
    if not socket.has_dualstack_ipv6():
        pytest.skip("no dual-stack IPv6 here")
    with socket.create_server(("", 0), family=socket.AF_INET6, dualstack_ipv6=True) as server:
        near = socket.create_connection(("127.0.0.1", server.getsockname()[1]))
        far, _ = server.accept()
        with near, far:
            ends = near.getsockname(), near.getpeername()
            seen = module.read_counters().connections
            assert ends in seen
            assert ends[::-1] in seen


@linux
def test_reading_leaves_no_descriptor_behind(pair, tmp_path):
    def held():
        return len(list(Path("/proc/self/fd").iterdir()))

    with (tmp_path / "a file").open("w"), socket.socket(socket.AF_UNIX):
        before = held()
        for _ in range(3):
            module.read_counters()
        assert held() == before


def test_what_was_sent_again_is_not_counted_twice():
    information = bytearray(256)
    for offset, value in ((128, 700), (200, 1_000), (208, 30)):
        struct.pack_into("=Q", information, offset, value)
    assert parse_tcp_info(bytes(information)) == (970, 700)


def test_an_old_kernel_tells_too_little():
    with pytest.raises(OSError, match="216"):
        parse_tcp_info(bytes(192))


def open_window(monkeypatch, before, after, *others, unseen=None):
    """Rank 0's window between two states of its counters; `others` is what the peers exchange."""
    now = [before]
    monkeypatch.setattr(module, "_read", lambda: now[0])
    monkeypatch.setattr(module, "_QUIET_SECONDS", 0)
    wire = Wire(0, 1 + len(others), lambda: None, lambda mine: [mine, *others], unseen)
    with wire.window() as window:
        now[0] = after
    return window


def test_bytes_are_put_to_the_rank_at_the_other_end(monkeypatch):
    window = open_window(
        monkeypatch,
        Counters({(OURS, FIRST): (100, 10)}, 1_000),
        Counters({(OURS, FIRST): (150, 30), (OURS, SECOND): (7, 0), (OURS, STORE): (0, 9)}, 1_057),
        [[list(FIRST), list(OURS), 20, 50]],
        [[list(SECOND), list(OURS), 0, 7]],
    )
    assert window.unmeasured is None
    assert window.sent == (0, 50, 7)
    assert window.received == (0, 20, 0)
    assert set(window.connections) == {(OURS, FIRST), (OURS, SECOND)}


def test_several_connections_to_one_peer_add_up(monkeypatch):
    other = ("127.0.0.1", 9)
    window = open_window(
        monkeypatch,
        Counters({}, 0),
        Counters({(OURS, FIRST): (5, 1), (OURS, other): (6, 2)}, 11),
        [[list(FIRST), list(OURS), 1, 5], [list(other), list(OURS), 2, 6]],
    )
    assert (window.sent, window.received) == ((0, 11), (0, 3))


@pytest.mark.parametrize(
    ("wchar", "peer_sent", "words"),
    [(51, 20, "TCP_INFO 50 B, wchar 51 B"), (50, 21, "20 B received, 21 B sent")],
)
def test_counters_that_disagree_prove_nothing(monkeypatch, wchar, peer_sent, words):
    window = open_window(
        monkeypatch,
        Counters({}, 0),
        Counters({(OURS, FIRST): (50, 20)}, wchar),
        [[list(FIRST), list(OURS), peer_sent, 50]],
    )
    assert words in window.unmeasured.reason.en
    readings = window.readings()
    assert set(readings) == {"wire_sent", "wire_received", "wire_matrix"}
    assert all(isinstance(reading, Unmeasured) for reading in readings.values())


@pytest.mark.parametrize("blind", ["we", "a peer"])
def test_one_rank_that_cannot_read_leaves_the_window_unmeasured(monkeypatch, blind):
    ours = None if blind == "we" else Counters({}, 0)
    theirs = None if blind == "a peer" else []
    window = open_window(monkeypatch, ours, ours, theirs)
    assert window.unmeasured == Unmeasured(NO_COUNTERS)


def test_traffic_beyond_tcp_is_never_reported_as_zero(monkeypatch):
    window = open_window(monkeypatch, Counters({}, 0), Counters({}, 0), [], unseen=NOT_TCP)
    assert window.readings()["wire_sent"] == Unmeasured(NOT_TCP)


def test_two_windows_add_up():
    forward = Window((0, 5), (0, 1), {(OURS, FIRST): (5, 1)})
    backward = Window((0, 2), (0, 3), {(OURS, FIRST): (2, 3), (OURS, SECOND): (0, 0)})
    both = forward + backward
    assert both.connections == {(OURS, FIRST): (7, 4), (OURS, SECOND): (0, 0)}
    assert both.readings("axis") == {
        "axis_sent": Reading(7, Source.MEASURED),
        "axis_received": Reading(4, Source.MEASURED),
        "axis_matrix": Reading((0, 7), Source.MEASURED),
    }
    broken = Window(unmeasured=Unmeasured(NO_COUNTERS))
    assert (forward + broken).unmeasured == Unmeasured(NO_COUNTERS)
    assert "axis_matrix" not in both.readings("axis", matrix=False)
