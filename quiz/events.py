"""The events of the log: the one truth from which every state is folded.

A row is append-only. The order is (day, counter, id), so that two logs merge by union in any order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

SCHEMA_VERSION = 1


class EventKind(StrEnum):
    ANSWER = "answer"
    UNDO = "undo"  # a tombstone on one row, named by `target`
    SUSPEND = "suspend"
    BURY = "bury"
    FLAG = "flag"
    PARAMETERS = "parameters"  # a fitted FSRS parameter set
    REATTACH = "reattach"  # history of one card moves to another


class Grade(IntEnum):
    """FSRS ratings."""

    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4


class Confidence(IntEnum):
    """How sure the learner said to be, in the order of the keys."""

    SURE = 1
    THINK_SO = 2
    GUESS = 3


class Origin(StrEnum):
    """Where an answer came from. Exam answers never enter FSRS."""

    STUDY = "study"
    CRAM = "cram"
    EXAM = "exam"
    IMPORT = "import"


@dataclass(frozen=True, slots=True)
class Answer:
    """What an answer row adds."""

    card: str  # deck/card
    card_kind: str  # recall, trap, compute
    content: str  # hash of the card's content when it was asked
    origin: Origin
    sitting: str  # UUID of the sitting
    repetition: int  # how many answers of this card came before, undone ones included
    grade: Grade
    seconds: float  # from the question to the grade
    parameters: Mapping[str, int | float | str] = field(default_factory=dict)  # compute: as asked
    order: tuple[str, ...] = ()  # trap: keys of the choices as shown
    choice: str | None = None  # trap: the chosen key; compute: the belief whose number was typed
    raw: str | None = None  # what was typed
    correct: bool | None = None  # None for self-graded recall
    confidence: Confidence | None = None
    due: int | None = None  # the study day promised on screen
    retention: float = 0.9  # desired retention in force
    parameter_set: str = "default"  # id of the PARAMETERS event in force, or default
    engine: str = ""  # FSRS engine and version
    evidence: str | None = None  # key of the evidence shown
    after_undo: bool = False  # the key was seen: kept out of calibration and fit


@dataclass(frozen=True, slots=True)
class Event:
    """One row of the log."""

    id: str  # UUID
    counter: int  # Lamport counter
    at: str  # ISO 8601 in UTC, microseconds
    offset: int  # minutes east of UTC in force
    day: int  # study day, frozen at writing: days since 1970-01-01 of the local study date
    kind: EventKind
    clamped: bool = False  # the clock was behind the card's last day
    card: str | None = None  # for every kind but parameters
    answer: Answer | None = None
    target: str | None = None  # undo: the row it removes; reattach: the new deck/card
    value: Mapping[str, object] = field(default_factory=dict)
    """Parameters: `w`, the set, and `reschedule`, whether due days move. Suspend, bury and flag:
    `on`, which is true unless it is there and false."""
    schema: int = SCHEMA_VERSION
