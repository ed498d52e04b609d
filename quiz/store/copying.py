"""Whole copies of a database: backups, and what is kept before an upgrade."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

from quiz.store.errors import StoreFailed, StoreRefused, damaged, translated
from verify.api import Text


def copy(source: sqlite3.Connection, target: Path, *, replace: bool = False) -> None:
    """A copy of an open database as of one moment, whatever others write to it meanwhile.

    `target` appears whole and synced, readable by its owner alone, or not at all. Raises
    StoreRefused where it exists and isn't to be replaced, StoreFailed where it can't be written.
    """
    if os.path.lexists(target):
        if target.is_dir():  # also by a link, which would be what is replaced
            raise failed(target, IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR)))
        if not replace:
            raise _there(target)
        if target.with_name(target.name + "-wal").exists():
            raise _in_use(target)
    with drafted(target) as draft, translated(target):
        with contextlib.closing(sqlite3.connect(draft, isolation_level=None)) as connection:
            source.backup(connection)
        address = draft.as_uri() + "?immutable=1"
        with contextlib.closing(sqlite3.connect(address, uri=True)) as connection:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise damaged(target, found.splitlines()[-1])
        if not publish(draft, target, replace=replace):
            raise _there(target)


@contextlib.contextmanager
def drafted(target: Path) -> Iterator[Path]:
    """A private, empty file beside `target`, gone afterwards unless it was given its name.

    Raises StoreFailed where the folder can't be written.
    """
    try:
        handle, name = tempfile.mkstemp(prefix=f"{target.name}.", suffix=".new", dir=target.parent)
        os.close(handle)
    except OSError as error:
        raise failed(target, error) from error
    draft = Path(name)
    try:
        yield draft
    except OSError as error:
        raise failed(target, error) from error
    finally:
        for ending in ("", "-wal", "-shm", "-journal"):
            draft.with_name(draft.name + ending).unlink(missing_ok=True)


def publish(draft: Path, target: Path, *, replace: bool = False) -> bool:
    """Give a whole file its name, durably; no one sees half of one. False where the name is taken
    and isn't to be replaced."""
    if replace:
        draft.replace(target)
    else:
        try:
            target.hardlink_to(draft)
        except FileExistsError:
            return False
        except OSError:  # a file system without links
            if os.path.lexists(target):
                return False
            draft.rename(target)
    if os.name == "posix":
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    return True


def failed(path: Path, error: OSError) -> StoreFailed:
    """The system wouldn't make a file."""
    return StoreFailed(
        Text(
            ja=f"{path}: 作成できません({error.strerror})。",
            en=f"{path}: can't be created ({error.strerror}).",
        ),
        Text(
            ja="ディスクを確認するか、別のフォルダーを指定してください。",
            en="Check the disk, or name another folder.",
        ),
    )


def _there(path: Path) -> StoreRefused:
    return StoreRefused(
        Text(
            ja=f"{path}: すでにあるので、上書きしませんでした。",
            en=f"{path}: this exists already and was not overwritten.",
        ),
        Text(
            ja="別の名前を指定するか、置き換えてよければ --force を付けてください。",
            en="Give another name, or --force to replace it.",
        ),
    )


def _in_use(path: Path) -> StoreRefused:
    """A log beside it would be read into the new file, and damage it."""
    return StoreRefused(
        Text(
            ja=f"{path}: 使用中のデータベースなので、置き換えませんでした。",
            en=f"{path}: this database is in use and was not replaced.",
        ),
        Text(ja="別の名前を指定してください。", en="Give another name."),
    )
