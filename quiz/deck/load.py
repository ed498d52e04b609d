"""A deck file to a deck, or to what is wrong with it. Never a traceback, whatever the bytes."""

from __future__ import annotations

from pathlib import Path

from quiz.collector import collector_paused
from quiz.deck.card import Places, Position
from quiz.deck.compose import Refused, compose, decode
from quiz.deck.loaded import Loaded
from quiz.deck.problem import Problem
from quiz.deck.schema import DeckReader
from quiz.deck.source import LARGEST, NotRegular, Source, read_bytes
from verify.api import Text


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
    elif isinstance(error, NotRegular):
        message = Text(
            ja="通常のファイルではありません。", en="This is a pipe or a device, not a file."
        )
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
