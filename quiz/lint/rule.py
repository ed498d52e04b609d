"""What a rule is, and what it is given to look at."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from quiz.deck.card import Card, Place, Position
from quiz.deck.load import Loaded
from quiz.deck.problem import Problem, Severity
from quiz.lint.claims import Stated, stated
from verify.api import Text


@dataclass(frozen=True)
class Context:
    """One deck file under examination.

    `cards_of(deck)` names the cards of another deck, or is None where there is no such deck.
    """

    loaded: Loaded
    cards_of: Callable[[str], Collection[str] | None]

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards that could be read; the others have problems of their own already."""
        return self.loaded.deck.cards if self.loaded.deck is not None else ()

    @cached_property
    def stated(self) -> tuple[tuple[Card, Stated], ...]:
        """Every claim of those cards, with its card."""
        return tuple((card, claim) for card in self.cards for claim in stated(card))

    def problem(
        self,
        rule: str,
        card: Card | None,
        place: Place,
        message: Text,
        hint: Text | None = None,
        *,
        part: tuple[str, int, int] | None = None,
        severity: Severity = "error",
    ) -> Problem:
        """A problem with one field of a card, or of the deck where `card` is None.

        `part` is the field's text with the first and last offset of what is wrong in it. Its column
        is exact where that text stands in the file as it is (plain or in quotes, on one line); a
        block scalar and one with escapes are marked at their beginning.
        """
        position = card.at(*place) if card else self.loaded.places.get(place, Position(1, 1))
        end = None
        if part is not None:
            text, first, last = part
            line, column = position
            written = self.loaded.source.line(line)
            column += written[column - 1 : column] in ("'", '"')
            if written.startswith(text, column - 1):
                position = Position(line, column + first)
                end = Position(line, column + max(last, first + 1))
        key = card.key if card else None
        return Problem(rule, position, message, hint, end=end, severity=severity, card=key)


Check = Callable[[Context], Iterator[Problem]]


@dataclass(frozen=True)
class Rule:
    """A module of `quiz.lint.rules`: its id, its manual page and its check."""

    id: str
    manual: str
    check: Check


def from_loader(rule: str) -> Check:
    """The check of a rule that the loader holds, because a card that breaks it can't be studied."""

    def check(context: Context) -> Iterator[Problem]:
        return (problem for problem in context.loaded.problems if problem.rule == rule)

    return check
