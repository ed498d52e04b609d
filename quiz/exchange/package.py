"""Anki's packages (.apkg, .colpkg): zip files that hold a collection and media, hostile until
checked. Nothing is ever extracted under a name from the file."""

from __future__ import annotations

import contextlib
import json
import os
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from quiz.exchange import wire
from quiz.exchange.material import refused
from verify.api import Text, UsageError

MAGIC = b"PK"
LARGEST_COLLECTION = 128 * 2**20  # bytes, unpacked
LARGEST_MAP = 8 * 2**20  # bytes of the list of media, unpacked
LARGEST_DIRECTORY = 8 * 2**20  # bytes of the zip's own table of contents
_CHUNK = 2**18
_WINDOW = 2**26  # bytes that a zstandard frame may refer back to; Anki writes 2**21
_END = b"PK\x05\x06"  # APPNOTE.TXT 4.3.16, end of central directory record
_LOCATOR = b"PK\x06\x07"  # 4.3.15, zip64 end of central directory locator

# What each version of the format, named in `meta`, calls its collection (1 and 2: not compressed).
# A package of version 2 or 3 also holds a collection.anki2 with one note that says to update Anki.
_COLLECTIONS = {1: "collection.anki2", 2: "collection.anki21", 3: "collection.anki21b"}

_HINT = Text(
    ja="Anki でもう一度書き出してください(ファイル → 書き出す)。",
    en="Export it from Anki once more (File, Export).",
)
_NOT_A_PACKAGE = Text(
    ja="Anki のパッケージではありません",
    en="this is no Anki package",
)
_DAMAGED = Text(ja="パッケージが壊れています", en="the package is damaged")
_TOO_LARGE = Text(
    ja="大きすぎて取り込めません(展開後 128 MiB まで)",
    en="it is too large (128 MiB when unpacked at most)",
)
_BAD_NAMES = Text(
    ja="外のフォルダーを指すファイル名があります",
    en="it holds file names that lead out of their folder",
)
_TOO_NEW = Text(
    ja="より新しい Anki の形式です",
    en="it is in a format of a newer Anki",
)
_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,  # a compression that no Anki uses
    RuntimeError,  # an encrypted member
    OSError,
    ValueError,
    KeyError,
)


@dataclass(frozen=True)
class Package:
    """An unpacked collection, there while the package is open, and the names of its media."""

    collection: Path
    media: tuple[str, ...]


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Package]:
    """Unpack the collection into a private file. Raises UsageError for anything but a package."""
    import zstandard

    with tempfile.TemporaryDirectory(prefix="proofdeck-") as folder:
        target = Path(folder) / "collection"
        try:
            with path.open("rb") as file:
                media = _unpack(file, path.name, target)
        except UsageError:
            raise
        except (*_ERRORS, zstandard.ZstdError) as error:
            raise refused(path.name, _DAMAGED, _HINT) from error
        yield Package(target, media)


def _unpack(file: IO[bytes], name: str, target: Path) -> tuple[str, ...]:
    _check_directory(file, name)
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        if len(set(names)) < len(names) or not all(map(_is_safe, names)):
            raise refused(name, _BAD_NAMES)
        version = _version(archive, names, name)
        if (member := _COLLECTIONS.get(version)) is None:
            raise refused(name, _TOO_NEW, _HINT)
        if member not in names:
            raise refused(name, _NOT_A_PACKAGE, _HINT)
        with target.open("wb") as out:
            for chunk in _content(archive, member, version, LARGEST_COLLECTION, name):
                out.write(chunk)
        if "media" not in names:
            return ()
        listed = b"".join(_content(archive, "media", version, LARGEST_MAP, name))
        return _media(listed, version, name)


def _check_directory(file: IO[bytes], name: str) -> None:
    """Look at the size of the zip's table of contents before it is read into memory."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 2**16 - 22))
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) < at + 22:
        raise refused(name, _NOT_A_PACKAGE if not tail.startswith(MAGIC) else _DAMAGED, _HINT)
    (length,) = struct.unpack_from("<L", tail, at + 12)
    if length > LARGEST_DIRECTORY or _LOCATOR in tail[max(0, at - 20) : at]:
        raise refused(name, _TOO_LARGE)
    file.seek(0)


def _is_safe(name: str) -> bool:
    """Whether a name stays in its folder, on every system."""
    parts = name.replace("\\", "/").split("/")
    return bool(name) and ".." not in parts and parts[0] != "" and ":" not in parts[0]


def _version(archive: zipfile.ZipFile, names: list[str], name: str) -> int:
    if "meta" in names:
        return wire.number(b"".join(_content(archive, "meta", 1, 1024, name)), 1)
    return 3 if _COLLECTIONS[3] in names else 2 if _COLLECTIONS[2] in names else 1


def _content(
    archive: zipfile.ZipFile, member: str, version: int, most: int, name: str
) -> Iterator[bytes]:
    """A member in pieces, unpacked; never more than `most` bytes, whatever sizes are declared."""
    if archive.getinfo(member).file_size > most:
        raise refused(name, _TOO_LARGE)
    with archive.open(member) as packed:
        stream: IO[bytes] = packed
        if version == 3:
            import zstandard

            decompressor = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
            stream = decompressor.stream_reader(packed, read_size=_CHUNK)
        total = 0
        while chunk := stream.read(_CHUNK):
            total += len(chunk)
            if total > most:
                raise refused(name, _TOO_LARGE)
            yield chunk


def _media(data: bytes, version: int, name: str) -> tuple[str, ...]:
    if version == 3:
        found = [wire.text(value, 1) for _, value in wire.fields(data) if isinstance(value, bytes)]
    else:
        listed = json.loads(data or b"{}")
        if not isinstance(listed, dict) or not all(isinstance(v, str) for v in listed.values()):
            raise ValueError("media")
        found = list(listed.values())
    if not all(_is_safe(one) and "/" not in one for one in found):
        raise refused(name, _BAD_NAMES)
    return tuple(found)
