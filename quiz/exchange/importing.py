"""An import from beginning to end: read, place, and only then write."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta, timezone
from pathlib import Path

from quiz.clock import Moment
from quiz.deck.library import deck_id, find_decks, own_decks
from quiz.deck.load import load
from quiz.exchange import history, reading
from quiz.exchange.material import Material
from quiz.exchange.writing import Placed, place
from verify.api import Text, UsageError, report_file


@dataclass(frozen=True)
class Imported:
    """What was read, where it went, and how many rows of the log are new and were known."""

    material: Material
    placed: Placed
    added: int
    known: int


def import_file(
    path: Path, home: Path, now: Moment, *, replace: bool = False, dry: bool = False
) -> Imported:
    """Take the cards of a file into the decks of `home`, and their answers into its log.

    Raises UsageError where the file is refused or a deck can't take its cards; then nothing was
    written. `dry` writes nothing in any case.
    """
    material = reading.read(path, zone_of(now))
    folder = own_decks(home)
    files = find_decks([], home)
    own = [load(file) for file in files if folder in file.parents]
    taken = {name for file in files if (name := deck_id(file)) is not None}
    placed = place(material.cards, own, taken, folder, path.name, replace=replace)
    rows = list(history.events(material, placed.keys))
    if dry:
        return Imported(material, placed, len(rows), 0)
    _write(placed, folder)
    if not rows:
        return Imported(material, placed, 0, 0)
    from quiz.store import open_store

    with open_store(home, write=True) as store:
        added = store.insert(rows)
    return Imported(material, placed, added, len(rows) - added)


def zone_of(now: Moment) -> timezone | None:
    """The zone to date answers in: the local one (None), unless the clock was set to another."""
    local = now.at.astimezone().utcoffset()
    there = timedelta(minutes=now.offset)
    return None if local == there else timezone(there)


def _write(placed: Placed, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            Text(
                ja=f"{folder}: フォルダーを作れません({error.strerror})。",
                en=f"{folder}: the folder can't be made ({error.strerror}).",
            )
        ) from error
    for change in placed.changes:
        if change.changed:
            report_file.check_writable(change.path)
    for change in placed.changes:
        if change.changed:
            report_file.write_whole(change.path, change.text)
