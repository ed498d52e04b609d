"""Just enough of the protobuf wire format to read Anki's packages.

https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

from collections.abc import Iterator

Value = int | bytes


def fields(data: bytes) -> Iterator[tuple[int, Value]]:
    """Number and value of each field of a message. Raises ValueError where it is none."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = _varint(data, at)
            yield number, value
            continue
        if kind == 2:
            length, at = _varint(data, at)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise ValueError("no protobuf message")
        if number == 0 or at + length > len(data):
            raise ValueError("no protobuf message")
        yield number, data[at : at + length]
        at += length


def number(data: bytes, field: int) -> int:
    """The last value of a number field, 0 where it is missing."""
    return next((v for n, v in reversed(list(fields(data))) if n == field and type(v) is int), 0)


def text(data: bytes, field: int) -> str:
    """The last value of a string field, empty where it is missing."""
    found = (v for n, v in reversed(list(fields(data))) if n == field and isinstance(v, bytes))
    return next(found, b"").decode("utf-8", "replace")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("no protobuf message")
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
