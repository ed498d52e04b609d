"""Text of decks in lines of a screen: cleaned of what steers a terminal, then broken."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from verify.api import cells, table
from verify.api import wrap as broken

LEGIBLE = 24  # columns in which a name can be told from others when it is cut
_DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def clean(text: str) -> str:
    """`text` without control characters and without marks that turn its direction."""
    if text.isprintable():
        return text
    text = text.expandtabs(4)
    return "".join(
        c
        for c in text
        if c == "\n" or (unicodedata.category(c) not in ("Cc", "Cs") and c not in _DIRECTIONS)
    )


def wrap(text: str, width: int, *, first: str = " ", rest: str | None = None) -> list[str]:
    """Lines no wider than `width` columns. `first` starts the first of them, `rest` the others.

    Line breaks of the text are kept.
    """
    rest = " " * cells(first) if rest is None else rest
    narrowest = 4 + max(cells(first), cells(rest))
    return broken(clean(text), max(width, narrowest), indent=first, hanging=rest)


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


def named(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """A table of names and figures under its head. Where the figures leave names too little room,
    each stands on a line above its own."""
    last = len(rows[0])
    widths = [max(cells(row[i]) for row in rows) for i in range(last)]
    room = width - 1 - sum(widths[1:]) - 2 * (last - 1)
    if room >= min(widths[0], LEGIBLE):
        return table(rows, width, right=range(1, last), indent=" ")
    figures = table([row[1:] for row in rows], width, right=range(last - 1), indent="  ")
    lines: list[str] = []
    for row, beside in zip(rows, figures, strict=True):
        lines += [*(wrap(row[0], width) if row[0] else []), beside]
    return lines
