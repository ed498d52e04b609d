"""A decimal unit (kB, MB, GB) beside a power of two.

1 MB is 10^6 bytes, 1 MiB is 2^20: they differ by 4.9 %, more than most claims tolerate. A size such
as 64 MB or 512 MB, or MB in a text that counts with 1024 or 2^20, nearly always means MiB. A text
that names 1000 or 10^6 too explains the difference and is fine.

Bad:

    explain: 64 MB are 67108864 bytes, which is 2^26.

Good:

    explain: 64 MiB are 67108864 bytes, which is 2^26.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from quiz.deck.card import Card, Place
from quiz.deck.problem import Problem
from quiz.lint.claims import expressions, stated
from quiz.lint.rule import Context
from quiz.lint.texts import by_language, place_in, texts
from verify.api import Text, Value

id = "unit-mistake"

_UNIT = re.compile("[kKMGT]B")
_DECIMAL = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\s?([kKMGT])B\b")
_BINARY = re.compile(
    r"(?<!\d)2\s*(?:\^|\*\*)\s*\{?[1-9]\d\}?(?!\d)"
    r"|(?<![\d,.])(?:1,?024|1,?048,?576|1,?073,?741,?824)(?![\d,])|\b\d+(?:\.\d+)?\s?[KMGT]iB\b"
)
_EXPLAINED = re.compile(r"10\s*(?:\^|\*\*)\s*\{?[369]|(?<![\d,])1,?000(?!\d)")
_SMALLEST = 64  # 1, 2, 4 … 32 MB may well be meant


def check(context: Context) -> Iterator[Problem]:
    for card in context.cards_with(_UNIT):
        for place, text in texts(card):
            for language, written in by_language(text):
                if match := _mistake(written, prose=True):
                    yield _problem(context, card, place_in(card, place, language), written, match)
        for place, value in _values(card):
            if isinstance(value, str) and (match := _mistake(value, prose=False)):
                yield _problem(context, card, place, value, match)


def _values(card: Card) -> Iterator[tuple[Place, Value]]:
    yield from expressions(card)
    yield from ((claim.place, claim.claim) for claim in stated(card))
    for name, values in card.vary.items():
        yield from ((("vary", name, number), value) for number, value in enumerate(values))
    for run in card.proof.runs if card.proof else ():
        start: Place = ("proof",) if run.name is None else ("proof", "runs", run.name)
        yield from (((*start, "with", name), value) for name, value in run.given.items())


def _mistake(text: str, *, prose: bool) -> re.Match[str] | None:
    for match in _DECIMAL.finditer(text):
        if _is_power_of_two(match[1]):
            return match if not (prose and _EXPLAINED.search(text)) else None
        if prose and _BINARY.search(text) and not _EXPLAINED.search(text):
            return match
    return None


def _is_power_of_two(number: str) -> bool:
    if not number.isdecimal() or len(number) > 15:
        return False
    value = int(number)
    return value >= _SMALLEST and value & (value - 1) == 0


def _problem(
    context: Context, card: Card, place: Place, text: str, match: re.Match[str]
) -> Problem:
    unit, meant = f"{match[2]}B", f"{match[2].upper()}iB"
    return context.problem(
        id,
        card,
        place,
        Text(
            ja=f"{match[0]} は 10 進の単位です。2 のべきなら {meant} です。",
            en=f"{match[0]} is decimal; beside a power of two {meant} is meant.",
        ),
        Text(
            ja=f"{meant} と書くか、{unit} に合う数にしてください。",
            en=f"Write {meant}, or a number that fits {unit}.",
        ),
        part=(text, match.start(), match.end()),
        severity="warning",
    )
