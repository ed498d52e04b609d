"""Is this file ours? Asked of its first hundred bytes, before SQLite is let near it."""

from __future__ import annotations

import stat
from pathlib import Path

from quiz.store import schema
from quiz.store.errors import StoreFailed, StoreRefused, damaged
from verify.api import Text

_MAGIC = b"SQLite format 3\0"  # https://www.sqlite.org/fileformat2.html#the_database_header
_MOVE = Text(
    ja="別の場所へ移すか、QUIZ_HOME で別のフォルダーを指定してください。",
    en="Move it away, or name another folder with QUIZ_HOME.",
)


def exists(path: Path) -> bool:
    """Whether our database is at `path`; nothing there is False.

    Raises StoreRefused for anything else that lies there, StoreFailed where it can't be read.
    """
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise _refused(path, "ファイルではなくフォルダーです", "this is a folder, not a file")
        if not stat.S_ISREG(mode):
            raise _refused(path, "通常のファイルではありません", "this is not a regular file")
        with path.open("rb") as file:
            header = file.read(100)
    except FileNotFoundError:
        for place in (path, *path.parents):  # a folder too: a disk that isn't there now
            if place.is_symlink() and not place.exists():
                raise _refused(place, "リンク先がありません", "this link leads nowhere") from None
        return False
    except NotADirectoryError:
        raise _refused(path.parent, "フォルダーではありません", "this is not a folder") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise StoreFailed(
            Text(
                ja=f"{path}: 読めません({reason})。",
                en=f"{path}: can't be read ({reason}).",
            ),
            _MOVE,
        ) from error
    _check_header(path, header)
    return True


def is_log(path: Path) -> bool:
    """Whether a file says that it is a database of ours, of whatever release. Never raises."""
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except (OSError, ValueError):
        return False
    return header.startswith(_MAGIC) and _number(header, 68) == schema.APPLICATION_ID


def check_version(path: Path, version: int) -> None:
    """Raises StoreRefused where a later release wrote the database."""
    if version > schema.VERSION:
        raise StoreRefused(
            Text(
                ja=f"{path}: より新しい版が作ったデータベースです(形式 {version}、この版は"
                f" {schema.VERSION} まで)。何も変更していません。",
                en=f"{path}: a newer release made this database (format {version}; this"
                f" one knows up to {schema.VERSION}). Nothing was changed.",
            ),
            Text(
                ja="proofdeck を更新してください。pip install --upgrade proofdeck",
                en="Update proofdeck: pip install --upgrade proofdeck",
            ),
        )


def _check_header(path: Path, header: bytes) -> None:
    if not header.startswith(_MAGIC):
        raise _refused(path, "データベースではありません", "this is not a database")
    if len(header) < 100:
        raise damaged(path, "the header is cut short")
    if _number(header, 68) != schema.APPLICATION_ID:
        raise _refused(
            path,
            "別のプログラムのデータベースです",
            "this database belongs to another program",
        )
    check_version(path, _number(header, 60))


def _number(header: bytes, at: int) -> int:
    return int.from_bytes(header[at : at + 4])


def _refused(path: Path, ja: str, en: str) -> StoreRefused:
    return StoreRefused(
        Text(
            ja=f"{path}: {ja}。何も変更していません。",
            en=f"{path}: {en}. Nothing was changed.",
        ),
        _MOVE,
    )
