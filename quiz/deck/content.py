"""A card's content as one short hash, so that the log can say what was asked."""

from __future__ import annotations

import dataclasses
import hashlib
import json

from quiz.deck.card import Card

_NOT_CONTENT = ("deck", "id", "places")  # a card that moves or is renamed keeps its content


def content_hash(card: Card) -> str:
    """The first 16 hex digits of SHA-256 over the card's fields as canonical JSON.

    Positions, the card's id and its deck are left out. Fields that a card doesn't use are left out
    too, so that a field which a later version adds changes no hash of a card without it.
    """
    fields = {
        name: value
        for name, value in dataclasses.asdict(card).items()
        if name not in _NOT_CONTENT and value not in (None, (), {})
    }
    canonical = json.dumps(fields, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]
