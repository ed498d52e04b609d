"""A deck as JSON and back, so that a file that was read once isn't parsed again.

Only decks without a problem are kept, and without the places of their fields: who wants those
lints. A card comes back in two parts: its head, by which a sitting chooses among thousands, and the
rest, which is read when something asks for it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
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
from quiz.deck.loaded import Loaded
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
            return _parsed(None, path)
        if not _SMALLEST <= len(data) <= LARGEST:
            return _parsed(data, path)
        key = key_of([data])
        with collector_paused():  # which would walk the growing deck again and again
            if (kept := cache.get_lines(_KIND, key)) is not None:
                try:
                    return _loaded(*kept, path)
                except (KeyError, TypeError, ValueError, IndexError):
                    pass  # another program's entry: read the file
        loaded = _parsed(data, path)
        if loaded.deck is not None and not loaded.problems:
            cache.put(_KIND, key, _head_of(loaded, loaded.deck), map(_of_rest, loaded.deck.cards))
        return loaded

    return read


def _parsed(data: bytes | None, path: Path) -> Loaded:
    from quiz.deck.load import load, parse  # the parser: not where the cache has the deck

    return load(path) if data is None else parse(data, path)


def _head_of(loaded: Loaded, deck: Deck) -> Any:
    heads = [[card.id, card.topic, card.after, card.idea] for card in deck.cards]
    return [deck.id, loaded.places["deck",], _of_text(deck.title), heads]


def _loaded(kept: Any, rests: list[bytes], path: Path) -> Loaded:
    name, place, title, heads = kept
    line, column = place
    cards = [_KeptCard(name, *both) for both in zip(heads, rests, strict=True)]
    deck = Deck(name, _text(title), tuple(cards), path)
    declared = dict.fromkeys([card.id for card in cards], Position(1, 1))
    return Loaded(path, deck, (), declared, {("deck",): Position(line, column)})


class _KeptCard(Card):  # noqa: PLW1641  # no card has a hash: it holds mappings
    """A card that reads the rest of itself when it is asked for, and is an ordinary card then."""

    def __init__(self, deck: str, head: list[Any], rest: bytes) -> None:
        name, topic, after, idea = head
        self.__dict__.update(
            deck=deck, id=name, topic=topic, after=tuple(after), idea=idea, _rest=rest
        )

    def __eq__(self, other: object) -> bool:
        return _complete(self) == other


class _Rest:
    """A field that isn't read yet. Once it is, the card's own value comes first."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, card: Card, _: object = None) -> Any:
        return getattr(_complete(card), self._name)


_HEAD = ("deck", "id", "topic", "after", "idea")
for _field in fields(Card):
    if _field.name not in _HEAD:
        setattr(_KeptCard, _field.name, _Rest(_field.name))


def _complete(card: Card) -> Card:
    """Read what is left of a card. Two threads may both do it: each finds the same."""
    own = card.__dict__
    if (rest := own.get("_rest")) is not None:
        own.update(_rest_of(*json.loads(rest)))
        object.__setattr__(card, "__class__", Card)
        own.pop("_rest", None)
    return card


def _of_rest(card: Card) -> Any:
    proof = card.proof
    return [
        card.kind.value,
        _of_text(card.ask),
        card.source,
        _of_text(card.explain),
        _of_text(card.hint),
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


def _rest_of(
    kind: str, ask: Any, source: str | None, explain: Any, hint: Any, proof: Any, answer: Any,
    choices: Any, vary: Any, result: str | None, lures: Any, unit: str | None,
) -> dict[str, Any]:  # fmt: skip
    return {
        "kind": Kind(kind),
        "ask": _text(ask),
        "source": source,
        "explain": _maybe(explain),
        "hint": _maybe(hint),
        "proof": None if proof is None else _proof(*proof),
        "answer": _maybe(answer),
        "choices": tuple(
            Choice(_text(text), Statement(claim, unless), belief, _maybe(why))
            for text, claim, unless, belief, why in choices
        ),
        "vary": {name: tuple(values) for name, values in vary.items()},
        "result": result,
        "lures": tuple(NumberLure(value, belief, _maybe(why)) for value, belief, why in lures),
        "unit": unit,
        "places": {},
        "keys": (),
    }


def _of_text(text: Text | None) -> Any:
    return None if text is None else text.ja if text.ja == text.en else [text.ja, text.en]


def _text(kept: Any) -> Text:
    return Text(kept, kept) if isinstance(kept, str) else Text(*kept)


def _maybe(kept: Any) -> Text | None:
    return None if kept is None else _text(kept)


def _proof(runs: Any, truth: Any) -> Proof:
    return Proof(
        tuple([Run(*run) for run in runs]), tuple([Statement(*statement) for statement in truth])
    )
