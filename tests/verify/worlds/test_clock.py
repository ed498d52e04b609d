"""Offsets between the clocks of hosts: two threads as two hosts, one with its clock set wrong."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from verify.worlds.clock import Offset, exchange_offsets


class Store:
    """Values by key; `get` waits until the key is there, and every message takes its time."""

    def __init__(self):
        self._values = {}
        self._changed = threading.Condition()

    def set(self, key, value):
        time.sleep(0.001)
        with self._changed:
            self._values[key] = value.encode()
            self._changed.notify_all()

    def get(self, key):
        with self._changed:
            assert self._changed.wait_for(lambda: key in self._values, 10)
            return self._values[key]


def test_another_host_learns_its_offset_and_how_far_it_may_err():
    store, hosts, ahead = Store(), ["a", "b", "a"], 1234.5
    clocks = [time.monotonic, lambda: time.monotonic() + ahead, time.monotonic]
    with ThreadPoolExecutor(3) as pool:
        offsets = list(pool.map(lambda i: exchange_offsets(store, i, hosts, clocks[i]), range(3)))
    assert offsets[0] == offsets[2] == Offset()
    assert offsets[1].error < 0.1
    assert abs(offsets[1].seconds + ahead) <= offsets[1].error


def test_on_one_host_nothing_is_exchanged():
    assert exchange_offsets(None, 0, ["a", "a"]) == Offset()
    assert exchange_offsets(None, 1, ["a", "a"]) == Offset()
