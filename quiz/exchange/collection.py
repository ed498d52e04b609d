"""An Anki collection: its note types, notes, cards and answers, from schema 11 or 18.

The database is hostile: it is read only, without views, triggers or virtual tables, within limits
of size and time, and every cell is checked.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from quiz.clock import Moment
from quiz.exchange import wire
from quiz.exchange.material import refused
from quiz.exchange.templates import Template
from quiz.memory.study_day import EPOCH, FIRST_DAY, LAST_DAY, study_day
from verify.api import Text

MAGIC = b"SQLite format 3\0"
LONGEST_READING = 20.0  # seconds
MOST_ROWS = 2_000_000  # of one table
LONGEST_VALUE = 16 * 2**20  # bytes of one cell
_CHECKED_WHOLE = 32 * 2**20  # bytes
_EPOCH_SECONDS = 1_000_000_000  # a `due` above this is an instant, below it a day
_TABLES = ("col", "notes", "cards", "revlog")
_TABLES_18 = ("notetypes", "fields", "templates", "decks", "config")

_DAMAGED = Text(ja="コレクションが壊れています", en="the collection in it is damaged")
_FOREIGN = Text(
    ja="Anki のコレクションにはない仕掛けを含んでいます",
    en="the collection in it has parts that no collection of Anki has",
)
_SLOW = Text(ja="読み終わりません", en="it takes too long to read")
_LARGE = Text(ja="行が多すぎます", en="the collection in it has too many rows")


@dataclass(frozen=True, slots=True)
class NoteType:
    """What fields a note has and what cards are made of it. A cloze type has one template."""

    name: str
    fields: tuple[str, ...]
    templates: tuple[Template, ...]
    is_cloze: bool


@dataclass(frozen=True, slots=True)
class Note:
    """One note. `tags` are separated by spaces."""

    guid: str
    kind: int
    tags: tuple[str, ...]
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnkiCard:
    """One card of a note, and where it stands in the schedule."""

    id: int
    note: int
    deck: int
    template: int
    changed: int  # epoch seconds
    kind: int  # 0 new, 1 learning, 2 review, 3 relearning
    queue: int  # -1 suspended, -2 and -3 buried
    due: int  # days since the collection was made, or epoch seconds while learning
    flag: int


@dataclass(frozen=True, slots=True)
class AnkiAnswer:
    """One line of the review log."""

    at: int  # epoch milliseconds
    card: int
    ease: int  # 1-4; 0 where the schedule was changed by hand
    interval: int  # days, or negative seconds
    factor: int
    milliseconds: int
    kind: int  # 0 learn, 1 review, 2 relearn, 3 filtered deck, 4 by hand, 5 rescheduled


@dataclass(frozen=True)
class Collection:
    """All that is read of a collection."""

    created: int  # epoch seconds
    created_offset: int | None  # minutes east of UTC, since Anki 2.1.20
    scheduler: int  # 1 or newer
    types: Mapping[int, NoteType]
    decks: Mapping[int, str]
    notes: Mapping[int, Note]
    cards: tuple[AnkiCard, ...]
    answers: tuple[AnkiAnswer, ...]

    def due_day(self, due: int, zone: timezone | None = None) -> int | None:
        """The study day of a card's `due`; `zone` None is the local one. None: no such day.

        Days count from the day the collection was made. Where only the instant is known, the
        middle of Anki's day decides: its edge, 4:00 of the maker, moves with the clocks.
        """
        try:
            if due > _EPOCH_SECONDS:
                day = study_day(datetime.fromtimestamp(due, UTC).astimezone(zone))
            elif self.created_offset is not None:
                maker = timezone(timedelta(minutes=self.created_offset))
                first = datetime.fromtimestamp(self.created, UTC).astimezone(maker).date()
                day = (first - EPOCH).days + due
            else:
                middle = datetime.fromtimestamp(self.created, UTC) + timedelta(days=due, hours=12)
                day = study_day(middle.astimezone(zone))
        except (ValueError, OverflowError, OSError):
            return None
        return day if FIRST_DAY <= day <= LAST_DAY else None


def moment(seconds: float, zone: timezone | None = None) -> Moment | None:
    """An instant as the log keeps it, in `zone` or locally; None where the log can't hold it."""
    try:
        local = datetime.fromtimestamp(seconds, UTC).astimezone(zone)
        offset = local.utcoffset() or timedelta()
    except (ValueError, OverflowError, OSError):
        return None
    day = study_day(local)
    if not FIRST_DAY <= day <= LAST_DAY:
        return None
    return Moment(local.astimezone(UTC), round(offset.total_seconds() / 60), day)


def read(path: Path, name: str) -> Collection:
    """Read the database at `path`; `name` is what messages call it. Raises UsageError."""
    with path.open("rb") as file:
        if not file.read(len(MAGIC)) == MAGIC:
            raise refused(name, _DAMAGED)
    try:
        with contextlib.closing(_connect(path)) as connection:
            return _Reader(connection, name).collection(path.stat().st_size)
    except sqlite3.OperationalError as error:
        slow = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT
        raise refused(name, _SLOW if slow else _DAMAGED) from error
    except (
        sqlite3.Error,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise refused(name, _DAMAGED) from error


def _connect(path: Path) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, 100_000)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA mmap_size = 0")
    end = time.monotonic() + LONGEST_READING
    connection.set_progress_handler(lambda: time.monotonic() > end, 10_000)
    connection.create_collation("unicase", _unicase)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    return connection


