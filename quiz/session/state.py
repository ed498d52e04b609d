"""Where a sitting stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from quiz.deck.card import Card, Choice
from quiz.session.effects import Mark
from quiz.session.question import Draft, Question


@dataclass(frozen=True)
class Turn:
    """A card waiting in the sitting."""

    card: Card
    repetition: int = 0  # answers before this sitting, undone ones too


class Phase(StrEnum):
    """What the sitting waits for."""

    READY = "ready"  # Started
    ASKED = "asked"  # an answer, or Revealed
    CHOSEN = "chosen"  # Sure
    REVEALED = "revealed"  # Graded
    SAVING = "saving"  # Saved, of an answer
    UNDOING = "undoing"  # Saved, of an undo
    MARKING = "marking"  # Saved, of a suspension, a burial or a flag
    PROVING = "proving"  # ProofDone
    FEEDBACK = "feedback"  # Next
    DONE = "done"  # nothing is left to ask; the last answer can still be undone or proven
    FINISHED = "finished"


OPEN = (Phase.ASKED, Phase.CHOSEN, Phase.REVEALED)  # a question stands unanswered
WRITING = (Phase.SAVING, Phase.UNDOING, Phase.MARKING)
WAITING = (*OPEN, Phase.FEEDBACK, Phase.DONE)  # the learner is to do something


@dataclass(frozen=True)
class Given:
    """An answer of this sitting, durable, and what it takes to undo it."""

    draft: Draft
    event: str
    before: tuple[Turn, ...]  # the queue when it was asked, it first
    skipped: int


@dataclass(frozen=True)
class Aside:
    """A card suspended or buried in this sitting, durable, and what it takes to undo it."""

    card: str
    event: str
    before: tuple[Turn, ...]
    answers: int  # given before it


@dataclass(frozen=True)
class State:
    """One sitting. `queue` holds what is to be asked, the current card first, each card once."""

    queue: tuple[Turn, ...]
    total: int
    phase: Phase = Phase.READY
    question: Question | None = None
    chosen: Choice | None = None
    draft: Draft | None = None  # being saved
    back: Phase = Phase.ASKED  # where a failed save or a proof returns to
    given: tuple[Given, ...] = ()
    aside: tuple[Aside, ...] = ()
    marking: Mark | None = None  # being saved
    repetitions: Mapping[str, int] = field(default_factory=dict)  # where changed in this sitting
    proving: Question | None = None
    seen: frozenset[str] = frozenset()  # cards whose key was seen before their next answer
    evidence: str | None = None  # shown for the current question
    skipped: int = 0
    leaving: bool = False  # Quit came while a row was being saved

    @classmethod
    def of(cls, turns: tuple[Turn, ...]) -> State:
        return cls(turns, len(turns))


def markable(state: State) -> Question | None:
    """The question whose card can be suspended, buried, flagged or edited now: the one on screen"""
    if state.phase in OPEN:
        return state.question
    return state.given[-1].draft.question if state.phase is Phase.FEEDBACK else None


def provable(state: State) -> Question | None:
    """The question that a proof would show: the one whose answer was shown last, else this one."""
    open_question = state.question if state.phase in OPEN else None
    if open_question and (
        state.phase is Phase.REVEALED or open_question.card.key in state.seen or not state.given
    ):
        return open_question
    return state.given[-1].draft.question if state.given else None
