"""The benchmarks of worlds measure what they say."""

from __future__ import annotations

from bench import bubble, worlds
from verify.units import MiB
from verify.worlds.local import LocalWorld


def test_a_socket_and_an_all_reduce_have_a_bandwidth_and_a_pipeline_a_bubble() -> None:
    # Between a floppy disk and the memory of any machine.
    assert MiB < worlds.socket_bandwidth(4 * MiB) < 2**20 * MiB
    with LocalWorld() as world:
        assert MiB < worlds.bandwidth(world, 4 * MiB) < 2**20 * MiB
        replayed, clock, _ = bubble.measure(world, "gpipe", 4, 8, wait=20)
    assert replayed == 3 / 11
    assert 0 < clock < 1
