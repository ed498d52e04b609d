"""What was worked out from files before, kept by the content of those files and of this program.

Everything here can be lost at any time. An entry is JSON behind its own digest, so that a damaged
or truncated one is no entry; nothing is ever executed.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

MOST_ENTRIES = 64
LARGEST = 64 * 2**20  # bytes of an entry
_DIGEST = 32  # hex digits


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
        try:
            with self._path(kind, key).open("rb") as file:
                data = file.read(LARGEST + 1)
            digest, _, payload = data.partition(b"\n")
            if len(data) > LARGEST or digest.decode("ascii") != _digest(payload):
                return None
            return json.loads(payload)
        except (OSError, ValueError, RecursionError):
            return None

    def put(self, kind: str, key: str, value: Any) -> None:
        """Keep a value, and no more than the newest entries of its kind."""
        payload = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        if len(payload) >= LARGEST:
            return
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(f"{_digest(payload)}\n".encode() + payload)
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
    digest = hashlib.blake2b(_program(), digest_size=20)
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


@lru_cache
def _program() -> bytes:
    """This program: its files by size and time of change, and what else decides how it reads."""
    root = Path(__file__).parent.parent
    files = [sys.version, version("pyyaml")]
    for package in ("quiz", "verify"):
        for folder, folders, names in os.walk(root / package):
            folders[:] = [name for name in folders if name != "__pycache__"]
            for name in sorted(names):
                if name.endswith(".py"):
                    state = Path(folder, name).stat()
                    files.append(f"{folder}/{name} {state.st_size} {state.st_mtime_ns}")
    return "\n".join(sorted(files)).encode()


def _digest(payload: bytes) -> str:
    return hashlib.blake2b(payload, digest_size=_DIGEST // 2).hexdigest()
