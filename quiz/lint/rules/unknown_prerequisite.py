"""A card comes `after` a card that doesn't exist.

A prerequisite is the id of a card in the same deck, or deck/card.

Bad:

    after: [data-paralel/hold-and-send]

Good:

    after: [data-parallel/hold-and-send]
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator

from quiz.deck.card import Card
from quiz.deck.problem import Problem
from quiz.lint.rule import Context
from verify.api import Text

id = "unknown-prerequisite"


def check(context: Context) -> Iterator[Problem]:
    for card in context.cards:
        for number, key in enumerate(card.after):
            deck, _, name = key.partition("/")
            cards = context.loaded.declared if deck == card.deck else context.cards_of(deck)
            if cards is not None and name in cards and key != card.key:
                continue
            yield context.problem(
                id,
                card,
                ("after", number),
                _message(card, key),
                _hint(deck, name, cards),
            )


def _message(card: Card, key: str) -> Text:
    if key == card.key:
        return Text(
            ja="カードは自分自身より後には学べません。", en="A card can't come after itself."
        )
    return Text(
        ja=f"先に学ぶカード {key} がありません。", en=f"There is no card {key} to come after."
    )


def _hint(deck: str, name: str, cards: Collection[str] | None) -> Text | None:
    if cards is None:
        return Text(
            ja=f"デッキ {deck} が見つかりません。", en=f"The deck {deck} isn't to be found."
        )
    close = difflib.get_close_matches(name, cards, n=1)
    return (
        Text(ja=f"{close[0]} のことですか。", en=f"Did you mean {close[0]}?")
        if close and close[0] != name
        else None
    )
