"""Finding, creating, checking and opening the database file."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

from quiz.store import guard, schema
from quiz.store.copying import copy, drafted, failed, publish
from quiz.store.errors import damaged, read_only, translated
from quiz.store.schema import create, migrate
from quiz.store.store import Store

FILE = "quiz.db"
WAIT = 10.0  # seconds that a write waits for another process to finish its own
LOG_PAGES = 8000  # 32 MB: copied into the file on closing, not while the learner waits
CHECKED_WHOLE = 32 * 2**20  # bytes; a bigger file is checked as it is read, and by `doctor`


def open_store(home: Path, *, write: bool) -> Store:
    """Open the store in the folder `home`; to write, both are created where missing.

    To read, nothing is created: a missing file reads as an empty log, and a folder that can't be
    written is read all the same. Raises StoreRefused, before anything is touched, for a file
    that is foreign, newer, damaged or no database, and to write, for one that can't be written.
    A file of an earlier release is read as it is; to write, it is upgraded, and a copy kept.
    """
    path = (home / FILE).absolute()
    if not guard.exists(path):
        if not write:
            connection = sqlite3.connect(":memory:", isolation_level=None)
            create(connection)
            return Store(connection, path)
        _create(path)
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    if write and not writable:
        raise read_only(path)
    return _open(path, write=write, writable=writable)


def open_log(path: Path) -> Store:
    """Open another database of ours, wherever it lies, to read. Nothing beside it is touched.

    Raises StoreRefused or StoreFailed as `open_store` does, also where there is no such file.
    """
    path = path.absolute()
    if not guard.exists(path):
        raise failed(path, FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)))
    return _open(path, write=False, writable=False)


def _open(path: Path, *, write: bool, writable: bool) -> Store:
    with translated(path):
        _check_whole(path)
        connection, copied = _connect(path, writable)
        try:
            connection = _prepare(connection, path, write=write)
        except BaseException as error:
            connection.close()
            if copied is not None:
                copied.cleanup()
            if writable and not write and _needs_room(error):
                return _open(path, write=False, writable=False)
            raise
    return Store(connection, path, copied.cleanup if copied else None)


def _needs_room(error: BaseException) -> bool:
    """Whether a file can't be opened as usual because its disk is full or went read-only: it is
    read all the same."""
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    wanting = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN)
    return code in (*wanting, sqlite3.SQLITE_READONLY)


def _create(path: Path) -> None:
    """Build a new database beside its place and link it there whole: no one sees half of one,
    and of two processes that start together one wins and both use its file."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except PermissionError:
        raise read_only(path.parent) from None
    except OSError as error:
        raise failed(path.parent, error) from error
    if not os.access(path.parent, os.W_OK):
        raise read_only(path.parent)
    with drafted(path) as fresh, translated(path):
        with contextlib.closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
            migrate(connection)
            connection.execute("PRAGMA journal_mode = WAL")
        publish(fresh, path)


def _wal(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _check_whole(path: Path) -> None:
    """Look for damage without writing a byte. While others have it open (there is a log beside
    it), they have checked, and SQLite checks what it reads."""
    if _wal(path).exists() or path.stat().st_size > CHECKED_WHOLE:
        return
    before = path.stat()
    try:
        with contextlib.closing(sqlite3.connect(path.as_uri() + "?immutable=1", uri=True)) as file:
            (found,) = file.execute("PRAGMA quick_check(1)").fetchone()
            tables = {name for (name,) in file.execute("SELECT name FROM sqlite_schema")}
    except sqlite3.DatabaseError as error:
        found, tables = str(error), {"events", "evidence"}
    after = path.stat()
    if _wal(path).exists() or (before.st_mtime_ns, before.st_size) != (
        after.st_mtime_ns,
        after.st_size,
    ):
        return  # another process began to write meanwhile, so this reading proves nothing
    if found != "ok":
        raise damaged(path, found.splitlines()[-1])
    if not {"events", "evidence", "events_not_updated", "events_not_deleted"} <= tables:
        raise damaged(path, "tables are missing")


def _connect(
    path: Path, writable: bool
) -> tuple[sqlite3.Connection, tempfile.TemporaryDirectory[str] | None]:
    """A connection that can read whatever the folder allows.

    In a folder that can't be written, a file without a log beside it is read as it lies; with
    one, SQLite may need to write, so both are read from a private copy.
    """
    copied = None
    if writable:
        mode = "rw"
    elif not _wal(path).exists():
        mode = "ro&immutable=1"
    else:
        copied = tempfile.TemporaryDirectory(prefix="proofdeck-")
        target = Path(copied.name) / path.name
        for source, to in ((path, target), (_wal(path), _wal(target))):
            shutil.copyfile(source, to)
        path, mode = target, "rw"
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=WAIT, isolation_level=None), copied


def _prepare(connection: sqlite3.Connection, path: Path, *, write: bool) -> sqlite3.Connection:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    guard.check_version(path, version)  # a newer release may have written it to the log beside
    connection.execute("PRAGMA trusted_schema = OFF")
    if not write:
        if version < schema.VERSION:
            connection = _upgraded_in_memory(connection)
        connection.execute("PRAGMA query_only = ON")
        return connection
    _make_private(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA recursive_triggers = ON")
    connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
    if version < schema.VERSION:
        migrate(connection, lambda found: _keep(path, found))
    return connection


def _keep(path: Path, version: int) -> None:
    """A copy, by a connection of its own: one that is about to write can't be copied from."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as reader:
        copy(reader, _unused(path, version))


def _make_private(path: Path) -> None:
    """A database that was copied here may be readable by all; the files beside it follow suit."""
    mode = path.stat().st_mode
    if os.name == "posix" and mode & 0o077:
        with contextlib.suppress(OSError):  # another owner's
            path.chmod(mode & 0o700)


def _upgraded_in_memory(connection: sqlite3.Connection) -> sqlite3.Connection:
    """What an earlier release wrote, as this release reads it; the file stays as it is."""
    memory = sqlite3.connect(":memory:", isolation_level=None)
    with contextlib.closing(connection):
        connection.backup(memory)
    migrate(memory)
    return memory


def _unused(path: Path, version: int) -> Path:
    """A name for the copy kept before an upgrade: `quiz.version-1.db`, or the next that is free."""
    names = (f"{path.stem}.version-{version}{more}{path.suffix}" for more in _endings())
    return next(free for name in names if not os.path.lexists(free := path.with_name(name)))


def _endings() -> Iterator[str]:
    yield ""
    yield from (f"-{number}" for number in itertools.count(2))
