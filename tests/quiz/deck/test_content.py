from __future__ import annotations

import dataclasses

from quiz.deck.card import Card, Kind, Position
from quiz.deck.content import content_hash
from verify.api import Text

CARD = Card("deck", "id", Kind.RECALL, Text(ja="問い", en="Question"), answer=Text(en="Answer"))


def test_the_hash_is_fixed() -> None:
    """The log keeps hashes for years: this one was taken from `printf … | sha256sum`."""
    canonical = (
        '{"answer":{"en":"Answer","ja":null},"ask":{"en":"Question","ja":"問い"},"kind":"recall"}'
    )
    assert content_hash(CARD) == "20e500a11e904dbb", canonical


def test_identity_and_positions_are_not_content() -> None:
    moved = dataclasses.replace(CARD, deck="other", id="new", places={("ask",): Position(9, 9)})
    assert content_hash(moved) == content_hash(CARD)


def test_every_text_is_content() -> None:
    for change in (
        {"ask": Text(ja="問い", en="Question?")},
        {"answer": Text(ja="Answer")},
        {"hint": Text(en="Hint")},
        {"vary": {"ranks": (3, 4)}},
        {"kind": Kind.COMPUTE},
    ):
        assert content_hash(dataclasses.replace(CARD, **change)) != content_hash(CARD)
