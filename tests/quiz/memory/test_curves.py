"""The curves against the engine that writes the schedule."""

from __future__ import annotations

import numpy as np
import pytest
from fsrs_rs_python import DEFAULT_PARAMETERS, FSRS, MemoryState
from hypothesis import given
from hypothesis import strategies as st

from quiz.memory.curves import Curves
from quiz.memory.effort import Effort
from quiz.memory.planner import Memories, Planner

CURVES = Curves(DEFAULT_PARAMETERS)
ENGINE = FSRS(list(DEFAULT_PARAMETERS))


def states(engine):
    return [engine.again.memory, engine.hard.memory, engine.good.memory, engine.easy.memory]


@given(st.floats(0.1, 1000), st.floats(1, 10), st.integers(1, 500))
def test_an_answer_on_a_later_day_does_what_the_engine_does(stability, difficulty, days) -> None:
    s, d = np.array(stability), np.array(difficulty)
    chance = CURVES.recall(s, days)
    mine = [CURVES.forgotten(s, d, chance)]
    mine += [CURVES.recalled(s, d, chance, grade) for grade in (2, 3, 4)]
    theirs = states(ENGINE.next_states(MemoryState(stability, difficulty), 0.9, days))
    for grade, (ours, memory) in enumerate(zip(mine, theirs, strict=True), start=1):
        assert float(ours) == pytest.approx(memory.stability, rel=1e-3, abs=2e-3)
        assert float(CURVES.difficulty(d, grade)) == pytest.approx(memory.difficulty, abs=1e-3)


@given(st.floats(0.1, 1000), st.floats(1, 10))
def test_an_answer_on_the_same_day_does_what_the_engine_does(stability, difficulty) -> None:
    theirs = states(ENGINE.next_states(MemoryState(stability, difficulty), 0.9, 0))
    for grade, memory in enumerate(theirs, start=1):
        mine = float(CURVES.same_day(np.array(stability), grade))
        assert mine == pytest.approx(memory.stability, rel=1e-3, abs=2e-3)


def test_a_first_answer_does_what_the_engine_does() -> None:
    for grade, memory in enumerate(states(ENGINE.next_states(None, 0.9, 0)), start=1):
        assert CURVES.first(grade) == pytest.approx((memory.stability, memory.difficulty), rel=1e-5)


def test_recall_is_nine_in_ten_after_as_many_days_as_the_stability() -> None:
    assert float(CURVES.recall(np.array(12.0), 12)) == pytest.approx(0.9)
    assert float(CURVES.interval(np.array(12.0), 0.9)) == pytest.approx(12)


# The planner


def cards(*known: tuple[float, float, float] | None) -> Memories:
    rows = np.array([of or (1.0, 5.0, 0.0) for of in known])
    return Memories(rows[:, 0], rows[:, 1], rows[:, 2], np.array([of is None for of in known]))


def test_on_the_last_day_gains_are_what_the_formula_says() -> None:
    """One day left, so no later review: E[R tomorrow after asking] - R tomorrow, per second."""
    s, d, elapsed, effort = np.array(3.0), np.array(6.0), 5.0, Effort()
    chance = CURVES.recall(s, elapsed)
    again, _ = CURVES.relearned(CURVES.forgotten(s, d, chance), CURVES.difficulty(d, 1))
    asked = chance * CURVES.recall(CURVES.recalled(s, d, chance), 1)
    asked += (1 - chance) * CURVES.recall(again, 1)
    seconds = chance * effort.recalled + (1 - chance) * (effort.failed + effort.relearning)
    expected = (asked - CURVES.recall(s, elapsed + 1)) / seconds
    planner = Planner(CURVES, effort, 1, price=1.0)
    (gain,) = planner.gains(0, cards((3.0, 6.0, 5.0)))
    assert gain == pytest.approx(float(expected), rel=0.02)  # the table is linear between points


def test_what_was_just_answered_is_left_alone_and_what_fades_comes_first() -> None:
    planner = Planner(CURVES, Effort(), 1, price=1.0)
    just, fading, sound = planner.gains(0, cards((5.0, 5.0, 0.0), (5.0, 5.0, 20.0), (500, 5, 20)))
    assert just == -np.inf
    assert fading > max(sound, 0)


def test_a_low_price_saves_a_review_for_a_better_day() -> None:
    known = cards((5.0, 5.0, 2.0))
    (greedy,) = Planner(CURVES, Effort(), 30, price=1.0).gains(0, known)
    (patient,) = Planner(CURVES, Effort(), 30, price=0.001).gains(0, known)
    assert greedy > 0
    assert patient < greedy


def test_no_gain_is_not_a_number() -> None:
    extreme = cards((0.001, 10.0, 3000.0), (36500.0, 1.0, 0.0), (0.02, 1.0, 1.0), None)
    for days in (1, 2, 400):
        gains = Planner(CURVES, Effort(), days, price=0.002).gains(0, extreme)
        assert not np.isnan(gains).any()
        assert gains[-1] > 0  # a new card is worth beginning
