"""What a deck holds, as frozen values.

A card's identity is `deck/card`, whatever the file is called.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Protocol

from verify.api import Text, Value


class Kind(StrEnum):
    """The three ways to ask."""

    RECALL = "recall"  # say it, then grade yourself
    TRAP = "trap"  # choose between the truth and lures, say how sure you are
    COMPUTE = "compute"  # a number with a unit, fresh parameters each time


class Position(NamedTuple):  # a deck of 10,000 cards has 340,000: a dataclass costs twice as much
    """A place in a file; both count from 1, the column in characters."""

    line: int
    column: int


Place = tuple[str | int, ...]
"""The way from the root of a card to a field: `("choices", 1, "claim")`."""


class Mark(Protocol):
    """A place as the parser gives it, counting from 0."""

    line: int
    column: int


class Places(Mapping[Place, Position]):
    """Where fields stand. The parser's marks become positions when they are asked for: seldom."""

    __slots__ = ("_marks",)

    def __init__(self, marks: Mapping[Place, Mark | Position]) -> None:
        self._marks = marks

    def __getitem__(self, place: Place) -> Position:
        mark = self._marks[place]
        return mark if isinstance(mark, Position) else Position(mark.line + 1, mark.column + 1)

    def __contains__(self, place: object) -> bool:
        return place in self._marks

    def __iter__(self) -> Iterator[Place]:
        return iter(self._marks)

    def __len__(self) -> int:
        return len(self._marks)


@dataclass(frozen=True, slots=True)
class Statement:
    """A claim as the author wrote it, parsed later by `verify.api.claims.parse_claim`."""

    claim: str
    unless: str | None = None  # the fault under which it must be refuted


@dataclass(frozen=True, slots=True)
class Run:
    """One run of an experiment that a proof needs. `name` is None where there is only one."""

    name: str | None
    experiment: str
    given: Mapping[str, Value] = field(default_factory=dict)  # the deck's `with`
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Proof:
    """The runs that prove a card and what must hold of them, beside the claims of its choices."""

    runs: tuple[Run, ...]
    truth: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer of a trap. The truth has no belief; every lure has one."""

    text: Text
    statement: Statement
    belief: str | None = None  # stable key of the belief behind a lure
    why: Text | None = None  # why it tempts, and what refutes it

    @property
    def is_truth(self) -> bool:
        return self.belief is None

    @property
    def key(self) -> str:
        """What the log stores: the belief's key, or `truth`. Never a letter, which is shuffled."""
        return self.belief or "truth"


@dataclass(frozen=True, slots=True)
class NumberLure:
    """A tempting wrong result of a compute card."""

    result: str
    belief: str
    why: Text | None = None


@dataclass(frozen=True)
class Card:
    """One question. Which of the last fields are filled depends on the kind."""

    deck: str
    id: str
    kind: Kind
    ask: Text
    topic: str | None = None
    source: str | None = None
    explain: Text | None = None
    hint: Text | None = None
    after: tuple[str, ...] = ()  # prerequisite cards, as deck/card
    idea: str | None = None  # siblings share it
    proof: Proof | None = None
    answer: Text | None = None  # recall
    choices: tuple[Choice, ...] = ()  # trap
    vary: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)  # compute, bytes as text
    result: str | None = None  # compute
    lures: tuple[NumberLure, ...] = ()  # compute
    unit: str | None = None  # compute: the unit to answer in, such as MiB
    places: Mapping[Place, Position] = field(default_factory=dict, repr=False, compare=False)
    keys: tuple[str, ...] = field(default=(), repr=False, compare=False)  # as the file orders them

    @cached_property
    def key(self) -> str:
        """The card's identity."""
        return f"{self.deck}/{self.id}"

    @property
    def truth(self) -> Choice:
        """The right choice of a trap."""
        return next(choice for choice in self.choices if choice.is_truth)

    def at(self, *place: str | int) -> Position:
        """Where a field stands, or the nearest enclosing field that has a place of its own."""
        while place and place not in self.places:
            place = place[:-1]
        return self.places.get(place, Position(1, 1))


@dataclass(frozen=True)
class Deck:
    """One YAML file of cards on one theme."""

    id: str
    title: Text
    cards: tuple[Card, ...]
    path: Path
