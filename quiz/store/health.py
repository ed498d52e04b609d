"""What can be wrong with a store that opens: its file, its tables, its rows and its evidence.

Nothing here writes.
"""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from quiz.store.columns import COLUMNS, from_cells
from quiz.store.errors import translated
from quiz.store.schema import create
from quiz.store.store import Store
from verify.api import Text, printable
from verify.api.worlds import Evidence

MOST_SHOWN = 20  # findings of one sort
_NAMES = ", ".join(f'"{name}"' for name in COLUMNS)
_TABLES = (
    "SELECT type || ' ' || name, sql FROM sqlite_schema"
    " WHERE name NOT GLOB 'sqlite_*' AND name NOT GLOB '*_sqlite_migrations*'"
)


def examine_file(store: Store) -> Iterator[Text]:
    """Damage that SQLite finds, tables that aren't as we make them, modes of files."""
    with translated(store.path):
        for (said,) in store.connection.execute(f"PRAGMA integrity_check({MOST_SHOWN})"):
            if said != "ok":
                yield Text(
                    ja=f"ファイルが壊れています({printable(said)})。バックアップから戻してください。",
                    en=f"The file is damaged ({printable(said)}). Restore it from a backup.",
                )
        yield from examine_tables(store.connection)
    yield from _modes(store.path)


def foreign_rows(store: Store) -> Iterator[Text]:
    """Rows of the log that another program must have written: they hold no event."""
    with translated(store.path):
        found = _foreign(store.connection)
        yield from islice(found, MOST_SHOWN)


def examine_rows(store: Store, today: int) -> Iterator[Text]:
    """Rows that hold an event, but a doubtful one. `today` is the study day."""
    with translated(store.path):
        yield from chain(
            islice(_ahead(store.connection, today), MOST_SHOWN),
            islice(_aimless(store.connection), MOST_SHOWN),
            islice(_unreadable_evidence(store.connection), MOST_SHOWN),
        )


def examine_tables(connection: sqlite3.Connection) -> Iterator[Text]:
    """Tables, indices and triggers that aren't as a fresh database of this release has them."""
    pristine = sqlite3.connect(":memory:")
    try:
        create(pristine)
        ours = dict(pristine.execute(_TABLES))
    finally:
        pristine.close()
    theirs = dict(connection.execute(_TABLES))
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in theirs:
            yield Text(ja=f"{name} がありません。", en=f"{name} is missing.")
        elif name not in ours:
            known = printable(name)
            yield Text(
                ja=f"{known} は proofdeck のものではありません。",
                en=f"{known} isn't of proofdeck's making.",
            )
        elif ours[name] != theirs[name]:
            yield Text(
                ja=f"{name} が作成時のものと違います。", en=f"{name} isn't as proofdeck makes it."
            )


def _modes(path: Path) -> Iterator[Text]:
    if os.name != "posix" or not path.exists():
        return
    # SQLite gives the files beside a database (-wal, -shm) its mode, and makes them to read, too.
    files = [file for file in path.parent.glob(f"{path.stem}*.db") if file.is_file()]
    for file in [path.parent, *sorted(files)]:
        mode = stat.S_IMODE(file.stat().st_mode)
        wanted = 0o700 if file == path.parent else 0o600
        if mode & 0o077 and (file != path.parent or mode & 0o022):
            name = printable(str(file))
            yield Text(
                ja=f"{name}: ほかの利用者が使えます。chmod {wanted:o} で閉じてください。",
                en=f"{name}: others can use this. Close it with chmod {wanted:o}.",
            )


def _foreign(connection: sqlite3.Connection) -> Iterator[Text]:
    for cells in connection.execute(f"SELECT {_NAMES} FROM events ORDER BY seq"):
        try:
            from_cells(cells)
        except (ValueError, TypeError, RecursionError) as error:
            row, why = printable(str(cells[0]))[:80], printable(str(error))[:120]
            yield Text(
                ja=f"{row} の行は、記録として読めません({why})。",
                en=f"Row {row} can't be read as an event ({why}).",
            )


def _ahead(connection: sqlite3.Connection, today: int) -> Iterator[Text]:
    query = "SELECT id, day FROM events WHERE day > ? ORDER BY seq"
    for row, day in connection.execute(query, (today + 1,)):
        yield Text(
            ja=f"{printable(row)} の行は {day - today} 日先の日付です。時計が進んでいたようです。",
            en=f"Row {printable(row)} is dated {day - today} days ahead: a clock was wrong.",
        )


def _aimless(connection: sqlite3.Connection) -> Iterator[Text]:
    query = (
        "SELECT id FROM events AS e WHERE kind = 'undo' AND NOT EXISTS"
        " (SELECT 1 FROM events AS t WHERE t.id = e.target) ORDER BY seq"
    )
    for (row,) in connection.execute(query):
        yield Text(
            ja=f"{printable(row)} の行は、ここにない解答を取り消しています。元の記録を quiz import"
            " で取り込んでください。",
            en=f"Row {printable(row)} undoes an answer that isn't here. Import the log it is from.",
        )


def _unreadable_evidence(connection: sqlite3.Connection) -> Iterator[Text]:
    for key, text in connection.execute("SELECT key, json FROM evidence ORDER BY seq"):
        if not _is_evidence(text):
            name = printable(key)[:80]
            yield Text(
                ja=f"証拠 {name} は読めないので、使いません。測り直せば置き換わります。",
                en=f"Evidence {name} can't be read and isn't used. Measuring again replaces it.",
            )


def _is_evidence(text: Any) -> bool:
    try:
        Evidence.from_json(json.loads(text))
    except (ValueError, KeyError, TypeError, StopIteration, RecursionError):
        return False
    return True
