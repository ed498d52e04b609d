from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng

from bench.planner import FixedRetention
from quiz.events import Grade, Origin
from quiz.memory.choosing import Wish, choose
from quiz.memory.curves import Curves
from quiz.memory.effort import Effort, measured
from quiz.memory.fold import fold
from quiz.memory.learners import Planned, best_price, new_cards, planner_for, simulate
from quiz.memory.outlook import cards_today, make_plan, outlooks
from quiz.memory.plan import Plan
from quiz.memory.rows import rows_of
from quiz.memory.scheduler import default_parameters
from quiz.memory.stats import standing_answers

TODAY = 100
PLAN = Plan(TODAY + 20, 10, 0.002)


def ids(cards) -> list[str]:
    return [card.id for card in cards]


def today(cards, log, *, seconds: float = 600, **more):
    state = fold(rows_of(log.events))
    return ids(cards_today(cards, state, PLAN, TODAY, effort=Effort(), seconds=seconds, **more))


def test_the_plan_beats_fixed_retention_at_the_same_seconds() -> None:
    """A short form of `python -m bench planner`: its smallest setting, few learners."""
    cards, days, minutes, learners = 100, 7, 10, 8
    curves, effort = Curves(default_parameters()), Effort()

    def run(policy, seconds):
        result = simulate(
            new_cards(learners, cards), policy, curves, curves,
            days=days, seconds=seconds, effort=effort, random=default_rng(11),
        )  # fmt: skip
        return 100 * result.recall.mean(), result.seconds.sum(1).mean()

    usual, spent = run(FixedRetention(curves, 0.9, 20), 60 * minutes)
    seconds = spent / days
    price = best_price(
        new_cards(2, cards), curves, days=days, seconds=seconds, effort=effort,
        random=default_rng(12),
    )  # fmt: skip
    planned, planned_spent = run(
        Planned(planner_for(curves, effort, days, price, seconds, cards)), seconds
    )
    assert planned >= usual + 4
    assert planned_spent <= spent * 1.02  # a card begun in time is finished


