"""All that an author wrote for a reader of a card."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from quiz.deck.card import Card, Place
from verify.api import Language, Text

JAPANESE = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")


def by_language(text: Text) -> tuple[tuple[Language | None, str], ...]:
    """What stands in a text: one string for all languages, or one for each that it has."""
    ja, en = text.ja, text.en
    if ja is None:
        return () if en is None else (("en", en),)
    if en is None:
        return (("ja", ja),)
    return ((None, ja),) if ja == en else (("ja", ja), ("en", en))


def place_in(card: Card, place: Place, language: Language | None) -> Place:
    """Where this language of a text stands: under its own key, where it has one."""
    inner = (*place, language or "ja")
    return inner if inner in card.places else place


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


def written_in(cards: Iterable[Card]) -> Iterator[tuple[Card, Place, Language | None, str]]:
    """Those of several cards, language by language."""
    for card in cards:
        for place, text in texts(card):
            for language, one in by_language(text):
                yield card, place, language, one
