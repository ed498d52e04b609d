"""Finding, creating, checking and opening the database file."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
from pathlib import Path

from quiz.store import guard
from quiz.store.errors import StoreFailed, damaged, read_only, shown, translated
from quiz.store.schema import VERSION, create, migrate
from quiz.store.store import Store
from verify.api import Text

FILE = "quiz.db"
WAIT = 10.0  # seconds that a write waits for another process to finish its own
LOG_PAGES = 8000  # 32 MB: copied into the file on closing, not while the learner waits
CHECKED_WHOLE = 32 * 2**20  # bytes; a bigger file is checked as it is read, and by `doctor`


def open_store(home: Path, *, write: bool) -> Store:
    """Open the store in the folder `home`; to write, both are created where missing.

    To read, nothing is created: a missing file reads as an empty log, and a folder that can't be
    written is read all the same. Raises StoreRefused, before anything is touched, for a file
    that is foreign, newer, damaged or no database, and to write, for one that can't be written.
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
    with translated(path):
        _check_whole(path)
        connection, copy = _connect(path, writable)
        try:
            _prepare(connection, path, write=write)
        except BaseException:
            connection.close()
            if copy is not None:
                copy.cleanup()
            raise
    return Store(connection, path, copy.cleanup if copy else None)


def _create(path: Path) -> None:
    """Build a new database beside its place and link it there whole: no one sees half of one,
    and of two processes that start together one wins and both use its file."""
    with translated(path):
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=f"{FILE}.", suffix=".new", dir=path.parent)
            os.close(handle)
        except PermissionError:
            raise read_only(path.parent) from None
        except OSError as error:
            raise _system(path, error) from error
        fresh = Path(name)
        try:
            connection = sqlite3.connect(fresh, isolation_level=None)
            try:
                migrate(connection)
                connection.execute("PRAGMA journal_mode = WAL")
            finally:
                connection.close()
            _publish(fresh, path)
        except OSError as error:
            raise _system(path, error) from error
        finally:
            fresh.unlink(missing_ok=True)


def _publish(fresh: Path, path: Path) -> None:
    try:
        path.hardlink_to(fresh)
    except FileExistsError:
        return
    except OSError:  # a file system without links
        if path.exists():
            return
        fresh.rename(path)
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _system(path: Path, error: OSError) -> StoreFailed:
    return StoreFailed(
        Text(
            ja=f"{shown(path)}: 作成できません({error.strerror})。",
            en=f"{shown(path)}: can't be created ({error.strerror}).",
        ),
        Text(
            ja="ディスクを確認するか、QUIZ_HOME で別のフォルダーを指定してください。",
            en="Check the disk, or name another folder with QUIZ_HOME.",
        ),
    )


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
    copy = None
    if writable:
        mode = "rw"
    elif not _wal(path).exists():
        mode = "ro&immutable=1"
    else:
        copy = tempfile.TemporaryDirectory(prefix="proofdeck-")
        target = Path(copy.name) / path.name
        for source, to in ((path, target), (_wal(path), _wal(target))):
            shutil.copyfile(source, to)
        path, mode = target, "rw"
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=WAIT, isolation_level=None), copy


def _prepare(connection: sqlite3.Connection, path: Path, *, write: bool) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    guard.check_version(path, version)  # a newer release may have written it to the log beside
    if not write:
        connection.execute("PRAGMA query_only = ON")
        return
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA recursive_triggers = ON")
    connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
    if version < VERSION:
        migrate(connection)
