"""All that an author wrote for a reader of a card."""

from __future__ import annotations

from collections.abc import Iterator

from quiz.deck.card import Card, Place
from verify.api import Text


def texts(card: Card) -> Iterator[tuple[Place, Text]]:
    """Every text of a card and its place."""
    for name in ("ask", "answer", "explain", "hint"):
        text: Text | None = getattr(card, name)
        if text is not None:
            yield (name,), text
    for number, choice in enumerate(card.choices):
        yield ("choices", number, "text"), choice.text
        if choice.why is not None:
            yield ("choices", number, "why"), choice.why
    for number, lure in enumerate(card.lures):
        if lure.why is not None:
            yield ("lures", number, "why"), lure.why
