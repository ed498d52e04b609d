"""What a deck file came to, and several files together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from quiz.deck.card import Deck, Place, Position
from quiz.deck.problem import Problem
from quiz.deck.source import Source
from verify.api import Text


@dataclass(frozen=True)
class Loaded:
    """One file: its deck (None where nothing of it can be used) and its problems by position.

    A card with a problem is left out of `deck`; the others are there. `declared` names every card
    of the file, the left-out ones too; `places` are those of the deck's own fields.
    """

    path: Path
    deck: Deck | None
    problems: tuple[Problem, ...]
    declared: Mapping[str, Position] = field(default_factory=dict)
    places: Mapping[Place, Position] = field(default_factory=dict, repr=False)
    source: Source = field(default_factory=lambda: Source(""), repr=False, compare=False)


def read_decks(
    paths: Iterable[Path], load: Callable[[Path], Loaded] | None = None
) -> tuple[Loaded, ...]:
    """Several files in the given order, each once.

    Two decks with one id would mix the histories of their cards: the later one is refused.
    """
    files: dict[Path, Loaded] = {}
    owners: dict[str, Path] = {}
    for path in paths:
        if (key := path.resolve()) in files:
            continue
        loaded = (load or _load)(path)
        if loaded.deck is not None:
            owner = owners.setdefault(loaded.deck.id, path)
            if owner != path:
                loaded = _without_deck(loaded, loaded.deck, owner)
        files[key] = loaded
    return tuple(files.values())


def _load(path: Path) -> Loaded:
    from quiz.deck.load import load  # and with it the parser: not where decks come from the cache

    return load(path)


def _without_deck(loaded: Loaded, deck: Deck, owner: Path) -> Loaded:
    place = loaded.places["deck",]
    problem = Problem(
        "duplicate-id",
        place,
        Text(
            ja=f"デッキ {deck.id} は {owner} にもあります。",
            en=f"The deck {deck.id} is also in {owner}.",
        ),
        Text(
            ja="deck に別の id を書くか、一方のファイルを外してください。",
            en="Give one of them another id, or leave one file out.",
        ),
        end=Position(place.line, place.column + len(deck.id)),
    )
    return replace(loaded, deck=None, problems=(problem, *loaded.problems))
