"""Quantities that are drawn by chance, and curves that are for pictures alone."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from verify.errors import RunFailed
from verify.experiment import Experiment
from verify.quantities import Measured, Quantity, Reading, Shape, Source
from verify.text import verbatim
from verify.units import ONE
from verify.worlds.outcome import Outcome
from verify.worlds.perform import curves, gather


@dataclass(frozen=True)
class Nothing:
    """No parameters."""


SAMPLED = Quantity("loss", ONE, Shape.SCALAR, verbatim("loss"), sampled=True)
EXPERIMENT = Experiment("drawn", Nothing, lambda rank, parameters: {}, (SAMPLED,))


def outcomes(*rows: object) -> list[list[Outcome]]:
    return [[Outcome({"loss": Reading(row, Source.MEASURED)})] for row in rows]  # type: ignore[arg-type]


def test_samples_become_the_interval_of_their_mean() -> None:
    samples = (1.0, 2.0, 3.0, 4.0, 5.0)
    measured = gather(EXPERIMENT, Nothing(), outcomes(samples, samples))["loss"]
    assert isinstance(measured, Measured)
    (interval,) = measured.values
    # s = √2.5, t(4) = 2.776: 2.776·√(2.5/5) = 1.963
    assert interval.value == 3.0
    assert interval.high == pytest.approx(4.963, abs=1e-3)
    assert interval.low == pytest.approx(1.037, abs=1e-3)
    assert not interval.exact


def test_where_ranks_disagree_the_largest_mean_counts() -> None:
    measured = gather(EXPERIMENT, Nothing(), outcomes((1.0, 1.0), (7.0, 9.0)))["loss"]
    assert isinstance(measured, Measured)
    assert measured.values[0].value == 8.0


@pytest.mark.parametrize("row", [1.0, (1.0,), (), (1.0, float("nan")), (1.0, float("inf"))])
def test_what_is_no_set_of_samples_breaks_the_run(row: object) -> None:
    with pytest.raises(RunFailed, match="two or more finite samples") as caught:
        gather(EXPERIMENT, Nothing(), outcomes((1.0, 2.0), row))
    assert caught.value.rank == 1


def test_curves_are_rows_of_ranks_by_name() -> None:
    ranks = [
        [Outcome({"_curve_held": Reading((rank, 2), Source.COUNTED), "_other": None})]  # type: ignore[dict-item]
        for rank in range(2)
    ]
    assert curves(ranks) == {"held": ((0.0, 2.0), (1.0, 2.0))}
    assert curves(outcomes((1.0, 2.0))) == {}
