"""The decks that a command means, and the cards in them."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

from quiz import cache
from quiz.collector import collector_paused
from quiz.commands.common import LANGUAGE, surroundings
from quiz.deck.card import Card, Deck
from quiz.deck.kept import loader
from quiz.deck.library import find_decks, read_decks
from quiz.deck.problem import Problem
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
            sys.stderr.write(told(loaded.path, problem))
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


def told(path: Path, problem: Problem) -> str:
    """What is wrong with a deck and where, as one line."""
    place = f"{path}:{problem.position.line}:{problem.position.column}"
    return printable(f"{place} {problem.message.pick(LANGUAGE)}\n")


def all_cards(names: Sequence[str]) -> list[Card]:
    """The cards of `all_decks`, in deck order."""
    return [card for deck in all_decks(names) for card in deck.cards]


def cards_named(names: Sequence[str], *, whole: bool = False) -> list[tuple[Deck, Card]]:
    """The cards called `deck/card`, or `FILE::card`, each with its deck. Raises UsageError.

    Where `whole`, a deck's id or path means all of its cards. Decks are read once, however many of
    their cards are named.
    """

    @lru_cache
    def decks_in(path: str | None) -> list[Deck]:
        return all_decks([] if path is None else [path])

    def named(name: str) -> list[tuple[Deck, Card]]:
        path, separator, identity = name.rpartition("::")
        if whole and not separator and ("/" not in name or Path(name).exists()):
            return [(deck, card) for deck in decks_in(name) for card in deck.cards]
        decks = decks_in(path if separator else None)
        wanted = f"{decks[0].id}/{identity}" if separator else name
        card = find_card([card for deck in decks for card in deck.cards], wanted)
        return [(next(deck for deck in decks if deck.id == card.deck), card)]

    return [found for name in names for found in named(name)]


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
