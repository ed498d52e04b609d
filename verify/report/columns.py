"""Text in a terminal: widths in cells (not characters), padding, cutting, wrapping.

Widths follow `wcwidth`: most Japanese characters take two cells, combining ones none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wcwidth import wcswidth, wcwidth


def cells(text: str) -> int:
    """How many cells a line takes."""
    if text.isascii() and text.isprintable():
        return len(text)
    width = wcswidth(text)
    return width if width >= 0 else sum(max(wcwidth(c), 0) for c in text)


def pad(text: str, width: int, *, right: bool = False) -> str:
    """`text` filled up to `width` cells, on the left side where `right` is asked for."""
    space = " " * max(0, width - cells(text))
    return space + text if right else text + space


def cut(text: str, width: int) -> str:
    """`text` in at most `width` cells; an ellipsis marks what is missing."""
    if cells(text) <= width:
        return text
    kept = ""
    for character in text:
        if cells(kept + character) > width - 1:
            break
        kept += character
    return kept + "…" if width > 0 else ""


# What must not begin or end a line of Japanese (JIS X 4051, the basic rules).
_NOT_FIRST = frozenset(
    "、。，．・：；？！゛゜ヽヾゝゞ々ー）］｝」』】〉》〕”’…％,.:;?!)]}%"
    "ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ"
)
_NOT_LAST = frozenset("（［｛「『【〈《〔“‘([{")
_WORD = re.compile(" +|[^ ]+ *")


def wrap(text: str, width: int, *, indent: str = "", hanging: str | None = None) -> list[str]:
    """Lines of at most `width` cells; line breaks of the text are kept.

    `indent` begins the first line, `hanging` (by default as many spaces) the others.
    """
    later = " " * cells(indent) if hanging is None else hanging
    room, first = (max(2, width - cells(start)) for start in (later, indent))
    lines = [
        line
        for number, paragraph in enumerate(text.replace("\t", "  ").split("\n"))
        for line in fold(paragraph, room, room if number else first)
    ]
    return [((later if i else indent) + line).rstrip() for i, line in enumerate(lines)]


def fold(text: str, room: int, first: int | None = None) -> Iterator[str]:
    """One line of text in pieces of at most `room` cells (`first` for the first of them).

    Japanese breaks between any two of its characters but for `_NOT_FIRST` and `_NOT_LAST`, other
    text between words; what is longer than a line anywhere. Blanks at the ends of lines go.
    """
    limit = room if first is None else first
    line, used = "", 0
    for piece in _pieces(text):
        if line and used + cells(piece.rstrip()) > limit:
            yield line.rstrip()
            line, used, limit = "", 0, room
        line, used = line + piece, used + cells(piece)
        if used > limit and cells(line.rstrip()) > limit:  # longer than a line: a path, a formula
            *heads, line = _chopped(line, limit, room)
            yield from heads
            used, limit = cells(line), room
    yield line.rstrip()


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces between which a line may break; `1 %` is one of them."""
    whole = ""
    for piece in _WORD.findall(text) if text.isascii() else _spans(text):
        if whole and piece[:1] not in _NOT_FIRST:
            yield whole
            whole = ""
        whole += piece
    if whole:
        yield whole


def _spans(text: str) -> Iterator[str]:
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


def _chopped(text: str, first: int, room: int) -> Iterator[str]:
    """The text in as few parts as fit, each of one character at least; blanks at its end fit."""
    start, used, limit = 0, 0, first
    for index, character in enumerate(text.rstrip()):
        width = max(0, wcwidth(character))
        if used + width > limit and index > start:
            yield text[start:index]
            start, used, limit = index, 0, room
        used += width
    yield text[start:]


def table(
    rows: Sequence[Sequence[str]], width: int, *, right: Sequence[int] = (), indent: str = ""
) -> list[str]:
    """Rows as aligned columns in at most `width` cells; `right` names columns that align right.

    The widest column gives way where all don't fit.
    """
    if not rows:
        return []
    gap = "  "
    widths = [max(cells(row[i]) for row in rows) for i in range(len(rows[0]))]
    spare = width - cells(indent) - len(gap) * (len(widths) - 1)
    while sum(widths) > spare and max(widths) > 6:
        widths[widths.index(max(widths))] -= 1
    return [
        (
            indent
            + gap.join(
                pad(cut(cell, widths[i]), widths[i], right=i in right) for i, cell in enumerate(row)
            )
        ).rstrip()
        for row in rows
    ]


def listing(rows: Sequence[Sequence[str]], width: int, *, indent: str = "") -> list[str]:
    """Rows as aligned columns of which the last wraps, so that nothing of it is lost.

    Where little room is left beside the others, it goes below them.
    """
    widths = [max(map(cells, column)) for column in list(zip(*rows, strict=True))[:-1]]
    start = cells(indent) + sum(width + 2 for width in widths)
    lines: list[str] = []
    for *heads, last in rows:
        if width - start < _NARROWEST:
            lines += wrap("  ".join(heads), width, indent=indent)
            lines += wrap(last, width, indent=indent + "  ")
        else:
            padded = [pad(head, width) + "  " for head, width in zip(heads, widths, strict=True)]
            lines += wrap(last, width, indent=indent + "".join(padded), hanging=" " * start)
    return lines


_NARROWEST = 24  # cells in which a sentence is still easy to read
