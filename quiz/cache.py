"""What was worked out from files before, kept by the content of those files and of this program.

Everything here can be lost at any time. An entry is a line of JSON, and maybe more lines that
whoever kept them reads when it likes, all behind their checksum, so that a damaged or truncated one
is no entry; nothing is ever executed.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import zlib
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

MOST_ENTRIES = 64
LARGEST = 64 * 2**20  # bytes of an entry
_KEY = 40  # hex digits


def usual() -> Cache:
    """The cache in the platform's folder for caches (`XDG_CACHE_HOME` moves it on Linux).

    Not in QUIZ_HOME: reading leaves that as it is.
    """
    import platformdirs

    return Cache(platformdirs.user_cache_path("proofdeck", appauthor=False))


class Cache:
    """A folder of entries. What can't be read or written is as if it weren't there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, kind: str, key: str) -> Any | None:
        """The value under this key, or None."""
        found = self.get_lines(kind, key)
        return None if found is None else found[0]

    def get_lines(self, kind: str, key: str) -> tuple[Any, list[bytes]] | None:
        """The value under this key and the lines kept with it, or None."""
        try:
            with self._path(kind, key).open("rb") as file:
                data = file.read(LARGEST + 1)
            checksum, _, payload = data.partition(b"\n")
            if len(data) > LARGEST or checksum != _checksum(payload):
                return None
            value, *lines = payload.split(b"\n")
            return json.loads(value), lines
        except (OSError, ValueError, RecursionError):
            return None

    def put(self, kind: str, key: str, value: Any, lines: Iterable[Any] = ()) -> None:
        """Keep a value, and each of `lines` as a line of JSON with it.

        No more than the newest entries of a kind stay.
        """
        payload = b"\n".join([_json(value), *map(_json, lines)])
        if len(payload) >= LARGEST:
            return
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_checksum(payload) + b"\n" + payload)
                Path(name).replace(self._path(kind, key))
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
            self._forget_old(kind)

    def _path(self, kind: str, key: str) -> Path:
        return self._folder / f"{kind}-{key}.json"

    def _forget_old(self, kind: str) -> None:
        entries = sorted(
            self._folder.glob(f"{kind}-*.json"), key=lambda path: path.stat().st_mtime_ns
        )
        for path in entries[:-MOST_ENTRIES]:
            path.unlink(missing_ok=True)


def key_of(parts: Iterable[bytes | str]) -> str:
    """One key for some contents and this program as it is now."""
    digest = hashlib.sha256(_program())  # the fastest where processors know it
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()[:_KEY]


@lru_cache
def _program() -> bytes:
    """This program: its files by size and time of change, and what else decides how it reads."""
    root = Path(__file__).parent.parent
    files = [sys.version]
    if (parser := find_spec("yaml")) is not None and parser.origin is not None:
        files.append(f"{parser.origin} {Path(parser.origin).stat().st_mtime_ns}")
    for package in ("quiz", "verify"):
        for folder, folders, names in os.walk(root / package):
            folders[:] = [name for name in folders if name != "__pycache__"]
            for name in sorted(names):
                if name.endswith(".py"):
                    state = Path(folder, name).stat()
                    files.append(f"{folder}/{name} {state.st_size} {state.st_mtime_ns}")
    return "\n".join(sorted(files)).encode()


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _checksum(payload: bytes) -> bytes:
    """Against damage, not against people: whoever may write here may write the program too."""
    return b"%08x" % zlib.crc32(payload)
