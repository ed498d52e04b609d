"""What proving a card came to, beside the findings that it made."""

from __future__ import annotations

from dataclasses import dataclass

from quiz.deck.card import Position
from quiz.proof import Tried
from verify.api import Text


@dataclass(frozen=True)
class ProofNote:
    """The verdict of one card, the reason where it isn't proven, the time that it took, and how its
    truths were put to the test."""

    file: str
    position: Position
    card: str
    verdict: str
    reason: Text | None
    seconds: float
    tried: Tried
