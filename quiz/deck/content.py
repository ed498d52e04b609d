"""A card's content as one short hash, so that the log can say what was asked."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from quiz.deck.card import Card

_NOT_CONTENT = ("deck", "id", "places", "keys")  # a card that moves or is renamed keeps its content


def content_hash(card: Card) -> str:
    """The first 16 hex digits of SHA-256 over the card's fields as canonical JSON.

    Positions, the card's id and its deck are left out. Fields that a card doesn't use are left out
    too, so that a field which a later version adds changes no hash of a card without it.
    """
    fields = {
        field.name: _plain(value)
        for field in dataclasses.fields(card)
        if field.name not in _NOT_CONTENT
        and (value := getattr(card, field.name)) not in (None, (), {})
    }
    canonical = json.dumps(fields, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def _plain(value: Any) -> Any:
    """Dataclasses as mappings, at any depth."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if dataclasses.is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    return value
