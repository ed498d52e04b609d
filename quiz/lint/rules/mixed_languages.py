"""A text is written in the other language, or half in it.

Under `en` stands Japanese script, or under `ja` a sentence without any, or with a whole sentence
in English. Names and technical terms are fine.

Bad:

    ask: {ja: Who sends the gradients?, en: Who sends?}

Good:

    ask: {ja: 勾配はだれが送るか, en: Who sends?}
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from quiz.deck.card import Card, Place
from quiz.deck.fill import MATHEMATICS
from quiz.deck.problem import Problem
from quiz.lint.rule import Context
from quiz.lint.texts import JAPANESE
from verify.api import Language, Text

id = "mixed-languages"

_THREE_WORDS = re.compile(r"(?:[A-Za-z][a-z'-]+[,;:]? +){2}[a-z'-]{2,}")
_SENTENCE = re.compile(r"(?:[A-Za-z][a-z'-]*[,;]? +){6}[a-z'-]{2,}")


def check(context: Context) -> Iterator[Problem]:
    for card, place, text in context.texts:
        if text.en is not None and not text.en.isascii() and (*place, "en") in card.places:
            match = JAPANESE.search(text.en)
            if match is not None and (match := JAPANESE.search(MATHEMATICS.sub(_blank, text.en))):
                yield _problem(context, card, place, "en", text.en, match)
        if text.ja is not None and (*place, "ja") in card.places:
            pattern, spaces = (_THREE_WORDS, 2) if text.ja.isascii() else (_SENTENCE, 6)
            match = pattern.search(text.ja) if text.ja.count(" ") >= spaces else None
            if match is not None and pattern.search(MATHEMATICS.sub(_blank, text.ja)):
                yield _problem(context, card, place, "ja", text.ja, match)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _problem(
    context: Context,
    card: Card,
    place: Place,
    language: Language,
    text: str,
    match: re.Match[str],
) -> Problem:
    message = (
        Text(ja="英語の文に日本語があります。", en="There is Japanese in an English text.")
        if language == "en"
        else Text(ja="日本語の文に英語の文があります。", en="There is English in a Japanese text.")
    )
    return context.problem(
        id,
        card,
        (*place, language),
        message,
        Text(ja="訳してください。", en="Translate it."),
        part=(text, match.start(), match.end()),
        severity="warning",
    )
