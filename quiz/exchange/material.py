"""What a file of another program holds, in the terms of a deck: the same for every format."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from quiz.clock import Moment
from quiz.events import Grade, Origin
from verify.api import Text, UsageError, cut, printable

LONGEST_FILE = 16 * 2**20  # bytes of a text
LONGEST_FIELD = 50_000  # characters; a card that can be learned has a hundredth of that


@dataclass(frozen=True, slots=True)
class Found:
    """One recall card. Its texts are deck text: `$` is mathematics, nothing steers a terminal."""

    id: str  # made from what stays the same when the card is edited and imported again
    group: str  # the name of the deck it came from
    ask: str
    answer: str
    source: str
    explain: str | None = None
    hint: str | None = None
    topic: str | None = None
    idea: str | None = None


@dataclass(frozen=True, slots=True)
class PastAnswer:
    """An answer given in another program."""

    card: str  # the id of a Found
    key: str  # tells it from every other, and stays the same in the next export
    moment: Moment
    number: int  # how many carried answers of the card came before
    grade: Grade
    seconds: float
    due: int | None  # study day
    origin: Origin = Origin.IMPORT


@dataclass(frozen=True, slots=True)
class PastMark:
    """A card that was suspended or flagged in another program."""

    card: str
    key: str
    moment: Moment
    number: int  # after how many answers
    flag: bool  # else suspended


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line of a text file that is no card."""

    line: int
    message: Text


@dataclass(frozen=True)
class Material:
    """All that a file holds."""

    form: Text  # what was read
    cards: tuple[Found, ...]
    answers: tuple[PastAnswer, ...] = ()
    marks: tuple[PastMark, ...] = ()
    bad: tuple[BadLine, ...] = ()
    left: tuple[Text, ...] = ()  # what can't be carried


def short_hash(*parts: str, digits: int = 12) -> str:
    """A name for content: the first hex digits of SHA-256 over the parts."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:digits]


def slug(name: str, fallback: str) -> str:
    """A name as an id: small ASCII letters, digits and hyphens, at most 48."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = "".join(c if c.isalnum() else " " for c in plain).split()
    made = "-".join(words)[:48].strip("-")
    return made or f"{fallback}-{short_hash(name, digits=8)}"


def distinct(cards: Iterator[Found]) -> Iterator[Found]:
    """The cards whose id wasn't there before."""
    seen: set[str] = set()
    for card in cards:
        if card.id not in seen:
            seen.add(card.id)
            yield card


def refused(name: str, reason: Text, hint: Text | None = None) -> UsageError:
    """A file that can't be imported; nothing was written."""
    shown = cut(printable(name), 60)
    return UsageError(
        Text(
            ja=f"{shown}: {reason.ja}。何も取り込んでいません。",
            en=f"{shown}: {reason.en}; nothing was imported.",
        ),
        hint,
    )
