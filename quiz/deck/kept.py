"""A deck as JSON and back, so that a file that was read once isn't parsed again.

Only decks without a problem are kept, and without the places of their fields: who wants those
lints.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from quiz.cache import Cache, key_of
from quiz.collector import collector_paused
from quiz.deck.card import (
    Card,
    Choice,
    Deck,
    Kind,
    NumberLure,
    Position,
    Proof,
    Run,
    Statement,
)  # fmt: skip
from quiz.deck.load import Loaded, load, parse
from quiz.deck.source import LARGEST, read_bytes
from verify.api import Text

_KIND = "deck"
_SMALLEST = 2**14  # bytes: a smaller deck is parsed as fast


def loader(cache: Cache) -> Callable[[Path], Loaded]:
    """Like `load`, from the cache where it can be."""

    def read(path: Path) -> Loaded:
        try:
            data = read_bytes(path)
        except (OSError, ValueError):
            return load(path)  # which says why
        if not _SMALLEST <= len(data) <= LARGEST:
            return parse(data, path)
        key = key_of([data])
        with collector_paused():  # which would walk the growing deck again and again
            if (kept := cache.get(_KIND, key)) is not None:
                try:
                    return _loaded(kept, path)
                except (KeyError, TypeError, ValueError, IndexError):
                    pass  # another program's entry: read the file
        loaded = parse(data, path)
        if loaded.deck is not None and not loaded.problems:
            cache.put(_KIND, key, _kept(loaded, loaded.deck))
        return loaded

    return read


def _kept(loaded: Loaded, deck: Deck) -> Any:
    return [deck.id, loaded.places["deck",], _of_text(deck.title), [*map(_of_card, deck.cards)]]


def _loaded(kept: Any, path: Path) -> Loaded:
    name, place, title, cards = kept
    line, column = place
    deck = Deck(name, _text(title), tuple([_card(name, card) for card in cards]), path)
    nowhere = Position(1, 1)
    declared = {card.id: nowhere for card in deck.cards}
    return Loaded(path, deck, (), declared, {("deck",): Position(line, column)})


def _of_text(text: Text | None) -> Any:
    return None if text is None else text.ja if text.ja == text.en else [text.ja, text.en]


def _text(kept: Any) -> Text:
    return Text(kept, kept) if isinstance(kept, str) else Text(*kept)


def _maybe(kept: Any) -> Text | None:
    return None if kept is None else _text(kept)


def _of_card(card: Card) -> Any:
    proof = card.proof
    return [
        card.id,
        card.kind.value,
        _of_text(card.ask),
        card.topic,
        card.source,
        _of_text(card.explain),
        _of_text(card.hint),
        card.after,
        card.idea,
        None
        if proof is None
        else [
            [[run.name, run.experiment, dict(run.given), run.fault] for run in proof.runs],
            [[truth.claim, truth.unless] for truth in proof.truth],
        ],
        _of_text(card.answer),
        [
            [_of_text(c.text), c.statement.claim, c.statement.unless, c.belief, _of_text(c.why)]
            for c in card.choices
        ],
        dict(card.vary),
        card.result,
        [[lure.result, lure.belief, _of_text(lure.why)] for lure in card.lures],
        card.unit,
    ]


def _card(deck: str, kept: Any) -> Card:
    (name, kind, ask, topic, source, explain, hint, after, idea, proof, answer, choices, vary,
     result, lures, unit) = kept  # fmt: skip
    return Card(
        deck,
        name,
        Kind(kind),
        _text(ask),
        topic,
        source,
        _maybe(explain),
        _maybe(hint),
        tuple(after),
        idea,
        None if proof is None else _proof(*proof),
        _maybe(answer),
        tuple(
            [
                Choice(_text(text), Statement(claim, unless), belief, _maybe(why))
                for text, claim, unless, belief, why in choices
            ]
        ),
        {name: tuple(values) for name, values in vary.items()},
        result,
        tuple([NumberLure(value, belief, _maybe(why)) for value, belief, why in lures]),
        unit,
    )


def _proof(runs: Any, truth: Any) -> Proof:
    return Proof(
        tuple([Run(*run) for run in runs]), tuple([Statement(*statement) for statement in truth])
    )
