"""Gathering what ranks bring back: names, numbers, repeats."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.errors import RunFailed
from verify.experiment import Experiment
from verify.quantities import Quantity, Reading, Shape, Source, Unmeasured
from verify.text import Text
from verify.units import ONE
from verify.worlds.outcome import Outcome
from verify.worlds.perform import confidence_interval, gather


@dataclass(frozen=True)
class Parameters:
    ranks: int = 2


def experiment(shape, *, timed=False, conclude=lambda _, __: {}):
    quantity = Quantity("x", ONE, shape, Text(en="x"), timed=timed)
    return Experiment(
        "made-up", Parameters, lambda *_: {}, quantities=(quantity,), conclude=conclude
    )


def gathered(shape, *repeats, **options):
    """`repeats` holds, for each repeat, what every rank read."""
    ranks = [
        [Outcome({"x": value if isinstance(value, Unmeasured) else Reading(value, Source.MEASURED)})
         for value in rank]
        for rank in zip(*repeats, strict=True)
    ]  # fmt: skip
    return gather(experiment(shape, **options), Parameters(), ranks)["x"]


def test_exact_readings_stay_exact():
    found = gathered(Shape.PER_RANK, [1, Fraction(3, 11)])
    assert [interval.value for interval in found.values] == [1, Fraction(3, 11)]
    assert all(interval.exact for interval in found.values)


def test_a_matrix_has_a_row_of_every_rank():
    found = gathered(Shape.MATRIX, [(0, 1), (2, 0)])
    assert found.at(0, 1).value == 1
    assert found.at(1, 0).value == 2


def test_a_scalar_on_which_ranks_disagree_is_its_worst():
    assert gathered(Shape.SCALAR, [1e-16, -3.0, 2.0]).values[0].value == -3.0


def test_repeats_of_a_count_span_a_range():
    (interval,) = gathered(Shape.SCALAR, [5], [4], [6]).values
    assert (interval.low, interval.value, interval.high) == (4, 5, 6)


def test_repeats_of_a_timed_quantity_give_a_confidence_interval():
    """Mean 3, s² = 2.5, t(4, 97.5 %) = 2.776 (NIST table): half width 2.776 √(2.5/5) = 1.96293."""
    (interval,) = gathered(Shape.SCALAR, [1.0], [2.0], [3.0], [4.0], [5.0], timed=True).values
    assert interval.value == 3
    assert interval.high - 3 == pytest.approx(1.96293, abs=1e-5)
    assert 3 - interval.low == pytest.approx(1.96293, abs=1e-5)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40))
def test_an_interval_holds_its_mean(samples):
    interval = confidence_interval(samples)
    assert interval.low <= interval.value <= interval.high


def test_one_rank_that_cannot_measure_leaves_the_quantity_unmeasured():
    reason = Unmeasured(Text(en="no counters"))
    assert gathered(Shape.PER_RANK, [1, reason]) == reason
    assert gathered(Shape.SCALAR, [1], [reason]) == reason


@pytest.mark.parametrize("value", [float("nan"), float("inf"), (1,), (1, 2, float("nan"))])
def test_what_is_not_a_row_of_finite_numbers_breaks_the_run(value):
    with pytest.raises(
        RunFailed, match=r"rank 1 yielded x, which is not a Reading of 2 finite numbers"
    ) as caught:
        gathered(Shape.MATRIX, [(0, 1), value])
    assert caught.value.rank == 1


def test_a_conclusion_that_fails_is_told():
    with pytest.raises(RunFailed, match="can't be concluded: ZeroDivisionError"):
        gathered(Shape.SCALAR, [1], conclude=lambda _, __: {"x": 1 // 0})
