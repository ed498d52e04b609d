"""A file that a command was asked to write: refused before anything runs, or written whole."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from verify.errors import UsageError
from verify.report.columns import cut
from verify.text import Text, printable, verbatim

_NOT_A_FILE = Text(ja="ふつうのファイルではありません", en="it isn't a regular file")
_TWICE = Text(
    ja="同じ名前が 2 回指定されています。別々のファイルにしてください",
    en="it is named twice; name two files",
)


def check_all(paths: Sequence[Path]) -> None:
    """Raises UsageError where one of these can't be written, or would be written twice."""
    for path in paths:
        check_writable(path)
    targets = [path.resolve() for path in paths]
    for path, target in zip(paths, targets, strict=True):
        if targets.count(target) > 1:
            raise _refused(path, _TWICE)


def check_writable(path: Path) -> None:
    """Raises UsageError, one line that says why, where `write_whole` would fail."""
    try:
        if path.exists() and not path.is_file():
            raise _refused(path, _NOT_A_FILE)
        draft = _draft(path)
        draft.touch(exist_ok=False)
        draft.unlink()
    except (OSError, ValueError) as error:
        raise _refused(path, _reason(error)) from error


def write_whole(path: Path, text: str) -> None:
    """Write UTF-8 so that a reader sees the old file or the new one, never a part.

    Raises UsageError where it can't be written.
    """
    try:
        draft = _draft(path)
        try:
            draft.write_text(text, encoding="utf-8", newline="\n")
            draft.replace(path.resolve())
        finally:
            draft.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise _refused(path, _reason(error)) from error


def _draft(path: Path) -> Path:
    """A name beside the file itself, which a link may point to."""
    target = path.resolve()
    return target.with_name(f".{target.name}.{os.getpid()}.new")


def _reason(error: OSError | ValueError) -> Text:
    return verbatim(getattr(error, "strerror", None) or str(error))


def _refused(path: Path, reason: Text) -> UsageError:
    shown = cut(printable(str(path)), 120)
    return UsageError(
        Text(
            ja=f"{shown} に書き込めません: {reason.ja}",
            en=f"{shown} can't be written: {reason.en}",
        )
    )
