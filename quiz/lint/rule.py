"""What a rule is, and what it is given to look at."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from quiz.deck.card import Card, Place, Position
from quiz.deck.loaded import Loaded
from quiz.deck.problem import Edit, Problem, Severity
from quiz.lint.claims import Stated, is_sound, stated
from quiz.lint.scalars import Scalars
from quiz.lint.texts import texts, written_in
from verify.api import Language, Text


@dataclass(frozen=True)
class Context:
    """One deck file under examination.

    `cards_of(deck)` names the cards of another deck, or is None where there is no such deck;
    `after` holds the prerequisites of every card under examination that has any, by deck/card.
    """

    loaded: Loaded
    cards_of: Callable[[str], Collection[str] | None]
    after: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards that could be read; the others have problems of their own already."""
        return self.loaded.deck.cards if self.loaded.deck is not None else ()

    @cached_property
    def stated(self) -> tuple[tuple[Card, Stated], ...]:
        """Every claim of those cards, with its card."""
        return tuple((card, claim) for card in self.cards for claim in stated(card))

    @cached_property
    def doubtful(self) -> tuple[tuple[Card, Stated], ...]:
        """Those of these claims with which something is wrong."""
        return tuple(
            [
                (card, claim)
                for card, claim in self.stated
                if not is_sound(claim.claim, card.result, claim.known)
            ]
        )

    @cached_property
    def scalars(self) -> Scalars:
        """Where the file's scalars stand. Costs a reading of the file: only where it is needed."""
        return Scalars(self.loaded.source)

    @cached_property
    def texts(self) -> tuple[tuple[Card, Place, Text], ...]:
        """Every text of those cards that a learner reads, with its card and its place."""
        return tuple([(card, place, text) for card in self.cards for place, text in texts(card)])

    @cached_property
    def written(self) -> tuple[tuple[Card, Place, Language | None, str], ...]:
        """The same, language by language; None where one string stands for all of them."""
        return tuple(written_in(self.cards))

    def cards_with(self, pattern: re.Pattern[str]) -> Iterator[Card]:
        """The cards in whose lines of the file the pattern is found."""
        source = self.loaded.source
        match = pattern.search(source.text)
        while match is not None:
            number = bisect_right(self._starts, source.position(match.start())) - 1
            if number >= 0:
                yield self.cards[number]
            if number + 1 == len(self.cards):
                return
            following = source.offset(self._starts[number + 1].line)
            match = pattern.search(source.text, max(following, match.end()))

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
        fixes: tuple[Edit, ...] = (),
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
        return Problem(
            rule, position, message, hint, end=end, severity=severity, card=key, fixes=fixes
        )

    def problem_at(
        self,
        rule: str,
        index: int,
        length: int,
        message: Text,
        hint: Text | None = None,
        *,
        severity: Severity = "error",
        fixes: tuple[Edit, ...] = (),
    ) -> Problem:
        """A problem with some characters of the file, wherever they stand."""
        position = self.loaded.source.position(index)
        end = Position(position.line, position.column + length)
        place = bisect_right(self._starts, position) - 1
        card = self.cards[place].key if place >= 0 else None
        return Problem(
            rule, position, message, hint, end=end, severity=severity, card=card, fixes=fixes
        )

    @cached_property
    def _starts(self) -> list[Position]:
        return [card.at() for card in self.cards]


Check = Callable[[Context], Iterator[Problem]]


@dataclass(frozen=True)
class Rule:
    """A module of `quiz.lint.rules`: its id, its manual page and its check."""

    id: str
    manual: str
    check: Check


@dataclass(frozen=True)
class from_loader:  # reads as a function where it is used
    """The check of a rule that the loader holds, because a card that breaks it can't be studied."""

    rule: str

    def __call__(self, context: Context) -> Iterator[Problem]:
        return (problem for problem in context.loaded.problems if problem.rule == self.rule)


def from_proving(_: Context) -> Iterator[Problem]:
    """The check of a rule that needs runs."""
    return iter(())


def from_lint(_: Context) -> Iterator[Problem]:
    """The check of a rule about what other rules found."""
    return iter(())