def _unicase(left: str, right: str) -> int:
    a, b = left.casefold(), right.casefold()
    return (a > b) - (a < b)


class _Reader:
    def __init__(self, connection: sqlite3.Connection, name: str) -> None:
        self.connection = connection
        self.name = name

    def collection(self, size: int) -> Collection:
        self._check_schema()
        if size <= _CHECKED_WHOLE:
            (found,) = self.connection.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok":
                raise refused(self.name, _DAMAGED)
        ((created, version, conf, models, decks),) = self._rows(
            "SELECT crt, ver, conf, models, decks FROM col LIMIT 1", "iisss"
        )
        if version > 11:
            self._require(_TABLES_18)
            settings = self._settings()
            types, names = self._types(), self._decks()
        else:
            settings = json.loads(conf or "{}")
            types, names = _old_types(json.loads(models)), _old_decks(json.loads(decks))
        west = settings.get("creationOffset")
        return Collection(
            created,
            -west if type(west) is int and abs(west) <= 1439 else None,
            1 if settings.get("schedVer", 1 if version <= 11 else 2) == 1 else 2,
            types,
            names,
            self._notes(),
            self._cards(),
            self._answers(),
        )

    def _check_schema(self) -> None:
        query = "SELECT type, name, coalesce(rootpage, 0) FROM sqlite_schema"
        for kind, _, page in self.connection.execute(query):
            if kind not in ("table", "index") or page <= 0:  # virtual tables have no page
                raise refused(self.name, _FOREIGN)
        self._require(_TABLES)

    def _require(self, tables: tuple[str, ...]) -> None:
        query = "SELECT name FROM sqlite_schema WHERE type = 'table'"
        there = {name for (name,) in self.connection.execute(query)}
        if not there.issuperset(tables):
            raise refused(self.name, _DAMAGED)

    def _rows(self, query: str, kinds: str) -> Iterator[tuple[Any, ...]]:
        """Rows whose cells are whole numbers (i), text (s) or bytes (b). Raises ValueError."""
        wanted = tuple({"i": int, "s": str, "b": bytes}[kind] for kind in kinds)
        for number, row in enumerate(self.connection.execute(query)):
            if number >= MOST_ROWS:
                raise refused(self.name, _LARGE)
            if tuple(map(type, row)) != wanted:
                raise ValueError(f"a cell of another type: {query}")
            yield row

    def _notes(self) -> dict[int, Note]:
        query = "SELECT id, guid, mid, tags, flds FROM notes"
        return {
            key: Note(guid, kind, tuple(tags.split()), tuple(fields.split("\x1f")))
            for key, guid, kind, tags, fields in self._rows(query, "isiss")
        }

    def _cards(self) -> tuple[AnkiCard, ...]:
        query = (
            "SELECT id, nid, CASE WHEN odid <> 0 THEN odid ELSE did END, ord, mod, type, queue,"
            " CASE WHEN odid <> 0 AND odue <> 0 THEN odue ELSE due END, flags & 7"
            " FROM cards ORDER BY nid, ord, id"
        )
        return tuple(AnkiCard(*row) for row in self._rows(query, "iiiiiiiii"))

    def _answers(self) -> tuple[AnkiAnswer, ...]:
        query = "SELECT id, cid, ease, ivl, factor, time, type FROM revlog ORDER BY id"
        return tuple(AnkiAnswer(*row) for row in self._rows(query, "iiiiiii"))

    # Schema 15 and later: tables with protobuf messages in them

    def _settings(self) -> dict[str, Any]:
        rows = self._rows("SELECT KEY, val FROM config", "sb")
        wanted = ("creationOffset", "schedVer")
        return {key: json.loads(value) for key, value in rows if key in wanted}

    def _types(self) -> dict[int, NoteType]:
        names: dict[int, list[str]] = {}
        for kind, name in self._rows("SELECT ntid, name FROM fields ORDER BY ntid, ord", "is"):
            names.setdefault(kind, []).append(name)
        templates: dict[int, list[Template]] = {}
        query = "SELECT ntid, config FROM templates ORDER BY ntid, ord"
        for kind, config in self._rows(query, "ib"):
            made = Template(wire.text(config, 1), wire.text(config, 2))
            templates.setdefault(kind, []).append(made)
        return {
            key: NoteType(
                name,
                tuple(names.get(key, ())),
                tuple(templates.get(key, ())),
                wire.number(config, 1) == 1,
            )
            for key, name, config in self._rows("SELECT id, name, config FROM notetypes", "isb")
        }

    def _decks(self) -> dict[int, str]:
        rows = self._rows("SELECT id, name FROM decks", "is")
        return {key: name.replace("\x1f", "::") for key, name in rows}


def _old_types(models: Mapping[str, Any]) -> dict[int, NoteType]:
    return {
        int(key): NoteType(
            str(model["name"]),
            tuple(str(field["name"]) for field in model["flds"]),
            tuple(Template(str(one["qfmt"]), str(one["afmt"])) for one in model["tmpls"]),
            model.get("type") == 1,
        )
        for key, model in models.items()
    }


def _old_decks(decks: Mapping[str, Any]) -> dict[int, str]:
    return {int(key): str(deck["name"]) for key, deck in decks.items()}
