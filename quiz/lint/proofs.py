"""What proving a card came to, beside the findings that it made."""

from __future__ import annotations

from dataclasses import dataclass

from quiz.deck.card import Position
from verify.api import Text


@dataclass(frozen=True)
class ProofNote:
    """The verdict of one card, the reason where it isn't proven, and the time that it took."""

    file: str
    position: Position
    card: str
    verdict: str
    reason: Text | None
    seconds: float