def test_a_day_of_the_plan_keeps_to_its_seconds(log, make_card) -> None:
    cards = [make_card(str(number)) for number in range(50)]
    effort = Effort()
    chosen = today(cards, log)
    assert len(chosen) == -(-600 // effort.new)  # the last is begun in time
    assert chosen == [str(number) for number in range(len(chosen))]  # deck order
    assert today(cards, log, seconds=0) == []
    assert len(today(cards, log, new=3)) == 3


def test_owed_cards_come_first_whatever_they_gain(log, make_card) -> None:
    cards = [make_card(name) for name in ("new", "failed", "exam", "unseen", "suspended")]
    log.answer("deck/failed", TODAY, Grade.AGAIN, due=TODAY)
    log.answer("deck/exam", TODAY - 1, Grade.GOOD, due=TODAY + 50)
    log.answer("deck/exam", TODAY, Grade.AGAIN, origin=Origin.EXAM)
    log.answer("deck/unseen", TODAY, Grade.AGAIN, origin=Origin.EXAM)
    assert set(today(cards, log)[:3]) == {"failed", "exam", "unseen"}
    log.answer("deck/exam", TODAY, Grade.GOOD, due=TODAY + 4)
    assert "exam" not in today(cards, log)


def test_the_plan_minds_prerequisites_and_siblings(log, make_card) -> None:
    cards = [
        make_card("second", after=("deck/first",)),
        make_card("one", idea="same"),
        make_card("other", idea="same"),
    ]
    assert today(cards, log) == ["second", "one"]  # the prerequisite isn't among the cards
    cards = [make_card("second", after=("deck/first",)), make_card("first")]
    assert today(cards, log) == ["first"]  # asked tomorrow, or later in the same order


def test_the_sitting_follows_the_plan_until_the_exam(log, make_card) -> None:
    cards = [make_card(str(number)) for number in range(50)]
    state = fold(rows_of(log.events))
    planned = choose(cards, state, TODAY, Wish(), plan=PLAN)
    assert len(planned) == 21
    assert choose(cards, state, TODAY, Wish(), plan=PLAN, spent=600) == ()
    assert len(choose(cards, state, PLAN.exam, Wish(), plan=PLAN)) == 20  # as without a plan
    assert len(choose(cards, state, TODAY, Wish(limit=5), plan=PLAN)) == 5


def test_an_outlook_tells_now_from_later_and_from_the_plan(log, make_card) -> None:
    cards = [make_card(str(n)) for n in range(20)] + [make_card("x", deck="other")]
    for number in range(10):
        log.answer(f"deck/{number}", TODAY - 3, Grade.GOOD, due=TODAY)
    state = fold(rows_of(log.events))
    whole, first, other = outlooks(
        cards, state, PLAN, TODAY, effort=Effort(), random=default_rng(1)
    )
    assert (whole.theme, whole.cards, first.theme, first.cards) == (None, 21, "deck", 20)
    curves = Curves(default_parameters())
    stability = np.array(state.of("deck/0").stability)
    assert first.today.mean == pytest.approx(float(curves.recall(stability, 3)) / 2)
    assert first.nothing.mean == pytest.approx(float(curves.recall(stability, 23)) / 2)
    assert other.today.mean == other.nothing.mean == 0  # never seen
    for row in (whole, first, other):
        assert row.nothing.mean <= row.today.mean <= row.followed.mean
        for share in (row.today, row.nothing, row.followed):
            assert 0 <= share.low <= share.mean <= share.high <= 1


def test_a_big_deck_is_planned_from_a_sample(make_card, log) -> None:
    cards = [make_card(str(n)) for n in range(1000)]
    state = fold(rows_of(log.events))
    plan = make_plan(
        cards, state, TODAY, exam=TODAY + 5, minutes=10, effort=Effort(), random=default_rng(1)
    )
    assert plan.days_left(TODAY) == 5
    (whole, _) = outlooks(cards, state, plan, TODAY, effort=Effort(), random=default_rng(1))
    # 3000 s at 28.8 s a new card begin 104 of 1000; none can be known better than that.
    assert 0.05 < whole.followed.mean < 0.105


@pytest.mark.parametrize(
    "record",
    [
        None, {}, {"exam": "x"}, {"exam": -1, "minutes": 5, "price": 0.1},
        {"exam": 5, "minutes": 0, "price": 0.1}, {"exam": 5, "minutes": 5, "price": float("nan")},
        {"exam": True, "minutes": 5, "price": 0.1}, {"exam": 5, "minutes": "5", "price": 0.1},
    ],
)  # fmt: skip
def test_what_is_no_plan_is_none(record) -> None:
    assert Plan.of(record) is None


def test_a_plan_is_kept_as_it_is() -> None:
    assert Plan.of(PLAN.record()) == PLAN


def test_effort_is_drawn_from_the_learners_own_answers(log) -> None:
    assert measured([]) == Effort()
    for number in range(30):
        log.answer(f"deck/{number}", 0, Grade.AGAIN, seconds=40)
        log.answer(f"deck/{number}", 0, Grade.GOOD, seconds=5)
        log.answer(f"deck/{number}", 2, Grade.GOOD, seconds=900)  # called away: 120 at most
        log.answer(f"deck/{number}", 2, Grade.GOOD, origin=Origin.EXAM, seconds=1)
    effort = measured(standing_answers(log.events))
    assert effort.first_failed == pytest.approx((30 * 40 + 10 * 17.7) / 40)
    assert effort.relearn_recalled == pytest.approx((30 * 5 + 10 * 11.4) / 40)
    assert effort.recalled == pytest.approx((30 * 120 + 10 * 12.1) / 40)
    assert effort.first_recall == pytest.approx(10 * 0.28 / 40)
    assert effort.first_recalled == Effort().first_recalled
