"""A card as asked once, and an answer to it."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from quiz.deck.card import Card, Choice, Kind, NumberLure
from quiz.deck.draw import Worth, draw, worth
from quiz.events import Confidence, Grade
from verify.api import Value

LETTERS = "abcdefgijklmoprtwxyz"
"""What choices are called; h, n, q, s, u and v are keys of their own."""


@dataclass(frozen=True)
class Question:
    """A card as asked once: the choices in their order, the parameters as drawn."""

    card: Card
    repetition: int
    order: tuple[Choice, ...] = ()
    parameters: Mapping[str, Value] = field(default_factory=dict)
    expected: Worth | None = None  # compute
    lures: tuple[tuple[NumberLure, Worth], ...] = ()  # compute

    @classmethod
    def of(cls, card: Card, repetition: int) -> Question:
        """The same question for the same card and repetition, on any machine.

        Raises UsageError where a compute card's parameters or result make no sense.
        """
        if card.kind is Kind.TRAP:
            order = list(card.choices)
            random.Random(f"{card.key}#{repetition}").shuffle(order)
            return cls(card, repetition, order=tuple(order))
        if card.kind is Kind.COMPUTE:
            parameters = draw(card, repetition)
            return cls(
                card,
                repetition,
                parameters=parameters,
                expected=worth(card.result or "", parameters),
                lures=tuple((lure, worth(lure.result, parameters)) for lure in card.lures),
            )
        return cls(card, repetition)

    def choice(self, letter: str) -> Choice | None:
        """The choice that carries this letter, if there is one."""
        index = LETTERS.find(letter.lower()) if len(letter) == 1 else -1
        return self.order[index] if 0 <= index < len(self.order) else None

    def letter(self, choice: Choice) -> str:
        """The letter that this choice carries here."""
        return LETTERS[self.order.index(choice)]


@dataclass(frozen=True)
class Draft:
    """An answer as far as the sitting knows it; the store adds time, day and schedule."""

    question: Question
    grade: Grade
    correct: bool | None = None  # None for self-graded recall
    choice: str | None = None  # a choice's key, or the belief whose number was typed
    confidence: Confidence | None = None
    raw: str | None = None
    given: Fraction | None = None  # the number typed, in the base unit
    evidence: str | None = None
    after_undo: bool = False  # the key had been seen

    @property
    def fooled(self) -> bool:
        """Wrong and sure: the moment that teaches most."""
        return self.correct is False and self.confidence is Confidence.SURE
