"""The decks that a command means, and the cards in them."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from difflib import get_close_matches

from quiz import cache
from quiz.collector import collector_paused
from quiz.commands.common import LANGUAGE, surroundings
from quiz.deck.card import Card, Deck
from quiz.deck.kept import loader
from quiz.deck.library import find_decks, read_decks
from verify.api import Text, UnknownName, UsageError, printable, verbatim


def all_decks(names: Sequence[str]) -> list[Deck]:
    """The decks called so, by path or id; without names the shipped ones and the learner's own.

    What is wrong with a card is said on standard error, and the rest is used. Raises UsageError
    where there is no such deck or nothing in it can be used.
    """
    decks: list[Deck] = []
    read = loader(cache.usual())
    with collector_paused():
        found = read_decks(find_decks(names, surroundings().home), read)
        gc.freeze()  # the decks stay until the process ends: walking them again is wasted time
    for loaded in found:
        for problem in loaded.problems:
            place = f"{loaded.path}:{problem.position.line}:{problem.position.column}"
            sys.stderr.write(printable(f"{place} {problem.message.pick(LANGUAGE)}\n"))
        if loaded.deck is not None:
            decks.append(loaded.deck)
    if not any(deck.cards for deck in decks):
        raise UsageError(
            Text(ja="使えるカードがありません。", en="There is no card to use."),
            Text(
                ja="quiz lint で問題を確かめてください。", en="Run quiz lint to see what is wrong."
            ),
        )
    return decks


def all_cards(names: Sequence[str]) -> list[Card]:
    """The cards of `all_decks`, in deck order."""
    return [card for deck in all_decks(names) for card in deck.cards]


def card_named(name: str) -> tuple[Deck, Card]:
    """The card called `deck/card`, or `FILE::card`, and its deck. Raises UsageError."""
    path, separator, identity = name.rpartition("::")
    decks = all_decks([path] if separator else [])
    wanted = f"{decks[0].id}/{identity}" if separator else name
    card = find_card([card for deck in decks for card in deck.cards], wanted)
    return next(deck for deck in decks if deck.id == card.deck), card


def find_card(cards: Sequence[Card], key: str) -> Card:
    """The card called `deck/card`. Raises UnknownName with the nearest names."""
    by_key = {card.key: card for card in cards}
    if key in by_key:
        return by_key[key]
    near = get_close_matches(key, by_key, n=3, cutoff=0.5)
    raise UnknownName(
        Text(ja=f"カード {key[:80]} はありません。", en=f"There is no card {key[:80]}."),
        verbatim(", ".join(near)) if near else None,
    )
