"""Text in a terminal: widths in cells (not characters), padding, cutting, wrapping.

Widths follow `wcwidth`: most Japanese characters take two cells, combining ones none.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from wcwidth import wcswidth, wcwidth


def printable(text: str) -> str:
    """Control and direction-changing characters shown as `\\x1b`, never sent to a terminal."""
    return "".join(
        character
        if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf", "Cs")
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def cells(text: str) -> int:
    """How many cells a line takes."""
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


# Japanese rules for line breaks (JIS X 4051, kinsoku): what must not begin or end a line.
_NOT_FIRST = frozenset(
    "、。，．・：；？！）］｝」』】〉》〕ー…％々っゃゅょぁぃぅぇぉッャュョァィゥェォ%,.!?:;)]}"
)
_NOT_LAST = frozenset("（［｛「『【〈《〔([{")


def _pieces(text: str) -> list[str]:
    """What may not be split: a run of narrow characters without spaces, or one wide character."""
    pieces: list[str] = []
    for character in text:
        wide = wcwidth(character) == 2
        joins = (
            pieces
            and not pieces[-1].isspace()
            and not character.isspace()
            and (
                character in _NOT_FIRST
                or pieces[-1][-1] in _NOT_LAST
                or (not wide and wcwidth(pieces[-1][-1]) != 2)
            )
        )
        if joins:
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces


def wrap(text: str, width: int, *, indent: str = "", hanging: str | None = None) -> list[str]:
    """Lines of at most `width` cells; line breaks of the text are kept.

    `indent` begins the first line, `hanging` (by default as many spaces) the others.
    """
    later = " " * cells(indent) if hanging is None else hanging
    lines: list[str] = []
    line = indent
    for paragraph in text.split("\n"):
        bare = True  # nothing but the indent on this line yet
        for piece in _pieces(paragraph.replace("\t", "  ")):
            for part in _fitting(piece, width - cells(later)):
                if not bare and cells(line + part.rstrip()) > width:
                    lines.append(line.rstrip())
                    line, bare = later, True
                if bare and part.isspace():
                    continue
                line, bare = line + part, False
        lines.append(line.rstrip())
        line = later
    return lines


def _fitting(piece: str, width: int) -> list[str]:
    """A piece, broken only where it is wider than a whole line."""
    if cells(piece) <= width or width < 2:
        return [piece]
    parts = [""]
    for character in piece:
        if cells(parts[-1] + character) > width:
            parts.append("")
        parts[-1] += character
    return parts


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
