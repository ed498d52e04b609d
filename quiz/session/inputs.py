"""What comes into a sitting: from the learner, from the store, from a proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quiz.deck.card import Card
from quiz.events import Confidence, EventKind, Grade
from verify.api import Text


@dataclass(frozen=True, slots=True)
class Started:
    """The screen is ready."""


@dataclass(frozen=True, slots=True)
class Revealed:
    """The answer of a recall card is asked for."""


@dataclass(frozen=True, slots=True)
class Graded:
    grade: Grade


@dataclass(frozen=True, slots=True)
class Chosen:
    letter: str


@dataclass(frozen=True, slots=True)
class Sure:
    confidence: Confidence


@dataclass(frozen=True, slots=True)
class Typed:
    text: str


@dataclass(frozen=True, slots=True)
class HintAsked:
    """A hint is asked for."""


@dataclass(frozen=True, slots=True)
class ProofAsked:
    """The proof is asked for, of the card whose answer was shown last."""


@dataclass(frozen=True, slots=True)
class ProofDone:
    """The proof is over. `evidence` is the key of what was shown, None where there is none."""

    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class UndoAsked:
    """The last answer is to be undone."""


@dataclass(frozen=True, slots=True)
class Marked:
    """The card on screen is to be suspended, buried for today, or flagged (`on`) or not."""

    kind: EventKind
    on: bool = True


@dataclass(frozen=True, slots=True)
class Edited:
    """The deck was read again: what its cards are now, by `deck/card`."""

    cards: Mapping[str, Card]


@dataclass(frozen=True, slots=True)
class Skipped:
    """This card is left out of the sitting; nothing is logged."""


@dataclass(frozen=True, slots=True)
class Next:
    """The feedback has been read."""


@dataclass(frozen=True, slots=True)
class Quit:
    """The learner leaves, or the input ended."""


@dataclass(frozen=True, slots=True)
class Saved:
    """The store's acknowledgement: the row is durable. `interval` is the one promised, in days."""

    event: str
    interval: int = 0
    leech: int = 0  # how often the card has been forgotten, where that is worth telling


@dataclass(frozen=True, slots=True)
class SaveFailed:
    reason: Text


Input = (
    Started | Revealed | Graded | Chosen | Sure | Typed | HintAsked | ProofAsked | ProofDone
    | UndoAsked | Marked | Edited | Skipped | Next | Quit | Saved | SaveFailed
)  # fmt: skip
