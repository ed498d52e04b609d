"""What a day asks: the cards that are due, then new ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from quiz.deck.card import Card
from quiz.memory.interleave import interleaved
from quiz.memory.states import CardState, LogState

NEW_PER_DAY = 20

LEECH = 8
"""A card forgotten so often costs more than it brings (Anki's default): the learner is told."""

LEECH_AGAIN = LEECH // 2  # and told again each time it has been forgotten so often more


@dataclass(frozen=True, slots=True)
class Queue:
    """The cards of a sitting in the order to ask them, and what was left out of it."""

    day: int
    due: tuple[Card, ...]
    new: tuple[Card, ...]
    unseen: int  # cards never answered, those of `new` included
    held: int  # due cards put off a day because a sibling of the same idea is asked today

    @property
    def cards(self) -> tuple[Card, ...]:
        return self.due + self.new


def is_due(state: CardState, today: int) -> bool:
    """Whether a card is to be asked today. New cards are due only after a wrong exam answer."""
    return state.due is not None and state.due <= today and not hidden(state, today)


def is_leech(state: CardState) -> bool:
    """Whether a card is forgotten again and again."""
    return state.lapses >= LEECH


def is_owed(state: CardState, today: int) -> bool:
    """Whether a due card comes before all others: failed, or wrong in a mock exam and not studied
    since."""
    missed = state.missed_day is not None and (state.last_day or -1) < state.missed_day
    return is_due(state, today) and (state.failed or missed)


def hidden(state: CardState, today: int) -> bool:
    """Whether a card is suspended, or buried for today."""
    return state.suspended or state.buried_on == today


def ready(card: Card, state: LogState, known: Collection[str], asked: Collection[str] = ()) -> bool:
    """Whether every prerequisite of `card` has been answered at least once.

    `known` holds the keys of all cards at hand; a prerequisite that is not among them, or is
    suspended, can't be answered and doesn't hold a card back. `asked` holds the keys of cards
    that come before it.
    """
    return not any(_blocks(key, state, known, asked) for key in card.after)


def build_queue(
    cards: Sequence[Card],
    state: LogState,
    today: int,
    *,
    new_per_day: int = NEW_PER_DAY,
    limit: int | None = None,
    only: Callable[[Card], bool] | None = None,
) -> Queue:
    """Today's queue from `cards`, which are in deck order.

    Failed cards come first, then the longest overdue, then new cards in deck order, each after
    its prerequisites. Due cards that are easily confused meet (`interleaved`). Cards that share an
    idea are not asked on one day, but for those answered wrong, in an exam too.
    New cards already begun today count against `new_per_day`. `only` narrows what is asked
    without forgetting the other cards: they still count as siblings and prerequisites.
    """
    siblings = Siblings(cards, state, today)
    chosen = cards if only is None else [card for card in cards if only(card)]
    met = [card for card in chosen if card.key in state.cards]  # of thousands, most are not
    unseen = len(chosen) - sum(not state.of(card.key).is_new for card in met)

    def urgency(card: Card) -> tuple[bool, int]:
        of = state.of(card.key)
        return not of.failed, of.due or 0

    wanted = sorted((c for c in met if is_due(state.of(c.key), today)), key=urgency)
    due = [card for card in wanted if siblings.admit(card)]
    held = len(wanted) - len(due)
    due = due[:limit]
    failed = sum(state.of(card.key).failed for card in due)
    due = due[:failed] + interleaved(due[failed:])

    begun = sum(of.first_day == today for of in state.cards.values())
    room = max(0, new_per_day - begun)
    if limit is not None:
        room = min(room, limit - len(due))
    fresh = (
        card
        for card in chosen
        if (of := state.of(card.key)).is_new and not is_due(of, today) and not hidden(of, today)
    )
    new = _new_cards(fresh, {card.key for card in cards}, state, siblings, room)
    return Queue(today, tuple(due), tuple(new), unseen, held)


class Siblings:
    """Which idea is taken today, and by which card."""

    def __init__(self, cards: Sequence[Card], state: LogState, today: int) -> None:
        self.state = state
        self.taken: dict[tuple[str, str], str] = {}
        asked = {key for key, of in state.cards.items() if of.answered_day == today}
        for card in cards if asked else ():
            if card.idea and card.key in asked:
                self.taken.setdefault((card.deck, card.idea), card.key)

    def admit(self, card: Card) -> bool:
        """Take the card's idea for it, unless a sibling has it."""
        if not card.idea:
            return True
        holder = self.taken.setdefault((card.deck, card.idea), card.key)
        return holder == card.key or self.state.of(card.key).unrecalled


def _blocks(key: str, state: LogState, known: Collection[str], asked: Collection[str]) -> bool:
    of = state.of(key)
    return key in known and key not in asked and of.is_new and not of.suspended


def _new_cards(
    fresh: Iterable[Card],
    known: Collection[str],
    state: LogState,
    siblings: Siblings,
    room: int,
) -> list[Card]:
    """The first `room` new cards in deck order; one that stands before its prerequisites in the
    deck follows right after the last of them."""
    new: list[Card] = []
    asked: set[str] = set()
    waiting: defaultdict[str, list[Card]] = defaultdict(list)
    for first in fresh if room else ():
        offered = [first]
        while offered and len(new) < room:
            card = offered.pop()
            missing = next((k for k in card.after if _blocks(k, state, known, asked)), None)
            if missing is not None:
                waiting[missing].append(card)
            elif siblings.admit(card):
                new.append(card)
                asked.add(card.key)
                offered.extend(reversed(waiting.pop(card.key, [])))
        if len(new) == room:
            break
    return new
