"""The one line in which a number is typed. Pure: a key makes a new one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from quiz.numbers import LONGEST
from quiz.screens.wrap import clean


@dataclass(frozen=True)
class Entry:
    """What has been typed, and before which character the cursor stands."""

    text: str = ""
    cursor: int = 0

    def insert(self, text: str) -> Entry:
        """With `text` at the cursor, as far as there is room; line breaks become blanks."""
        text = clean(text.replace("\n", " "))[: max(0, LONGEST - len(self.text))]
        whole = self.text[: self.cursor] + text + self.text[self.cursor :]
        return Entry(whole, self.cursor + len(text))

    def press(self, key: str) -> Entry | None:  # noqa: PLR0911  # a table reads best flat
        """After a key that edits or moves; None where it does neither."""
        text, at = self.text, self.cursor
        match key:
            case "backspace" | "ctrl+h":
                return Entry(text[: max(0, at - 1)] + text[at:], max(0, at - 1))
            case "delete":
                return Entry(text[:at] + text[at + 1 :], at)
            case "left":
                return Entry(text, max(0, at - 1))
            case "right":
                return Entry(text, min(len(text), at + 1))
            case "home" | "ctrl+a":
                return Entry(text, 0)
            case "end" | "ctrl+e":
                return Entry(text, len(text))
            case "ctrl+u":
                return Entry(text[at:], 0)
            case "ctrl+k":
                return Entry(text[:at], at)
            case "ctrl+w":
                kept = re.sub(r"\S*\s*$", "", text[:at])
                return Entry(kept + text[at:], len(kept))
        return None
