"""What a plan asks today, and what it comes to on the day of the exam."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from quiz.deck.card import Card
from quiz.memory.curves import Array, Curves
from quiz.memory.effort import Effort
from quiz.memory.interleave import interleaved
from quiz.memory.learners import Planned, best_price, planner_for, simulate
from quiz.memory.plan import Plan
from quiz.memory.planner import Memories
from quiz.memory.queue import Siblings, hidden, is_owed, ready
from quiz.memory.states import CardState, LogState

_SAMPLE = 400  # cards that stand for a bigger deck when the future is simulated
_LEARNERS = 24  # simulated for a forecast, of a deck of 100 cards; fewer of more
_NORMAL_90 = 1.645  # a normal variable lies within so many deviations in 90 % of cases


@dataclass(frozen=True, slots=True)
class Share:
    """An expected share of cards recalled, and where it lies in nine cases of ten."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Outlook:
    """The expected score on a theme. Cards never seen count as not recalled."""

    theme: str | None  # the deck's id; None for all of them
    cards: int
    today: Share  # if the exam were now
    nothing: Share  # on the day, if nothing more is done
    followed: Share  # on the day, if the plan is followed


def memories_of(cards: Sequence[Card], state: LogState, today: int) -> Memories:
    """What the log knows of the cards, as one row of arrays."""
    states = [state.of(card.key) for card in cards]
    new = np.array([of.memory is None for of in states])
    return Memories(
        np.array([of.stability or 1.0 for of in states])[None],
        np.array([of.difficulty or 5.0 for of in states])[None],
        np.array([float(max(0, today - (of.last_day or 0))) for of in states])[None] * ~new,
        new[None],
    )


def make_plan(
    cards: Sequence[Card],
    state: LogState,
    today: int,
    *,
    exam: int,
    minutes: float,
    effort: Effort,
    random: np.random.Generator,
) -> Plan:
    """A plan with the price that serves these cards best, found by simulation. `exam` is after
    `today`."""
    some, share = _sampled(_asked_at_all(cards, state), random)
    start = _repeated(memories_of(some, state, today), max(2, 8 * 100 // max(1, len(some))))
    price = best_price(
        start, Curves(state.parameters),
        days=exam - today, seconds=60 * minutes * share, effort=effort, random=random,
    )  # fmt: skip
    return Plan(exam, minutes, price)


def cards_today(
    cards: Sequence[Card],
    state: LogState,
    plan: Plan,
    today: int,
    *,
    effort: Effort,
    seconds: float,
    only: Callable[[Card], bool] | None = None,
    new: int | None = None,
) -> tuple[Card, ...]:
    """What to ask in the next `seconds`: what is owed, then what gains most by the exam.

    Prerequisites, siblings and hidden cards are minded as in `build_queue`; `only` narrows what
    is asked and `new` how many new cards are begun. Reviews come first, interleaved, then new ones.
    """
    curves = Curves(state.parameters)
    left = plan.days_left(today)
    planner = planner_for(curves, effort, left, plan.price, 60 * plan.minutes, len(cards))
    memories = memories_of(cards, state, today)
    gains = planner.gains(0, memories)[0]
    chances = curves.recall(memories.stability, memories.elapsed)[0]
    siblings, known = Siblings(cards, state, today), {card.key for card in cards}
    chosen: dict[str, Card] = {}
    begun = 0

    def fits(at: int, of: CardState) -> bool:
        return (
            gains[at] > 0
            and of.last_day != today
            and not (of.is_new and new is not None and begun >= new)
            and ready(cards[at], state, known, chosen)
        )

    def worth_asking(at: int, of: CardState) -> bool:
        card = cards[at]
        return (
            (only is None or only(card))
            and not hidden(of, today)
            and (is_owed(of, today) or fits(at, of))
            and siblings.admit(card)
        )

    def urgency(at: int) -> tuple[bool, float]:
        return not is_owed(state.of(cards[at].key), today), -gains[at]

    for at in sorted(range(len(cards)), key=urgency):
        if seconds <= 0:
            break
        of = state.of(cards[at].key)
        if worth_asking(at, of):
            chosen[cards[at].key] = cards[at]
            begun += of.is_new
            seconds -= _seconds(effort, of, float(chances[at]))
    groups: tuple[list[Card], list[Card], list[Card]] = ([], [], [])
    for card in chosen.values():
        of = state.of(card.key)
        groups[0 if is_owed(of, today) else 2 if of.is_new else 1].append(card)
    owed, seen, fresh = groups
    return (*owed, *interleaved(seen), *fresh)


def outlooks(
    cards: Sequence[Card],
    state: LogState,
    plan: Plan,
    today: int,
    *,
    effort: Effort,
    random: np.random.Generator,
) -> list[Outlook]:
    """The expected score, over all cards first and then deck by deck.

    An interval holds the luck of the exam itself (each card recalled with its chance, once) and,
    where a plan is followed, the luck of the days before it. It takes FSRS at its word.
    """
    some, share = _sampled(_asked_at_all(cards, state), random)
    if not some:
        return []
    days, curves = max(0, plan.days_left(today)), Curves(state.parameters)
    now = memories_of(some, state, today)
    ask_now = np.where(now.new, 0, curves.recall(now.stability, now.elapsed))
    untouched = np.where(now.new, 0, curves.recall(now.stability, now.elapsed + days))
    followed = untouched
    if days:
        seconds = 60 * plan.minutes * share
        planner = planner_for(curves, effort, days, plan.price, seconds, len(some))
        followed = simulate(
            _repeated(now, max(3, _LEARNERS * 100 // len(some))), Planned(planner), curves, curves,
            days=days, seconds=seconds, effort=effort, random=random,
        ).recall  # fmt: skip

    decks = list(dict.fromkeys(card.deck for card in some))
    return [
        Outlook(
            theme,
            sum(theme in (None, card.deck) for card in cards),
            *(_share(chances[:, [theme in (None, card.deck) for card in some]])
              for chances in (ask_now, untouched, followed)),
        )
        for theme in (None, *decks)
    ]  # fmt: skip


def _share(chances: Array) -> Share:
    """Rows are futures, columns cards: the mean share recalled and its interval."""
    count = chances.shape[1]
    exam = (chances * (1 - chances)).sum(1).mean() / count**2
    spread = _NORMAL_90 * float(exam + chances.mean(1).var()) ** 0.5
    mean = float(chances.mean())
    return Share(mean, max(0.0, mean - spread), min(1.0, mean + spread))


def _seconds(effort: Effort, of: CardState, chance: float) -> float:
    if of.is_new:
        return effort.new
    if of.failed:
        return effort.relearning
    return chance * effort.recalled + (1 - chance) * (effort.failed + effort.relearning)


def _asked_at_all(cards: Sequence[Card], state: LogState) -> list[Card]:
    return [card for card in cards if not state.of(card.key).suspended]


def _sampled(cards: Sequence[Card], random: np.random.Generator) -> tuple[Sequence[Card], float]:
    """Some of many cards, in deck order, and the share that they are."""
    if len(cards) <= _SAMPLE:
        return cards, 1.0
    chosen = sorted(random.choice(len(cards), _SAMPLE, replace=False).tolist())
    return [cards[at] for at in chosen], _SAMPLE / len(cards)


def _repeated(row: Memories, times: int) -> Memories:
    stability, difficulty, elapsed = (
        np.repeat(field, times, 0) for field in (row.stability, row.difficulty, row.elapsed)
    )
    return Memories(stability, difficulty, elapsed, np.repeat(row.new, times, 0))
