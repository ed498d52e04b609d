"""What can go wrong with the store.

ProofdeckError
├── UsageError
│   └── StoreRefused   the file is not ours to open; nothing was touched
├── StoreFailed        a write failed: nothing of it was saved
└── CardChanged        another session wrote to the card meanwhile; nothing was saved
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from verify.api import ProofdeckError, Text, UsageError


class StoreRefused(UsageError):
    """The file is foreign, newer, damaged, or no database; it was left as it is."""


class StoreFailed(ProofdeckError):
    """The system wouldn't write or read; what was being written was not saved."""


class CardChanged(ProofdeckError):
    """Another session wrote to the card since it was read; nothing was saved."""

    def __init__(self, card: str) -> None:
        self.card = card
        super().__init__(
            Text(
                ja=f"{card} は別の画面で更新されていたので、この解答は保存していません。",
                en=f"{card} was changed in another session, so this answer was not saved.",
            ),
            Text(ja="もう一度答えてください。", en="Answer it again."),
        )


def damaged(path: Path, detail: str) -> StoreRefused:
    """The file is ours but broken. `detail` is the engine's or the reader's word for it."""
    return StoreRefused(
        Text(
            ja=f"{path}: データベースが壊れています({detail})。何も変更していません。",
            en=f"{path}: the database is damaged ({detail}). Nothing was changed.",
        ),
        Text(
            ja="バックアップから戻すか、このファイルを別の場所へ移して新しく始めてください。",
            en="Restore a backup, or move this file away to start afresh.",
        ),
    )


def read_only(path: Path) -> StoreRefused:
    """The file or its folder can't be written."""
    return StoreRefused(
        Text(
            ja=f"{path}: 書き込みが許可されていないので、学習の記録を保存できません。",
            en=f"{path}: this can't be written, so answers can't be saved.",
        ),
        Text(
            ja="書き込みを許可するか、QUIZ_HOME で別のフォルダーを指定してください。",
            en="Allow writing to it, or name another folder with QUIZ_HOME.",
        ),
    )


_FULL = Text(
    ja="{path}: ディスクの空きがなく、保存できませんでした。",
    en="{path}: the disk is full; this was not saved.",
)
_BUSY = Text(
    ja="{path}: 別のプログラムが使用中のため、保存できませんでした。",
    en="{path}: another program is holding the database; this was not saved.",
)
_BROKEN = Text(
    ja="{path}: 読み書きに失敗しました({detail})。",
    en="{path}: reading or writing failed ({detail}).",
)
_FREE_SPACE = Text(
    ja="空きを作ってから、もう一度試してください。", en="Free some space, then try again."
)
_TRY_AGAIN = Text(ja="少し待って、もう一度試してください。", en="Wait a moment and try again.")
_CHECK_DISK = Text(
    ja="ディスクとフォルダーの状態を確認してください。",
    en="Check the disk and the folder.",
)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn the engine's errors into ours. Broken constraints are bugs and pass through.

    Raises StoreRefused where the file is damaged or can't be written, StoreFailed otherwise.
    """
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except sqlite3.DatabaseError as error:
        code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise damaged(path, str(error)) from error
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
            raise read_only(path) from error
        if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _is_full(path)):
            raise StoreFailed(_FULL.fill(path=path), _FREE_SPACE) from error
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreFailed(_BUSY.fill(path=path), _TRY_AGAIN) from error
        raise StoreFailed(_BROKEN.fill(path=path, detail=error), _CHECK_DISK) from error


def _is_full(path: Path) -> bool:
    """SQLite says "I/O error" where the disk has no room for its shared memory."""
    try:
        return shutil.disk_usage(path.parent).free < 2**16
    except OSError:
        return False
