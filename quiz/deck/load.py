"""A deck file to a deck, or to what is wrong with it. Never a traceback, whatever the bytes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from quiz.collector import collector_paused
from quiz.deck.card import Deck, Place, Places, Position
from quiz.deck.compose import Refused, compose, decode
from quiz.deck.problem import Problem
from quiz.deck.schema import DeckReader
from quiz.deck.source import LARGEST, Source, read_bytes
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


def load(path: Path) -> Loaded:
    """Read one file. What can't be opened or isn't a file is a problem `unreadable`."""
    try:
        data = read_bytes(path)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        return Loaded(path, None, (_unreadable(path, error),))
    return parse(data, path)


def parse(data: bytes, path: Path) -> Loaded:
    """What the bytes hold; a pure function of them (`path` is only put into the result)."""
    try:
        source = decode(data)
    except Refused as refused:
        text = data[:LARGEST].decode("utf-8", "replace").removeprefix("\ufeff")
        return Loaded(path, None, (refused.problem,), source=Source(text))
    with collector_paused():
        return _read(source, path)


def _read(source: Source, path: Path) -> Loaded:
    """The checked reading of a text. Its nodes are gone on return, so no collector meets them."""
    try:
        root = compose(source)
    except Refused as refused:
        return Loaded(path, None, (refused.problem,), source=source)
    if root is None:
        return Loaded(path, None, (_EMPTY,), source=source)
    reader = DeckReader(source)
    deck = reader.deck(root, path)
    # Every alias of one anchor leads to the same node, and so to the same problem.
    problems = sorted(dict.fromkeys(reader.problems), key=lambda problem: problem.position)
    return Loaded(path, deck, tuple(problems), reader.declared, Places(reader.deck_places), source)


def read_decks(paths: Iterable[Path], load: Callable[[Path], Loaded] = load) -> tuple[Loaded, ...]:
    """Several files in the given order, each once.

    Two decks with one id would mix the histories of their cards: the later one is refused.
    """
    files: dict[Path, Loaded] = {}
    owners: dict[str, Path] = {}
    for path in paths:
        if (key := path.resolve()) in files:
            continue
        loaded = load(path)
        if loaded.deck is not None:
            owner = owners.setdefault(loaded.deck.id, path)
            if owner != path:
                loaded = _without_deck(loaded, loaded.deck, owner)
        files[key] = loaded
    return tuple(files.values())


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
    return dataclasses.replace(loaded, deck=None, problems=(problem, *loaded.problems))


_EMPTY = Problem(
    "schema",
    Position(1, 1),
    Text(ja="ファイルが空です。", en="The file is empty."),
    Text(
        ja="deck、title、cards を書いてください。",
        en="A deck has the keys deck, title and cards.",
    ),
)


def _unreadable(path: Path, error: OSError | ValueError) -> Problem:
    if isinstance(error, IsADirectoryError):
        message = Text(ja="ファイルではなくフォルダーです。", en="This is a folder, not a file.")
    elif isinstance(error, FileNotFoundError):
        message = Text(ja="ファイルがありません。", en="There is no such file.")
    elif isinstance(error, PermissionError):
        message = Text(ja="読む権限がありません。", en="You may not read this file.")
    else:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        message = Text(ja=f"読めません({reason})。", en=f"It can't be read: {reason}.")
    return Problem(
        "unreadable",
        Position(1, 1),
        message,
        Text(ja="パスを確かめてください。", en="Check the path."),
    )
