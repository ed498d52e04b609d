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

from quiz.cache import Cache, as_json, key_of
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
_CODE = ("quiz/deck", "verify/text.py")  # what decides how a deck is read and kept
_SMALLEST = 2**14  # bytes: a smaller deck is parsed as fast


def loader(cache: Cache) -> Callable[[Path], Loaded]:
    """Like `load`, from the cache where it can be."""

    def read(path: Path) -> Loaded:
        try:
            if not _SMALLEST <= path.stat().st_size <= LARGEST:
                return _parsed(None, path)
            content, data = cache.content_of(path, read_bytes)
            if (found := _found(cache, content, path)) is not None:
                return found
            if data is None:  # the deck isn't kept any more, and the file may have changed just now
                data = read_bytes(path)
                content = key_of([data], code=())
        except (OSError, ValueError):
            return _parsed(None, path)
        loaded = _parsed(data, path)
        if loaded.deck is not None and not loaded.problems:
            cache.put(_KIND, _key(content), *_kept(loaded, loaded.deck))
        return loaded

    return read


def _key(content: str) -> str:
    return key_of([content], code=_CODE)


def _found(cache: Cache, content: str, path: Path) -> Loaded | None:
    with collector_paused():  # which would walk the growing deck again and again
        kept = cache.get_with(_KIND, _key(content))
        try:
            return None if kept is None else _loaded(*kept, path)
        except (KeyError, TypeError, ValueError, IndexError):
            return None  # another program's entry


def _parsed(data: bytes | None, path: Path) -> Loaded:
    from quiz.deck.load import load, parse  # the parser: not where the cache has the deck

    return load(path) if data is None else parse(data, path)


def _kept(loaded: Loaded, deck: Deck) -> tuple[Any, bytes]:
    rests = [as_json(_of_rest(card)) for card in deck.cards]
    heads = [
        [card.id, card.topic, card.after, card.idea, len(rest)]
        for card, rest in zip(deck.cards, rests, strict=True)
    ]
    value = [deck.id, loaded.places["deck",], _of_text(deck.title), heads]
    return value, b"".join(rests)


def _loaded(kept: Any, rests: memoryview, path: Path) -> Loaded:
    name, (line, column), title, heads = kept
    cards: list[Card] = []
    start = 0
    for identity, topic, after, idea, length in heads:
        card = object.__new__(_KeptCard)
        own = card.__dict__  # not by `__init__`: it would take half of the time for thousands
        own["deck"], own["id"], own["topic"], own["idea"] = name, identity, topic, idea
        own["after"] = tuple(after)
        own["_rest"] = rests[start : start + length]
        start += length
        cards.append(card)
    if start != len(rests):
        raise ValueError("another program's entry")
    declared = dict.fromkeys([card.id for card in cards], Position(1, 1))
    deck = Deck(name, _text(title), tuple(cards), path)
    return Loaded(path, deck, (), declared, {("deck",): Position(line, column)})


class _KeptCard(Card):  # noqa: PLW1641  # no card has a hash: it holds mappings
    """A card that reads the rest of itself when it is asked for, and is an ordinary card then."""

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
        own.update(_rest_of(*json.loads(bytes(rest))))
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
