"""What can be wrong with a deck, and where."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from quiz.deck.card import Position
from verify.api import Text

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of a file's text, by offsets in characters, and what should stand there instead."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding: the rule that found it, where, what is wrong and how to mend it.

    `end` is where the marked stretch ends (exclusive), where it is known. `fixes` mend it without
    changing what the author meant; there are none where that can't be known.
    """

    rule: str
    position: Position
    message: Text
    hint: Text | None = None
    end: Position | None = None
    severity: Severity = "error"
    card: str | None = None  # deck/card, where the problem is inside a card whose id is known
    fixes: tuple[Edit, ...] = ()


# C0 and C1 controls, DEL, the twelve characters of Unicode's Bidi_Control property, the line and
# paragraph separators and a stray byte-order mark: they steer a terminal or reorder a line.
# Line feed and tab are layout, and stay.
_STEERING = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff"
)
CONTROL = re.compile(f"[{_STEERING}]")
_UNSAFE_IN_LINE = re.compile(f"[\\n\\t{_STEERING}\ud800-\udfff]")


def one_line(text: str) -> str:
    """`text` with everything that could steer a terminal replaced by U+FFFD, tabs by a space."""
    return _UNSAFE_IN_LINE.sub(lambda match: " " if match[0] == "\t" else "\ufffd", text)


def shown(text: str, limit: int = 40) -> str:
    """A piece of a deck as messages quote it: one line, harmless, at most `limit` characters."""
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return one_line(short.replace("\n", " "))


def quoted(text: str) -> str:
    """What somebody typed, as messages quote it: like `shown`, and to be seen where it is empty."""
    return shown(text) if text.strip() else repr(text[:40])
