from __future__ import annotations

import pytest
from fsrs_rs_python import DEFAULT_PARAMETERS, Card
from hypothesis import given
from hypothesis import strategies as st

from quiz.events import Grade
from quiz.memory.scheduler import (
    LONGEST,
    Memory,
    Scheduler,
    fuzz_bounds,
    retrievability,
    usable,
    whole_days,
)


def test_again_then_good_on_each_due_day() -> None:
    """The project's reference course, checked against the engine inside Anki."""
    scheduler = Scheduler(fuzz=False)
    memory: Memory | None = None
    last: int | None = None
    due, seen = 0, []
    for repetition, grade in enumerate([Grade.AGAIN] + [Grade.GOOD] * 5):
        # The failed card is asked again on the next day, the others on the day promised.
        day = 1 if repetition == 1 else due
        outcome = scheduler.outcomes("deck/card", repetition, memory, last, day)[grade]
        seen.append((day, round(outcome.memory.stability, 4)))
        memory, last, due = outcome.memory, day, outcome.due
    assert seen == [
        (0, 0.212),
        (1, 1.8868),
        (3, 6.2692),
        (9, 17.3792),
        (26, 43.8421),
        (70, 102.2641),
    ]


def test_a_failed_card_is_due_the_same_day_and_others_a_day_later_or_more() -> None:
    first = Scheduler().outcomes("deck/card", 0, None, None, 100)
    assert first[Grade.AGAIN].due == 100
    again = first[Grade.AGAIN].memory
    second = Scheduler().outcomes("deck/card", 1, again, 100, 100)
    assert [second[grade].due for grade in Grade] == [100, 101, 101, 101]


def test_a_clock_set_back_counts_as_the_last_day() -> None:
    scheduler = Scheduler()
    memory = Memory(10, 5)
    back = scheduler.outcomes("deck/card", 3, memory, 100, 60)
    assert back == scheduler.outcomes("deck/card", 3, memory, 100, 100)
    assert all(outcome.due >= 100 for outcome in back.values())


@pytest.mark.parametrize(
    ("interval", "bounds"),
    # By hand: 10 days spread 1 + 0.15*4.5 + 0.1*3 = 1.975; 100 days 1 + 0.675 + 1.3 + 4 = 6.975.
    [(0.2, (1, 1)), (2.4, (2, 2)), (2.5, (2, 4)), (7, (5, 9)), (10, (8, 12)), (100, (93, 107))],
)
def test_fuzz_bounds(interval: float, bounds: tuple[int, int]) -> None:
    assert fuzz_bounds(interval) == bounds


@given(st.floats(0, 40_000), st.text(), st.integers(0, 10_000))
def test_a_fuzzed_interval_is_drawn_once_within_its_bounds(
    interval: float, card: str, repetition: int
) -> None:
    card = card.encode("utf-8", "replace").decode()
    low, high = fuzz_bounds(interval)
    drawn = whole_days(interval, card, repetition, fuzz=True)
    assert 1 <= low <= drawn <= high
    assert drawn == whole_days(interval, card, repetition, fuzz=True)


def test_fuzz_reaches_every_day_within_the_bounds() -> None:
    drawn = {whole_days(10, "deck/card", repetition, fuzz=True) for repetition in range(200)}
    assert drawn == {8, 9, 10, 11, 12}


def test_an_interval_beyond_numbers_is_the_longest() -> None:
    for beyond in (float("inf"), float("nan")):  # what the engine says at a retention of 1e-40
        assert whole_days(beyond, "deck/card", 0, fuzz=True) == LONGEST == 36_500


@pytest.mark.parametrize("elapsed", [0, 1, 10, 25, 400])
def test_retrievability_is_the_engines(elapsed: int) -> None:
    card = Card()
    card.stability, card.difficulty, card.last_date = 10.0, 5.0, 0.0
    card.parameters = DEFAULT_PARAMETERS
    assert retrievability(10, elapsed) == pytest.approx(card.retention_on(elapsed), abs=1e-6)


def test_parameters_that_fsrs_refuses_are_not_usable() -> None:
    assert usable(list(DEFAULT_PARAMETERS)) == tuple(DEFAULT_PARAMETERS)
    assert len(usable(list(DEFAULT_PARAMETERS[:17])) or ()) == 21
    endless = [*DEFAULT_PARAMETERS[:20], 1e-30]  # 0.9 ** -1e30 is no float
    for broken in ([1.0] * 5, [float("nan")] * 21, ["1"] * 21, None, {}, [1e300] * 21, endless):
        assert usable(broken) is None
    with pytest.raises(ValueError):
        Scheduler(retention=1.0)
