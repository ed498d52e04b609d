"""What was worked out from files before, kept by the content of those files and of this program.

Everything here can be lost at any time. An entry is a line of JSON, and maybe more that whoever
kept it reads when it likes, all behind a checksum, so that a damaged or truncated one is no entry;
nothing is ever executed.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

MOST_ENTRIES = 64
LARGEST = 64 * 2**20  # bytes of an entry
_KEY = 40  # hex digits
_RACE = 2 * 10**9  # nanoseconds: no disk's clock is coarser


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
        found = self.get_with(kind, key)
        return None if found is None else found[0]

    def get_with(self, kind: str, key: str) -> tuple[Any, memoryview] | None:
        """The value under this key and what was kept with it, or None."""
        try:
            with self._path(kind, key).open("rb") as file:
                data = file.read(LARGEST + 1)
            checked = data.index(b"\n") + 1  # by places: cutting would copy megabytes
            whole = memoryview(data)
            if len(data) > LARGEST or data[: checked - 1] != _checksum(whole[checked:]):
                return None
            end = data.index(b"\n", checked)
            return json.loads(data[checked:end]), whole[end + 1 :]
        except (OSError, ValueError, RecursionError):
            return None

    def put(self, kind: str, key: str, value: Any, more: bytes = b"") -> None:
        """Keep a value, and more with it. No more than the newest entries of a kind stay."""
        payload = as_json(value) + b"\n" + more
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

    def content_of(self, path: Path, read: Callable[[Path], bytes]) -> tuple[str, bytes | None]:
        """A key for what stands in a file, and its bytes where they had to be read for it.

        They don't, where the key is kept for a file whose size, place and time of change are still
        the same; unless it changed within `_RACE` of when the key was kept, since a second change
        within one tick of the disk's clock would go unseen. Raises what `read` does.
        """
        state = path.stat()
        name = key_of([f"{state.st_dev} {state.st_ino} {state.st_size} {state.st_mtime_ns} "
                       f"{state.st_ctime_ns}"], code=())  # fmt: skip
        with suppress(OSError):
            kept = self._path("file", name).stat().st_mtime_ns
            settled = kept - max(state.st_ctime_ns, state.st_mtime_ns) > _RACE
            if settled and isinstance(key := self.get("file", name), str):
                return key, None
        data = read(path)
        key = key_of([data], code=())
        self.put("file", name, key)
        return key, data


def key_of(parts: Iterable[bytes | str], code: Iterable[str] = ("quiz", "verify")) -> str:
    """One key for some contents and this program as it is now, or the parts of it in `code`."""
    digest = hashlib.sha256(_program(tuple(code)))  # the fastest where processors know it
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()[:_KEY]


@lru_cache
def _program(code: tuple[str, ...]) -> bytes:
    """This program: its files by size and time of change, and what else decides how it reads."""
    if not code:
        return b""
    root = Path(__file__).parent.parent
    files = [sys.version]
    if (parser := find_spec("yaml")) is not None and parser.origin is not None:
        files.append(f"{parser.origin} {Path(parser.origin).stat().st_mtime_ns}")
    for part in code:
        for path in [root / part] if part.endswith(".py") else (root / part).rglob("*.py"):
            state = path.stat()
            files.append(f"{path} {state.st_size} {state.st_mtime_ns}")
    return "\n".join(sorted(files)).encode()


def as_json(value: Any) -> bytes:
    """One line of JSON, in UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _checksum(payload: bytes | memoryview) -> bytes:
    """Against damage, not against people: whoever may write here may write the program too."""
    return b"%08x" % zlib.crc32(payload)
