"""What a sitting asks the outside to do."""

from __future__ import annotations

from dataclasses import dataclass

from quiz.events import EventKind
from quiz.session.blocks import Block
from quiz.session.question import Draft, Question


@dataclass(frozen=True)
class Show:
    block: Block


@dataclass(frozen=True)
class Save:
    """Make this answer durable, then say Saved or SaveFailed."""

    draft: Draft


@dataclass(frozen=True)
class RemoveLast:
    """Undo the row `event`, then say Saved or SaveFailed."""

    event: str
    card: str


@dataclass(frozen=True)
class Mark:
    """Suspend, bury or flag this card, or take that back, then say Saved or SaveFailed."""

    kind: EventKind
    card: str
    on: bool


@dataclass(frozen=True)
class Prove:
    """Prove this card with these parameters, then say ProofDone."""

    question: Question


@dataclass(frozen=True)
class Warm:
    """A proof may be asked for: get ready for it while the learner reads."""


@dataclass(frozen=True)
class Finish:
    """The sitting is over; its summary has been shown."""


Effect = Show | Save | RemoveLast | Mark | Prove | Warm | Finish
