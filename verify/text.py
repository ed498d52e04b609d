"""Text in the two languages of the project."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal

Language = Literal["ja", "en"]
LANGUAGES: tuple[Language, ...] = ("ja", "en")


@dataclass(frozen=True, slots=True)
class Text:
    """One message in Japanese, English or both. At least one of them is given."""

    ja: str | None = None
    en: str | None = None

    def __post_init__(self) -> None:
        if self.ja is None and self.en is None:
            raise ValueError("a Text needs at least one language")

    def pick(self, language: Language) -> str:
        """The text in `language`, or in the other one where it is missing."""
        chosen, other = (self.ja, self.en) if language == "ja" else (self.en, self.ja)
        return chosen if chosen is not None else other or ""

    def fill(self, **values: object) -> Text:
        """Both languages with `{name}` replaced. For messages of ours only, never for deck text."""

        def one(template: str | None) -> str | None:
            return None if template is None else template.format(**values)

        return Text(ja=one(self.ja), en=one(self.en))


def verbatim(text: str) -> Text:
    """The same string in both languages: names, figures, messages of other programs."""
    return Text(ja=text, en=text)


def printable(text: str) -> str:
    """Control and direction-changing characters shown as `\\x1b`, never sent to a terminal."""
    return "".join(
        character
        if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf", "Cs")
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )
