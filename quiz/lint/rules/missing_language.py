"""A text is missing in one language of a deck that is written in both.

A deck counts as bilingual where any of its texts has both languages. A text written as one plain
string is shown in both languages; that is fine for names and figures (`4 MiB`, `GPipe`) but not for
a sentence, so one that holds Japanese script, or two words in Latin letters, is reported.

Bad:

    title: {ja: データ並列, en: Data parallelism}
    cards:
      - {id: who, kind: recall, ask: {ja: だれが送るか}, answer: {ja: 全員, en: Everyone}}

Good:

    title: {ja: データ並列, en: Data parallelism}
    cards:
      - id: who
        kind: recall
        ask: {ja: だれが送るか, en: Who sends?}
        answer: {ja: 全員, en: Everyone}
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from quiz.deck.card import Card, Place, Position
from quiz.deck.fill import MATHEMATICS
from quiz.deck.problem import Problem
from quiz.lint.rule import Context
from quiz.lint.texts import JAPANESE
from verify.api import Text

id = "missing-language"

_PROSE = re.compile(r"[A-Za-z][a-z-]+[,;:]? +[A-Za-z][a-z-]+")
_NAMES = {"ja": Text(ja="日本語", en="Japanese"), "en": Text(ja="英語", en="English")}


def check(context: Context) -> Iterator[Problem]:
    deck = context.loaded.deck
    if deck is None:
        return
    written: list[tuple[Card | None, Mapping[Place, Position], Place, Text]]
    written = [(None, context.loaded.places, ("title",), deck.title)]
    written += [(card, card.places, place, text) for card, place, text in context.texts]
    if not any(_both(places, place) for _, places, place, _ in written):
        return
    for card, places, place, text in written:
        if (missing := _missing(places, place, text)) is not None:
            name = _NAMES[missing]
            yield context.problem(
                id,
                card,
                place,
                Text(ja=f"{name.ja}の文がありません。", en=f"The text is missing in {name.en}."),
                Text(
                    ja="両方の言語を書いてください: {ja: …, en: …}",
                    en="Write both languages: {ja: …, en: …}",
                ),
            )


def _both(places: Mapping[Place, Position], place: Place) -> bool:
    return (*place, "ja") in places and (*place, "en") in places


def _missing(places: Mapping[Place, Position], place: Place, text: Text) -> str | None:
    if text.ja is None or text.en is None:
        return "ja" if text.ja is None else "en"
    if text.ja != text.en or _both(places, place):
        return None
    prose = MATHEMATICS.sub(" ", text.ja)
    if JAPANESE.search(prose):
        return "en"
    return "ja" if _PROSE.search(prose) else None
