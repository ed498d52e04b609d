"""The cards that a sitting would ask now, by the plan in force if there is one."""

from __future__ import annotations

from collections.abc import Sequence

from quiz.deck.card import Card
from quiz.memory.choosing import Wish, choose
from quiz.memory.plan import NAME, Plan
from quiz.memory.states import LogState
from quiz.store import Store


def chosen_now(
    store: Store, cards: Sequence[Card], state: LogState, today: int, wish: Wish
) -> tuple[tuple[Card, ...], Plan | None]:
    """The cards, and the plan whose exam is not over yet. The log is read for the learner's pace
    only where a plan needs it."""
    plan = Plan.of(store.setting(NAME))
    if plan is not None and plan.too_far(today):
        plan = None  # `quiz plan` says so
    if plan is None or plan.days_left(today) < 0:
        return choose(cards, state, today, wish), None
    from quiz.memory.effort import measured
    from quiz.memory.stats import seconds_on, standing_answers

    answers = list(standing_answers(list(store.events())))
    effort, spent = measured(answers), seconds_on(answers, today)
    return choose(cards, state, today, wish, plan=plan, effort=effort, spent=spent), plan
