"""Connections with a label: bytes by axis of a mesh."""

from __future__ import annotations

import pytest

from verify.probes import wire as module
from verify.probes.wire import Counters, Window, Wire
from verify.quantities import Reading, Source, Unmeasured

OURS, DATA, TENSOR, OTHER = (("127.0.0.1", port) for port in (1, 2, 3, 4))


class Counted:
    """Rank 0's counters beside one peer, who always saw what rank 0 sent and nothing else."""

    def __init__(self, monkeypatch):
        self.sent = {}
        self.uncounted = 0
        monkeypatch.setattr(module, "_read", self.read)
        monkeypatch.setattr(module, "_QUIET_SECONDS", 0)
        self.wire = Wire(0, 2, lambda: None, self.exchange)

    def send(self, far, count):
        self.sent[far] = self.sent.get(far, 0) + count

    def read(self):
        connections = {(OURS, far): (count, 0) for far, count in self.sent.items()}
        return Counters(connections, sum(self.sent.values()) + self.uncounted)

    @staticmethod
    def exchange(ours):
        return [ours, [[far, near, 0, out] for near, far, out, _ in ours]]


@pytest.fixture
def counted(monkeypatch):
    return Counted(monkeypatch)


def test_bytes_go_to_the_axis_whose_connection_carried_them(counted):
    counted.wire.label("data", lambda: counted.send(DATA, 8))
    counted.wire.label("tensor", lambda: counted.send(TENSOR, 8))
    with counted.wire.window() as window:
        counted.send(DATA, 100)
        counted.send(TENSOR, 30)
    assert window.sent_by_axis == {"data": 100, "tensor": 30}
    assert window.reading_along("data") == Reading(100, Source.MEASURED)
    assert window.reading_along("stages") == Reading(0, Source.MEASURED)
    assert sum(window.sent) == 130


def test_a_connection_without_a_label_counts_in_the_total_alone(counted):
    counted.wire.label("data", lambda: counted.send(DATA, 8))
    with counted.wire.window() as window:
        counted.send(OTHER, 5)
    assert window.sent_by_axis == {"data": 0}
    assert sum(window.sent) == 5


def test_axes_that_share_a_connection_cannot_be_told_apart(counted):
    counted.wire.label("data", lambda: counted.send(DATA, 8))
    with pytest.raises(ValueError, match="the axes data and tensor share a connection"):
        counted.wire.label("tensor", lambda: counted.send(DATA, 8))


def test_a_label_that_could_not_be_measured_leaves_later_windows_unmeasured(counted):
    def talk():
        counted.send(DATA, 8)
        counted.uncounted = 1

    counted.wire.label("data", talk)
    with counted.wire.window() as window:
        counted.send(DATA, 100)
    assert isinstance(window.reading_along("data"), Unmeasured)


def test_axes_of_two_windows_add_up():
    one = Window(sent_by_axis={"data": 1, "tensor": 2})
    other = Window(sent_by_axis={"data": 3})
    assert (one + other).sent_by_axis == {"data": 4, "tensor": 2}
