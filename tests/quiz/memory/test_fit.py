"""Fitting FSRS to a real log; the figures to reach are those of fsrs-rs on the same log."""

from __future__ import annotations

import pytest

from bench import review_log
from quiz.events import Grade, Origin
from quiz.memory.fit import FEWEST, fit, fitted, given_in, items_of, log_loss
from quiz.memory.scheduler import default_parameters
from quiz.memory.stats import standing_answers


@pytest.fixture(scope="module")
def items():
    reviews = review_log.read()
    assert len(reviews) == 12_580
    return items_of((r.card, r.day, r.grade, True) for r in reviews)


def test_the_real_log_is_predicted_as_its_baselines_say(items) -> None:
    """6,032 predictions; log loss of the defaults 0.4667, fitted by fsrs-rs 0.4551."""
    assert len(items) == 6032
    assert log_loss(default_parameters(), items) == pytest.approx(0.4667, abs=1e-4)
    assert log_loss(fitted(items), items) <= 0.456


def test_a_fit_is_judged_on_answers_it_has_not_seen(items) -> None:
    found = fit(items, default_parameters())
    assert found is not None
    assert (found.items, found.later) == (6032, 1207)
    assert found.before == pytest.approx(0.4667, abs=1e-4)
    assert found.later_before == pytest.approx(0.4521, abs=1e-4)
    assert found.better == (found.later_after < found.later_before)
    again = fit(items, found.parameters)
    assert again is not None
    assert not again.better  # the same set once more


def test_a_fit_that_predicts_later_answers_worse_is_not_kept() -> None:
    """The learner forgets everything, then nothing: what the first part teaches misleads."""
    given = [
        (f"deck/{card}", 4 * turn, 1 if turn < 8 else 3, True)
        for turn in range(10)
        for card in range(40)
    ]
    found = fit(items_of(given), default_parameters())
    assert found is not None
    assert found.later_after > found.later_before
    assert not found.better


def test_too_few_answers_are_not_fitted() -> None:
    given = [(f"deck/{n}", day, 3, True) for n in range(FEWEST - 1) for day in (0, 2)]
    assert fit(items_of(given), default_parameters()) is None


def test_only_first_answers_of_a_later_day_are_predicted(log) -> None:
    log.answer("deck/a", 0, Grade.AGAIN)
    log.answer("deck/a", 0, Grade.GOOD)  # the same day
    log.answer("deck/a", 3, Grade.GOOD, origin=Origin.EXAM)  # not self-graded
    log.answer("deck/a", 3, Grade.AGAIN, origin=Origin.CRAM)
    log.answer("deck/a", 5, Grade.AGAIN)
    log.answer("deck/a", 5, Grade.GOOD)
    log.undo(log.answer("deck/a", 8, Grade.AGAIN), 8)
    log.answer("deck/a", 8, Grade.GOOD, after_undo=True)  # the key had been seen
    log.answer("deck/a", 12, Grade.GOOD)
    items = items_of(given_in(standing_answers(log.events)))
    assert [(item.day, item.grade, item.elapsed) for item in items] == [(5, 1, 5), (12, 3, 4)]
    assert items[0].history == ((1, 0), (3, 0))
    assert items[1].history == ((1, 0), (3, 0), (1, 5), (3, 0), (3, 3))
