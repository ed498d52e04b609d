"""Which cards a sitting asks, from what the learner wished for and the plan that is in force."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from quiz.deck.card import Card
from quiz.memory.effort import Effort
from quiz.memory.interleave import interleaved
from quiz.memory.plan import Plan
from quiz.memory.queue import NEW_PER_DAY, build_queue, hidden, is_owed
from quiz.memory.scheduler import retrievability
from quiz.memory.states import CardState, LogState

MISSED_WITHIN = 7
"""`--missed` means answered wrong on one of so many study days, today's among them."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a sitting should be about. None is no wish."""

    topic: str | None = None
    missed: bool = False
    cram: bool = False
    new: int | None = None  # new cards on this day
    limit: int | None = None  # cards in this sitting


def topics(cards: Sequence[Card]) -> list[str]:
    """The topics there are, in the order of their first card."""
    return list(dict.fromkeys(card.topic for card in cards if card.topic is not None))


def choose(
    cards: Sequence[Card],
    state: LogState,
    today: int,
    wish: Wish,
    *,
    plan: Plan | None = None,
    effort: Effort | None = None,
    spent: float = 0.0,
) -> tuple[Card, ...]:
    """The cards to ask, in order.

    Due cards and new ones, or what the plan holds best while its exam lies ahead and its minutes,
    less the seconds `spent` today, last. `missed` asks what was answered wrong lately, due or
    not; `cram` every card that was ever answered, the least certain first.
    """
    wanted = None if wish.topic is None else _topic(wish.topic)
    if wish.cram or wish.missed:
        return _by_state(cards, state, today, wish, wanted)
    if plan is not None and plan.days_left(today) > 0:
        from quiz.memory.outlook import cards_today  # numpy: 0.1 s that only a plan costs

        seconds = 60 * plan.minutes - spent
        chosen = cards_today(
            cards, state, plan, today,
            effort=effort or Effort(), seconds=seconds, only=wanted, new=wish.new,
        )  # fmt: skip
        return chosen[: wish.limit]
    new = NEW_PER_DAY if wish.new is None else wish.new
    return build_queue(cards, state, today, new_per_day=new, limit=wish.limit, only=wanted).cards


def was_missed(of: CardState, today: int) -> bool:
    """Whether a card was answered wrong lately."""
    return of.missed_day is not None and of.missed_day > today - MISSED_WITHIN


def _by_state(
    cards: Sequence[Card],
    state: LogState,
    today: int,
    wish: Wish,
    wanted: Callable[[Card], bool] | None,
) -> tuple[Card, ...]:
    found = [
        card
        for card in cards
        if (wanted is None or wanted(card))
        and not hidden(of := state.of(card.key), today)
        and (of.answered_day is not None if wish.cram else True)
        and (was_missed(of, today) if wish.missed else True)
        and (wish.cram or is_owed(of, today) or of.last_day != today)
    ]

    def certainty(card: Card) -> float:
        of = state.of(card.key)
        if of.failed or of.stability is None or of.last_day is None:
            return 0.0
        return retrievability(of.stability, max(0, today - of.last_day), state.parameters)

    return tuple(interleaved(sorted(found, key=certainty)[: wish.limit]))


def _topic(topic: str) -> Callable[[Card], bool]:
    return lambda card: card.topic == topic
