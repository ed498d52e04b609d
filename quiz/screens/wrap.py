"""Text in columns: Japanese takes two a character and breaks between any two of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from wcwidth import wcwidth

from verify.api import cells

_NOT_FIRST = frozenset(
    "、。，．・：；？！゛゜ヽヾゝゞ々ー）」』】〕〉》”’,.:;?!)]}%ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ"
)
_NOT_LAST = frozenset("（「『【〔〈《“‘([{")
_DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def clean(text: str) -> str:
    """`text` without control characters and without marks that turn its direction."""
    text = text.expandtabs(4)
    return "".join(
        c
        for c in text
        if c == "\n" or (unicodedata.category(c) not in ("Cc", "Cs") and c not in _DIRECTIONS)
    )


def wrap(text: str, width: int, *, first: str = " ", rest: str | None = None) -> list[str]:
    """Lines no wider than `width` columns. `first` starts the first of them, `rest` the others.

    Line breaks of the text are kept; no line starts with a closing sign or ends with an opening
    one (the basic rules of JIS X 4051), unless nothing else fits.
    """
    rest = " " * cells(first) if rest is None else rest
    room = max(4, width - max(cells(first), cells(rest)))
    lines = [line for part in clean(text).split("\n") for line in fold(part, room)]
    return [((rest if i else first) + line).rstrip() for i, line in enumerate(lines or [""])]


def fold(text: str, room: int) -> Iterator[str]:
    """A cleaned text without line breaks in pieces of at most `room` columns, blanks at the ends
    of lines dropped."""
    line, used = "", 0
    for piece in _pieces(text):
        if used + cells(piece.rstrip()) > room and line:
            yield line.rstrip()
            line, used = "", 0
        line, used = line + piece, used + cells(piece)
        while cells(line.rstrip()) > room:  # one piece longer than a line: a path, a formula
            head = _head(line, room)
            yield head
            line = line[len(head) :]
            used = cells(line)
    yield line.rstrip()


def _head(text: str, room: int) -> str:
    used = 0
    for index, character in enumerate(text):
        used += max(0, wcwidth(character))
        if used > room:
            return text[: max(1, index)]
    return text


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces between which a line may break."""
    start = 0
    for index in range(1, len(text)):
        before, after = text[index - 1], text[index]
        wide = wcwidth(before) == 2 or wcwidth(after) == 2
        breaks = (before == " " and after != " ") or (
            wide and after not in _NOT_FIRST and before not in _NOT_LAST and after != " "
        )
        if breaks and wcwidth(after) != 0:
            yield text[start:index]
            start = index
    yield text[start:]


def spread(left: str, right: str, width: int) -> list[str]:
    """`left` and `right` at the two ends of a line, or on two lines where one is too narrow."""
    left, right = clean(left), clean(right)
    gap = width - cells(left) - cells(right) - 2
    if gap >= 2:
        return [f" {left}{' ' * gap}{right}"]
    return [*wrap(left, width), *wrap(right, width)]


def columns(items: list[str], width: int) -> list[str]:
    """Short items beside each other with three blanks between, as many lines as it takes."""
    lines: list[str] = []
    for item in items:
        if lines and cells(lines[-1]) + 3 + cells(item) <= width:
            lines[-1] += "   " + item
        else:
            lines += wrap(item, width)
    return lines
