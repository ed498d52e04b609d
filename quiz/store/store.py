"""The log and the evidence of one open database."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from quiz.collector import collector_paused
from quiz.events import Event, EventKind
from quiz.memory.fold import fold, predictions
from quiz.memory.rows import ROW_COLUMNS, Row, renames
from quiz.memory.states import LogState
from quiz.memory.study_day import LAST_DAY
from quiz.store.columns import COLUMNS, from_cells, to_cells
from quiz.store.errors import CardChanged, damaged, translated
from verify.api import Text, UsageError

if TYPE_CHECKING:
    from verify.api.worlds import Evidence

ANY = "*"
"""For `append`: write whatever the card's last row is."""

_NAMES = ", ".join(f'"{name}"' for name in COLUMNS)
_INSERT = f"INSERT INTO events ({_NAMES}) VALUES ({', '.join('?' * len(COLUMNS))})"
_ROW_NAMES = ", ".join(ROW_COLUMNS)
_UNDOES = "kind = 'undo' AND target IN (SELECT id FROM events WHERE"  # and which rows


class Store:
    """An open store. To be closed, or used in a `with`."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        cleanup: Callable[[], None] | None = None,
    ) -> None:
        """`cleanup` is called once the connection is closed."""
        self.connection = connection
        self.path = path
        self._cleanup = cleanup
        self._renamed: tuple[int | None, Mapping[str, str]] | None = None  # the last row, and then

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self.connection.close()
        if self._cleanup is not None:
            self._cleanup()

    # Writing

    def append(self, event: Event, *, expected_last: str | None = ANY) -> Event:
        """Write one row and return it as written, once it is synced to the disk.

        The counter becomes one more than any in the log. A day before the card's last one moves
        up to it, and the promised due day by as much. `expected_last` is the card's
        `CardState.last_event` when it was read (None: no row yet).
        Raises CardChanged where it no longer is, StoreFailed where the disk is full or busy; then
        nothing was written.
        """
        with self._transaction():
            names = self._names_in(event)
            if expected_last != ANY and self._last_event(names) != expected_last:
                raise CardChanged(event.card or "")
            (written,) = self._write([(event, names)])
        return written

    def append_all(self, events: Sequence[Event]) -> list[Event]:
        """Like `append` for rows about different cards: all of them or none."""
        with self._transaction():
            return self._write([(event, self._names_in(event)) for event in events])

    def insert(self, events: Iterable[Event]) -> int:
        """Add the rows of another log as they are, all or none; ids already here are skipped.

        Returns how many were added. Raises UsageError for a row that no log could hold.
        """
        added = 0
        try:
            with self._transaction():
                for event in events:
                    if not self._any("SELECT 1 FROM events WHERE id = ?", event.id):
                        self.connection.execute(_INSERT, to_cells(event))
                        added += 1
        except (sqlite3.IntegrityError, ValueError, TypeError, OverflowError) as error:
            raise UsageError(
                Text(
                    ja=f"取り込む記録に正しくない行があります({error})。何も取り込んでいません。",
                    en=f"a row to import is not valid ({error}); nothing was imported.",
                ),
                Text(
                    ja="proofdeck から書き出したファイルかどうか確認してください。",
                    en="Check that the file is an export of proofdeck.",
                ),
            ) from error
        return added

    def put_evidence(self, key: str, evidence: Evidence) -> None:
        """Keep a record under `key`. Earlier ones stay, so that old answers can show theirs."""
        text = json.dumps(evidence.to_json(), ensure_ascii=False)
        with self._transaction():
            self.connection.execute(
                "INSERT INTO evidence (key, experiment, at, json) VALUES (?, ?, ?, ?)",
                (key, evidence.experiment, evidence.at, text),
            )

    def set(self, name: str, value: Mapping[str, object] | None) -> None:
        """Set something to an object of JSON, or to nothing."""
        with self._transaction():
            self.connection.execute("DELETE FROM settings WHERE name = ?", (name,))
            if value is not None:
                text = json.dumps(dict(value), ensure_ascii=False, allow_nan=False)
                self.connection.execute("INSERT INTO settings VALUES (?, ?)", (name, text))

    # Reading

    def setting(self, name: str) -> Mapping[str, Any] | None:
        """What `set` was given; None where nothing is set, or nothing that can be read."""
        with translated(self.path):
            there = "SELECT 1 FROM sqlite_schema WHERE name = 'settings'"  # since schema 2
            if self.connection.execute(there).fetchone() is None:
                return None
            query = "SELECT value FROM settings WHERE name = ?"
            found = self.connection.execute(query, (name,)).fetchone()
        try:
            value = json.loads(found[0]) if found else None
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None

    def events(self, *, since: int = 0) -> Iterator[Event]:
        """The rows in the order of the fold, those with a counter above `since`.

        Raises StoreRefused at a row that holds no event.
        """
        query = f"SELECT {_NAMES} FROM events WHERE counter > ? ORDER BY day, counter, id"
        with translated(self.path):
            for cells in self.connection.execute(query, (since,)):
                try:
                    yield from_cells(cells)
                except (ValueError, TypeError, RecursionError) as error:
                    raise damaged(self.path, f"event {cells[0]}: {error}") from error

    def rows(self) -> list[Row]:
        """What the fold needs of every row, in no order."""
        with translated(self.path):
            return self.connection.execute(f"SELECT {_ROW_NAMES} FROM events").fetchall()

    def state(self) -> LogState:
        """The log folded. Raises StoreRefused where its rows can't be."""
        with collector_paused(), self._foldable():
            return fold(self.rows())

    def refreshed(self, state: LogState, card: str) -> LogState:
        """`state` with one card read again: cheap enough to do after each answer."""
        some = f"SELECT {_ROW_NAMES} FROM events WHERE"
        rows: set[Row] = set()
        with translated(self.path):
            now, *_ = names = self._names(card)
            for name in names:
                for row in self.connection.execute(f"{some} card = ?", (name,)):
                    rows.add(_moved(row, now))
                # The undos of the card alone: a log may hold thousands. An index finds each.
                rows.update(self.connection.execute(f"{some} {_UNDOES} card = ?)", (name,)))
            rows.update(self.connection.execute(f"{some} kind = 'parameters'"))
            rows.update(self.connection.execute(f"{some} {_UNDOES} kind = 'parameters')"))
        with self._foldable():
            return replace(state, cards={**state.cards, card: fold(rows).of(card)})

    def predictions(self) -> dict[str, float]:
        """The recall that FSRS expected at each answer, by id; see `fold.predictions`."""
        with collector_paused(), self._foldable():
            return predictions(self.rows())

    def evidence(self, prefix: str) -> Evidence | None:
        """The latest record whose key begins with `prefix`; one that can't be read is skipped."""
        from verify.api.worlds import Evidence

        query = (
            "SELECT json FROM evidence WHERE key >= ? AND substr(key, 1, ?) = ?"
            " AND key < ? ORDER BY at DESC, seq DESC"
        )
        bounds = (prefix, len(prefix), prefix, prefix + chr(0x10FFFF))
        with translated(self.path):
            for (text,) in self.connection.execute(query, bounds):
                with contextlib.suppress(ValueError, KeyError, TypeError, StopIteration):
                    return Evidence.from_json(json.loads(text))
        return None

    # Inside

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """All or nothing, and synced when left. Waits its turn before reading what it checks."""
        with translated(self.path):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _foldable(self) -> Iterator[None]:
        """A file too large to be checked on opening may hold what its tables forbid: say so."""
        try:
            yield
        except (ValueError, TypeError, OverflowError) as error:
            raise damaged(self.path, str(error).partition("\n")[0]) from error

    def _write(self, events: Sequence[tuple[Event, list[str]]]) -> list[Event]:
        """Rows with the names of their cards, each counted one higher than any before."""
        (latest,) = self.connection.execute("SELECT max(counter) FROM events").fetchone()
        written = []
        for counter, (event, names) in enumerate(events, start=(latest or 0) + 1):
            row = _not_before(replace(event, counter=counter), self._last_day(event, names))
            self.connection.execute(_INSERT, to_cells(row))
            written.append(row)
        return written

    def _names_in(self, event: Event) -> list[str]:
        return self._names(event.card) if event.card is not None else []

    def _any(self, query: str, value: str) -> bool:
        return self.connection.execute(query, (value,)).fetchone() is not None

    def _names(self, card: str) -> list[str]:
        """All names that the card's rows may bear: its own and those it was reattached from."""
        names = self._renames()
        now = names.get(card, card)
        return [now, *(old for old, new in names.items() if new == now)]

    def _renames(self) -> Mapping[str, str]:
        """As `LogState.renamed`; worked out once for as long as no row is added."""
        (latest,) = self.connection.execute("SELECT max(seq) FROM events").fetchone()
        if self._renamed is None or self._renamed[0] != latest:
            query = f"SELECT {_ROW_NAMES} FROM events WHERE kind = 'reattach'"
            rows = sorted(self.connection.execute(query).fetchall(), key=lambda row: row[:3])
            undo = f"SELECT target FROM events WHERE {_UNDOES} kind = 'reattach')"
            dead = {target for (target,) in self.connection.execute(undo)} if rows else ()
            self._renamed = latest, renames(rows, dead)
        return self._renamed[1]

    def _last_event(self, names: list[str]) -> str | None:
        """As `CardState.last_event`: the highest counter, and of equals the first of the fold."""
        found = [
            row
            for name in names
            for row in self.connection.execute(
                "SELECT -counter, day, id FROM events WHERE card = ?"
                " ORDER BY counter DESC, day, id LIMIT 1",
                (name,),
            )
        ]
        return min(found)[2] if found else None

    def _last_day(self, event: Event, names: list[str]) -> int:
        """The earliest day `event` may have: that of the card's last answer that stands, for a
        mark also that of the last mark of its kind, and for an undo that of the row it removes."""
        if event.kind is EventKind.UNDO:
            query, keys = "SELECT day FROM events WHERE id = ?", [event.target]
        else:
            query, keys = (
                "SELECT max(day) FROM events AS e WHERE card = ? AND kind = 'answer' AND NOT EXISTS"
                " (SELECT 1 FROM events AS u WHERE u.kind = 'undo' AND u.target = e.id)",
                [*names],
            )
        days = [row[0] for key in keys for row in self.connection.execute(query, (key,))]
        if event.kind in (EventKind.SUSPEND, EventKind.FLAG):  # the last of them counts
            like = "SELECT max(day) FROM events WHERE card = ? AND kind = ?"
            for name in names:
                days += self.connection.execute(like, (name, event.kind.value)).fetchone()
        return max((day for day in days if day is not None), default=0)


def _not_before(event: Event, day: int) -> Event:
    late = day - event.day
    if late <= 0:
        return event
    answer = event.answer
    if answer is not None and answer.due is not None:
        answer = replace(answer, due=min(answer.due + late, LAST_DAY))
    return replace(event, day=day, clamped=True, answer=answer)


def _moved(row: Row, card: str) -> Row:
    """A row as one of this card's own. Where a reattachment led has been followed already."""
    target = None if row[3] == EventKind.REATTACH else row[5]
    return (*row[:4], card, target, *row[6:])
