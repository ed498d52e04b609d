"""A text that doesn't fit the screen: too many rows, or a piece too wide to break.

A question with its choices, and each other text, should fit a terminal of 80 columns and 24 rows
with what stands around them: 18 rows remain. What has no space in it can't be broken at a good
place, so it should fit 40 columns, of which the choices leave 34.

Bad:

    ask: What_does_each_rank_send_in_a_ring_all_reduce_of_its_gradients?

Good:

    ask: What does each rank send in a ring all-reduce of its gradients?
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from quiz.deck.card import Card, Place
from quiz.deck.fill import MATHEMATICS
from quiz.deck.problem import Problem
from quiz.lint.rule import Context
from quiz.lint.texts import place_in
from verify.api import Text, wrap

id = "text-too-long"

_COLUMNS, _ROWS = 72, 18  # of 80 × 24, less the margins, the heading and the line for answers
_SURELY, _SEVERAL = 360, 6  # characters and texts that fit anyhow: 10 rows, were all wide, and 6
_MOST = 4 * _COLUMNS * _ROWS  # characters that may fit, were three of four combining
_PIECE = 34
_WIDE = re.compile(rf"[!-~]{{{_PIECE + 1},}}")


def check(context: Context) -> Iterator[Problem]:
    if _WIDE.search(context.loaded.source.text) is not None:
        yield from _pieces(context)
    tall: set[str] = set()
    for card, place, language, written in context.written:
        if len(written) <= _SURELY and "\n" not in written:
            continue
        if place == ("ask",) or place[-1] == "text":
            tall.add(card.key)
        elif not _fits([written]):
            yield _too_long(context, card, place_in(card, place, language))
    for card in context.cards:
        texts = [card.ask, *[choice.text for choice in card.choices]]
        for screen in ([t.ja or "" for t in texts], [t.en or "" for t in texts]):
            many = len(texts) > _SEVERAL or sum(map(len, screen)) > _SURELY or card.key in tall
            if many and not _fits(screen):
                yield _too_long(context, card, ("ask",))
                break


def _pieces(context: Context) -> Iterator[Problem]:
    for card, place, language, written in context.written:
        match = _WIDE.search(written) if len(written) > _PIECE else None
        if match is not None and (match := _WIDE.search(MATHEMATICS.sub("", written))):
            yield _too_wide(context, card, place_in(card, place, language), written, match[0])


def _fits(screen: list[str]) -> bool:
    text = "\n".join(screen)
    return len(text) <= _MOST and len(wrap(text, _COLUMNS)) <= _ROWS


def _too_long(context: Context, card: Card, place: Place) -> Problem:
    return context.problem(
        id,
        card,
        place,
        Text(
            ja=f"80 桁 24 行の画面に収まりません({_ROWS} 行まで)。",
            en=f"This doesn't fit a screen of 80 by 24 (at most {_ROWS} rows).",
        ),
        Text(ja="短くするか、カードを分けてください。", en="Shorten it or split the card."),
        severity="warning",
    )


def _too_wide(context: Context, card: Card, place: Place, text: str, piece: str) -> Problem:
    start = text.find(piece)
    return context.problem(
        id,
        card,
        place,
        Text(
            ja=f"空白のない {len(piece)} 桁の部分は、40 桁の画面で途中で切れます。",
            en=f"A piece of {len(piece)} columns without a space breaks on a screen of 40.",
        ),
        Text(ja="空白を入れるか、短くしてください。", en="Put a space in it or shorten it."),
        part=(text, start, start + len(piece)) if start >= 0 else None,
        severity="warning",
    )
