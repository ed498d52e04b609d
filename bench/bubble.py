"""The bubble by the clock beside the textbook's, one (stages, microbatches) of each schedule.

The peer is the replay of the operations that ran, in unit time: it equals the textbook's form. What
the clock adds is messages, Python and other work on the machine.

DualPipeV stays far off however long an operation takes. torch runs a forward and a backward that
are to overlap one after the other and sends both results after the second. Replayed with that rule,
the same order of operations has a bubble of 1/9 at 4 stages and 8 microbatches, not 1/17, and the
clock comes to it as the wait grows (0.114 at 200 ms, 0.113 at 400 ms). With fewer stages and more
microbatches the two come together, so it is read there as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from verify.catalogue import find_experiment
from verify.pipelines import SCHEDULES
from verify.quantities import Measured
from verify.worlds.local import LocalWorld
from verify.worlds.request import Request

WAIT = 50  # milliseconds of a forward
TARGET = 0.03
CASES = [*((name, 4, 8) for name in SCHEDULES), ("dualpipev", 2, 16)]


def main() -> Iterator[str]:
    yield f"wait={WAIT} ms; the clock's mean of repeats at (stages, microbatches)"
    with LocalWorld() as world:
        for name, stages, microbatches in CASES:
            counted, clock, error = measure(world, name, stages, microbatches)
            off = clock - counted
            verdict = "" if abs(off) <= TARGET else f"   more than {TARGET} off"
            yield (
                f"  {name:<24} ({stages}, {microbatches:>2})   replay {counted:.4f}"
                f"   clock {clock:.4f} ± {error:.4f}   {off:+.4f}{verdict}"
            )


def measure(
    world: LocalWorld, schedule: str, stages: int, microbatches: int, wait: int = WAIT
) -> tuple[float, float, float]:
    """The replayed bubble, the clock's, and half of the clock's interval."""
    experiment = find_experiment("pipeline-bubble")
    given = {
        "schedule": schedule, "stages": stages, "microbatches": microbatches, "wait": wait,
    }  # fmt: skip
    evidence = world.run(Request(experiment, experiment.bind(given)))
    replayed, clock = (evidence.quantities[f"bubble_{name}"] for name in ("replay", "wall"))
    assert isinstance(replayed, Measured)
    assert isinstance(clock, Measured)
    (interval,) = clock.values
    error = (float(interval.high) - float(interval.low)) / 2
    return float(replayed.values[0].value), float(interval.value), error
