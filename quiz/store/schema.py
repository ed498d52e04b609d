"""The tables, and how a database of an earlier release becomes one of this release."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

APPLICATION_ID = 0x7066646B  # "pfdk": tells our databases from others
VERSION = 2  # of the schema: the number of migrations below, kept in user_version

LOG = """
CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  counter INTEGER NOT NULL CHECK (counter > 0),
  at TEXT NOT NULL,
  "offset" INTEGER NOT NULL CHECK ("offset" BETWEEN -1440 AND 1440),
  day INTEGER NOT NULL CHECK (day BETWEEN 0 AND 2932896),
  kind TEXT NOT NULL CHECK (kind IN
    ('answer', 'undo', 'suspend', 'bury', 'flag', 'parameters', 'reattach')),
  clamped INTEGER NOT NULL CHECK (clamped IN (0, 1)),
  card TEXT,
  target TEXT,
  value TEXT,
  schema INTEGER NOT NULL,
  card_kind TEXT,
  content TEXT,
  origin TEXT CHECK (origin IN ('study', 'cram', 'exam', 'import')),
  sitting TEXT,
  repetition INTEGER CHECK (repetition >= 0),
  grade INTEGER CHECK (grade BETWEEN 1 AND 4),
  seconds REAL CHECK (seconds >= 0),
  parameters TEXT,
  choice_order TEXT,
  choice TEXT,
  raw TEXT,
  correct INTEGER CHECK (correct IN (0, 1)),
  confidence INTEGER CHECK (confidence BETWEEN 1 AND 3),
  due INTEGER CHECK (due BETWEEN 0 AND 2932896),
  retention REAL CHECK (retention > 0 AND retention < 1),
  parameter_set TEXT,
  engine TEXT,
  evidence TEXT,
  after_undo INTEGER CHECK (after_undo IN (0, 1)),
  CHECK (kind IN ('parameters', 'undo') OR card IS NOT NULL),
  CHECK (kind NOT IN ('undo', 'reattach') OR target IS NOT NULL),
  CHECK (kind <> 'answer' OR (
    card_kind IS NOT NULL AND content IS NOT NULL AND origin IS NOT NULL AND sitting IS NOT NULL
    AND repetition IS NOT NULL AND grade IS NOT NULL AND seconds IS NOT NULL
    AND parameters IS NOT NULL AND choice_order IS NOT NULL AND retention IS NOT NULL
    AND parameter_set IS NOT NULL AND engine IS NOT NULL AND after_undo IS NOT NULL))
) STRICT;
CREATE INDEX events_counter ON events (counter);
CREATE INDEX events_card ON events (card, counter) WHERE card IS NOT NULL;
CREATE INDEX events_undone ON events (target) WHERE kind = 'undo';
CREATE INDEX events_reattached ON events (counter) WHERE kind = 'reattach';
CREATE INDEX events_fitted ON events (counter) WHERE kind = 'parameters';
CREATE TRIGGER events_not_updated BEFORE UPDATE ON events
  BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER events_not_deleted BEFORE DELETE ON events
  BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER events_not_replaced BEFORE INSERT ON events
  WHEN EXISTS (SELECT 1 FROM events WHERE id = NEW.id OR seq = NEW.seq)
  BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
"""
"""A replacing insert deletes without firing the trigger on deletes; the third one stops it."""

EVIDENCE = """
CREATE TABLE evidence (
  seq INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  experiment TEXT NOT NULL,
  at TEXT NOT NULL,
  json TEXT NOT NULL
) STRICT;
CREATE INDEX evidence_key ON evidence (key, at);
"""

SETTINGS = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
"""
"""What a learner has set and may set anew: the exam plan, the mock exam that is open. No truth
about any card is in here."""


def create(connection: sqlite3.Connection) -> None:
    """The tables in an empty database, for reading where nothing has been written yet."""
    for step in STEPS:
        step(connection)


def create_log_and_evidence(database: Any) -> None:
    """Version 1."""
    _run(database, LOG)
    _run(database, EVIDENCE)


def create_settings(database: Any) -> None:
    """Version 2."""
    _run(database, SETTINGS)


Step = Callable[[Any], None]
STEPS: tuple[Step, ...] = (create_log_and_evidence, create_settings)
"""What each version of the schema added, oldest first. A step that was released never changes and
keeps its name; a new one goes to the end, and a dump of the version before it into tests/data."""

VERSION = len(STEPS)  # kept in user_version


def migrate(
    connection: sqlite3.Connection, keep: Callable[[int], None] = lambda version: None
) -> None:
    """Bring a connection's database to this release, in one transaction.

    The connection is in autocommit mode. `keep` is called with the version found, once nobody
    else can write. Raises sqlite3.IntegrityError where a row of the log would be lost; then
    nothing has changed.
    """
    from sqlite_utils import Database, Migrations  # costs 0.2 s, and only a first start needs it

    migrations = Migrations("proofdeck")
    for step in STEPS:
        migrations(name=step.__name__)(step)
    connection.execute("BEGIN IMMEDIATE")
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version < VERSION:  # else another process has just done it
            keep(version)
        before = _rows(connection)
        migrations.apply(Database(connection, execute_plugins=False))
        if _rows(connection) != before:
            raise sqlite3.IntegrityError("a migration lost rows of the log")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _rows(connection: sqlite3.Connection) -> int:
    tables = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'events'"
    if connection.execute(tables).fetchone() is None:
        return 0
    (count,) = connection.execute("SELECT count(*) FROM events").fetchone()
    return int(count)


def _run(database: Any, script: str) -> None:
    """Each statement of a script on its own: executescript would commit the transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            database.execute(statement)
            statement = ""
