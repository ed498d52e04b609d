from __future__ import annotations

import pytest

from quiz.events import Confidence, EventKind, Grade, Origin
from quiz.memory.fold import fold, predictions
from quiz.memory.rows import rows_of
from quiz.memory.stats import Calibration, FoolingBelief, Stats, compute_stats

TODAY = 100


@pytest.fixture
def figures(log, make_card):
    def compute(*names: str) -> Stats:
        cards = [make_card(name) for name in names]
        rows = list(rows_of(log.events))
        return compute_stats(cards, fold(rows), log.events, predictions(rows), TODAY)

    return compute


def test_an_empty_log_measures_nothing(figures) -> None:
    stats = figures("a", "b")
    assert (stats.cards, stats.new, stats.due, stats.answers) == (2, 2, 0, 0)
    assert (stats.retention.true, stats.retention.predicted) == (None, None)
    assert (stats.beliefs, stats.pace) == ((), ())
    assert stats.forecast == (0,) * 14


def test_counts_and_forecast(log, figures) -> None:
    log.answer("deck/a", 90, due=95)
    log.answer("deck/b", 100, due=103)
    log.answer("deck/c", 100, due=114)  # one day past the forecast
    log.answer("deck/d", 99, due=101)
    log.undo(log.answer("deck/e", 100, due=102), 100)
    log.row(EventKind.SUSPEND, 100, card="deck/d")
    stats = figures("a", "b", "c", "d", "e", "f")
    assert (stats.new, stats.due, stats.suspended) == (2, 1, 1)
    assert (stats.answers, stats.answers_today, stats.days_studied) == (4, 2, 3)
    assert stats.forecast == (1, 0, 0, 1) + (0,) * 10


def test_retention_counts_answers_a_day_or_more_apart(log, figures) -> None:
    log.answer("deck/a", 90, due=92)
    log.answer("deck/a", 90, due=92)
    log.answer("deck/a", 93, Grade.AGAIN, due=93)
    log.answer("deck/a", 93, Grade.GOOD, due=95)
    log.answer("deck/a", 95, Grade.GOOD, due=99)
    stats = figures("a")
    assert (stats.retention.answers, stats.retention.true) == (2, 0.5)
    chances = predictions(rows_of(log.events)).values()
    assert stats.retention.predicted == pytest.approx(sum(chances) / 2)


def test_calibration_takes_the_first_answer_of_a_day(log, figures) -> None:
    sure = Confidence.SURE
    log.answer("deck/a", 90, Grade.AGAIN, correct=False, confidence=sure)
    log.answer("deck/a", 90, correct=True, confidence=sure)  # the key had just been shown
    log.answer("deck/b", 90, correct=True, confidence=sure)
    log.answer("deck/c", 90, correct=True, confidence=Confidence.GUESS)
    log.answer("deck/d", 90, correct=True, confidence=sure, after_undo=True)
    assert figures("a").calibration == (
        Calibration(sure, 2, 1),
        Calibration(Confidence.THINK_SO, 0, 0),
        Calibration(Confidence.GUESS, 1, 1),
    )


def test_a_belief_fools_until_answered_right_on_a_later_day(log, figures) -> None:
    wrong = {"grade": Grade.AGAIN, "correct": False}
    log.answer("deck/a", 90, choice="none-sent", confidence=Confidence.SURE, **wrong)
    log.answer("deck/a", 90, correct=True, choice="truth")
    log.answer("deck/b", 91, choice="twice", confidence=Confidence.GUESS, **wrong)
    log.answer("deck/b", 92, choice="twice", confidence=Confidence.SURE, **wrong)
    assert figures("a").beliefs == (
        FoolingBelief("deck/b", "twice", 2, 1, 92),
        FoolingBelief("deck/a", "none-sent", 1, 1, 90),
    )
    log.answer("deck/a", 95, correct=True, choice="truth")
    assert [belief.belief for belief in figures("a").beliefs] == ["twice"]


def test_leeches_streaks_and_heat(log, figures) -> None:
    for turn in range(8):
        log.answer("deck/a", 60 + 2 * turn, due=61 + 2 * turn)
        log.answer("deck/a", 61 + 2 * turn, Grade.AGAIN, due=61 + 2 * turn)
    for day in (97, 98, 99):
        log.answer("deck/b", day, due=day + 1)
    stats = figures("a", "b")
    assert stats.leeches == (("deck/a", 8),)
    assert (stats.streak.now, stats.streak.longest) == (3, 16)  # today isn't over
    assert stats.heat[-4:] == (1, 1, 1, 0)
    assert sum(stats.heat) == 19
    log.answer("deck/b", 100, due=101)
    assert figures("a", "b").streak.now == 4
    assert figures("a", "b").slowest[0].card == "deck/a"


def test_a_gap_ends_the_streak(log, figures) -> None:
    log.answer("deck/a", 98, due=99)
    assert (figures("a").streak.now, figures("a").streak.longest) == (0, 1)


def test_predictions_are_sorted_into_bins(log, figures) -> None:
    log.answer("deck/a", 90, due=92)
    log.answer("deck/a", 91, due=92)  # one day after a first Good R is above 0.9
    log.answer("deck/b", 0, due=92)
    log.answer("deck/b", 100, Grade.AGAIN, due=100)  # a hundred days after it below 0.7
    bins = figures("a").bins
    assert [(row.low, row.high, row.answers, row.true) for row in bins] == [
        (0.0, 0.7, 1, 0.0), (0.9, 0.95, 1, 1.0),
    ]  # fmt: skip
    assert all(row.low <= row.predicted < row.high for row in bins)


def test_the_brier_score_is_the_mean_squared_error_of_what_was_stated(log, figures) -> None:
    sure, guess = Confidence.SURE, Confidence.GUESS
    log.answer("deck/a", 90, correct=True, confidence=sure, order=("truth", "x", "y", "z"))
    log.answer("deck/b", 90, Grade.AGAIN, correct=False, confidence=guess, order=("truth", "x"))
    assert figures("a").brier == pytest.approx(((1 - 0.95) ** 2 + 0.5**2) / 2)
    assert figures("a").calibration[0].answers == 1


def test_pace_is_the_median_of_what_was_answered_here(log, figures) -> None:
    for seconds in (2.0, 3.0, 100.0):
        log.answer("deck/a", 90, seconds=seconds)
    log.answer("deck/a", 90, seconds=0.0, origin=Origin.IMPORT)
    (pace,) = figures("a").pace
    assert (pace.kind, pace.answers, pace.median) == ("trap", 3, 3.0)
