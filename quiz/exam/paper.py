"""The questions of a mock exam: four choices each, the same for the same exam on any machine.

Traps with three lures or more give their choices; compute cards with as many give numbers.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice

from quiz.deck.card import Card, Choice, Kind, Statement
from quiz.deck.draw import drawable, worth
from quiz.numbers import amount
from quiz.session.question import Question
from verify.api import UsageError, verbatim

NAME = "exam"
"""Under which the store keeps the exam that is open, or the last one."""

FULL = 100  # questions: the E資格 asks about so many in 120 minutes
PACE = 72.0  # seconds a question
CHOICES = 4
_TRIED = 16  # combinations of parameters, to find one in which all four numbers look different


@dataclass(frozen=True)
class Paper:
    """An exam as begun. Which answers were given is in the log, under `sitting`."""

    sitting: str
    at: datetime  # UTC, when it began
    seconds: float
    cards: tuple[str, ...]
    ended: bool = False  # handed in, or its score was shown

    @property
    def deadline(self) -> datetime:
        """The clock runs whether or not anyone looks."""
        return self.at + timedelta(seconds=self.seconds)

    def record(self) -> dict[str, object]:
        """For the store."""
        return {
            "sitting": self.sitting,
            "at": self.at.isoformat(),
            "seconds": self.seconds,
            "cards": list(self.cards),
            "ended": self.ended,
        }

    @classmethod
    def of(cls, record: Mapping[str, object] | None) -> Paper | None:
        """The inverse of `record`; None for nothing, or for what is no exam."""
        record = record or {}
        sitting, at, seconds, cards = (record.get(n) for n in ("sitting", "at", "seconds", "cards"))
        if not isinstance(sitting, str) or not isinstance(at, str) or not isinstance(cards, list):
            return None
        if not cards:
            return None
        if not isinstance(seconds, int | float) or not 0 < seconds < 1e7:
            return None
        try:
            began = datetime.fromisoformat(at).astimezone(UTC)
            paper = cls(
                sitting, began, seconds, tuple(map(str, cards)), record.get("ended") is True
            )
            _ = paper.deadline  # within the calendar
        except (ValueError, OverflowError):
            return None
        return paper


def set_paper(
    cards: Sequence[Card], sitting: str, at: datetime, items: int, seconds: float
) -> Paper:
    """An exam of `items` questions, or as many as the cards give, each deck in proportion."""
    pool = [card for card in cards if question(card, sitting) is not None]
    chosen = _spread(pool, items, random.Random(sitting))
    return Paper(sitting, at, seconds, tuple(card.key for card in chosen))


def fitting(cards: Sequence[Card]) -> int:
    """How many of the cards can be asked with four choices."""
    return sum(question(card, "") is not None for card in cards)


def question(card: Card, sitting: str, repetition: int = 0) -> Question | None:
    """The card with four choices; None where it has fewer lures or can't be asked."""
    dice = random.Random(f"{sitting}#{card.key}")
    if card.kind is Kind.TRAP:
        lures = [choice for choice in card.choices if not choice.is_truth]
        if len(lures) < CHOICES - 1:
            return None
        order = [card.truth, *dice.sample(lures, CHOICES - 1)]
        dice.shuffle(order)
        return Question(card, repetition, order=tuple(order))
    if card.kind is Kind.COMPUTE and len(card.lures) >= CHOICES - 1:
        return _number(card, repetition, dice)
    return None


def _number(card: Card, repetition: int, dice: random.Random) -> Question | None:
    try:
        for parameters in islice(drawable(card, dice.randrange(2**31)), _TRIED):
            choices: dict[str, Choice] = {}  # what looks like the truth is no lure
            lures = ((lure.result, lure.belief, lure.why) for lure in card.lures)
            for result, belief, why in ((card.result or "", None, None), *lures):
                value = worth(result, parameters)
                shown = amount(value.value, value.unit)
                choices.setdefault(shown, Choice(verbatim(shown), Statement(""), belief, why))
            truth, *wrong = choices.values()
            if len(wrong) >= CHOICES - 1:
                order = [truth, *dice.sample(wrong, CHOICES - 1)]
                dice.shuffle(order)
                return Question(card, repetition, order=tuple(order), parameters=parameters)
    except UsageError:  # lint names it
        return None
    return None


def _spread(pool: Sequence[Card], items: int, dice: random.Random) -> list[Card]:
    """So many cards, the decks in proportion, in random order."""
    by_deck: dict[str, list[Card]] = {}
    for card in dice.sample(pool, len(pool)):
        by_deck.setdefault(card.deck, []).append(card)
    ranked = [
        ((place + 0.5) / len(cards), card)
        for cards in by_deck.values()
        for place, card in enumerate(cards)
    ]
    chosen = [card for _, card in sorted(ranked, key=lambda pair: pair[0])][:items]
    return dice.sample(chosen, len(chosen))
