"""The union of two logs: what another machine, or a backup, has and this one lacks.

Rows never change and are folded in an order of their own, so the union is the same whichever log
takes in the other. Evidence isn't taken: what a machine measured counts on that machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from quiz.events import Event
from quiz.store.columns import to_cells
from quiz.store.errors import StoreRefused, damaged, translated
from quiz.store.health import examine_tables
from quiz.store.store import Store
from verify.api import LANGUAGES, Text, printable

LAST_COUNTER = 2**48
"""A log that counts on from here would come to the end of SQLite's integers; none gets so far."""
LONGEST_TEXT = 65_536  # characters in one field
LONGEST_NAME = 200  # characters of a card's name or an id
LONGEST_ANSWER = 1e9  # seconds


@dataclass(frozen=True)
class Merged:
    """How many rows were added, and how many were here already."""

    added: int
    known: int


def merge(store: Store, other: Store) -> Merged:
    """Add what `other` has and `store` lacks, all of it or nothing.

    Raises StoreRefused for a log that is damaged, holds a row that no log could hold, or tells a
    row of ours differently.
    """
    _check_whole(other)
    ours = {event.id: event for event in store.events()}
    fresh, known = [], 0
    for event in _plausible(other):
        if event.id not in ours:
            fresh.append(event)
        elif ours[event.id] == event:
            known += 1
        else:
            raise _refused(
                other.path,
                Text(
                    ja=f"{event.id} の行が、手元の記録と食い違います",
                    en=f"row {event.id} differs from the one in your log",
                ),
            )
    return Merged(store.insert(fresh), known)


def _check_whole(other: Store) -> None:
    with translated(other.path):
        (found,) = other.connection.execute("PRAGMA quick_check(1)").fetchone()
        strange = next(examine_tables(other.connection), None)
    if strange is not None:  # a view or trigger of someone else's would decide what we read
        raise _refused(other.path, strange)
    if found != "ok":
        raise damaged(other.path, found.splitlines()[-1])


def _plausible(other: Store) -> Iterator[Event]:
    """The rows of a log from elsewhere, each checked beyond what the tables check."""
    for event in other.events():
        if (wrong := _wrong(event)) is not None:
            raise _refused(
                other.path,
                Text(
                    ja=f"{event.id[:80]} の行の {wrong} が正しくありません",
                    en=f"row {event.id[:80]} has a bad {wrong}",
                ),
            )
        yield event


def _wrong(event: Event) -> str | None:
    """The field that no log of ours could hold."""
    names = {"id": event.id, "card": event.card or "", "target": event.target or ""}
    seconds = event.answer.seconds if event.answer is not None else 0.0
    fine = {
        "counter": event.counter <= LAST_COUNTER,
        **{name: len(s) <= LONGEST_NAME and printable(s) == s for name, s in names.items()},
        "at": _is_instant(event.at),
        "seconds": math.isfinite(seconds) and seconds <= LONGEST_ANSWER,
        "text": _is_storable(event),
    }
    return next((name for name, good in fine.items() if not good), None)


def _is_instant(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _is_storable(event: Event) -> bool:
    try:
        cells = to_cells(event)
    except (ValueError, TypeError, RecursionError):
        return False
    return all(not isinstance(cell, str) or len(cell) <= LONGEST_TEXT for cell in cells)


def _refused(path: Path, reason: Text) -> StoreRefused:
    ja, en = (reason.pick(language).rstrip("。.") for language in LANGUAGES)
    return StoreRefused(
        Text(
            ja=f"{path}: {ja}。何も取り込んでいません。",
            en=f"{path}: {en}; nothing was imported.",
        ),
        Text(
            ja="別のマシンの quiz.db か、quiz backup で作ったファイルを指定してください。",
            en="Give a quiz.db of another machine, or a file made by quiz backup.",
        ),
    )
