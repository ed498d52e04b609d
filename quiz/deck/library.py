"""Where decks are, what a DECK argument means, and several decks read together."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import quiz
from quiz.deck.card import Deck, Position
from quiz.deck.loaded import Loaded
from quiz.deck.problem import Problem, quoted
from verify.api import Text, UsageError

SUFFIXES = (".yaml", ".yml")
_HEAD = 4096  # bytes in which a deck's id nearly always stands
_DECK = re.compile(rb"^deck:[ \t]+([a-z0-9][a-z0-9-]{0,63})[ \t]*\r?$", re.MULTILINE)


@lru_cache
def shipped_decks() -> Path:
    """The folder of the shipped decks: `quiz/decks` in the wheel, `decks` in a checkout."""
    package = Path(quiz.__file__).parent
    installed = package / "decks"
    return installed if installed.is_dir() else package.parent / "decks"


def own_decks(home: Path) -> Path:
    """The folder of the learner's own decks within `QUIZ_HOME`."""
    return home / "decks"


def find_decks(names: Sequence[str], home: Path) -> tuple[Path, ...]:
    """The files behind DECK arguments, each once: a path, a folder, or the id of a known deck.

    Without names, every shipped deck and every one in `home`. Raises UsageError where a name is
    none of these, or a folder holds no deck.
    """
    if not names:
        return _known(home)
    found = [path for name in names for path in _resolve(name, home)]
    return tuple({path.resolve(): path for path in found}.values())


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


def deck_id(path: Path) -> str | None:
    """The id of the deck in a file, usually without parsing all of it; None where it has none."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except (OSError, ValueError):
        return None
    if (match := _DECK.search(head)) is not None:
        return match[1].decode("ascii")
    loaded = _load(path)
    return loaded.deck.id if loaded.deck is not None else None


def _known(home: Path) -> tuple[Path, ...]:
    return (*_within(shipped_decks()), *_within(own_decks(home)))


def _within(folder: Path) -> Iterator[Path]:
    """The deck files below a folder, in order; hidden files and folders are left out."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir() and not entry.is_symlink():
            yield from _within(entry)
        elif entry.suffix in SUFFIXES and entry.is_file():
            yield entry


def _resolve(name: str, home: Path) -> Iterable[Path]:
    path = Path(name)
    try:
        is_folder, exists = path.is_dir() and name != "", path.exists() and name != ""
    except (OSError, ValueError):  # a name too long, or with a NUL
        is_folder = exists = False
    if is_folder:
        files = tuple(_within(path))
        if not files:
            raise UsageError(
                Text(ja=f"{name} にデッキがありません。", en=f"There is no deck in {name}."),
                Text(
                    ja="デッキは .yaml か .yml のファイルです。",
                    en="A deck is a .yaml or .yml file.",
                ),
            )
        return files
    if exists:
        return (path,)
    known = {deck: file for file in _known(home) if (deck := deck_id(file)) is not None}
    if name in known:
        return (known[name],)
    close = difflib.get_close_matches(name[:64], known, n=1)
    listed = ", ".join(sorted(known))
    raise UsageError(
        Text(
            ja=f"{quoted(name)} というファイルもデッキもありません。",
            en=f"There is no file and no deck {quoted(name)}.",
        ),
        Text(ja=f"{close[0]} のことですか。", en=f"Did you mean {close[0]}?")
        if close
        else Text(ja=f"デッキ: {listed}", en=f"Decks: {listed}")
        if listed
        else None,
    )


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
