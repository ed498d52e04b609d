r"""Mathematics that a terminal can't show in one line, so that the reader sees its LaTeX source.

Fractions, roots, indices, Greek letters and the usual signs can be shown. Matrices, line breaks,
commands that are not known and unbalanced braces can't.

Bad:

    answer: 'The update is $\underbrace{\eta g}_{step}$.'

Good:

    answer: 'The update, one step, is $\eta g$.'
"""

from __future__ import annotations

from collections.abc import Iterator

from quiz.deck.card import Card, Place
from quiz.deck.problem import Problem
from quiz.lint.rule import Context
from quiz.lint.texts import texts
from quiz.screens.mathematics import unrenderable
from verify.api import LANGUAGES, Text

id = "unrenderable-mathematics"


def check(context: Context) -> Iterator[Problem]:
    for card in context.cards:
        for place, text in texts(card):
            for source in dict.fromkeys(filter(None, (text.ja, text.en))):
                for formula in unrenderable(source) if "$" in source else ():
                    yield context.problem(
                        id,
                        card,
                        _place(card, place, text, source),
                        Text(
                            ja=f"端末の1行に表示できない数式です: {formula.source}",
                            en=f"A terminal can't show this formula in one line: {formula.source}",
                        ),
                        Text(
                            ja="1行で書ける形にするか、言葉で書いてください。",
                            en="Write it in a form that fits a line, or in words.",
                        ),
                        part=(source, formula.start, formula.end),
                        severity="warning",
                    )


def _place(card: Card, place: Place, text: Text, source: str) -> Place:
    """Where this language of a text stands: under its own key, where it has one."""
    language = next(name for name in LANGUAGES if getattr(text, name) == source)
    return (*place, language) if (*place, language) in card.places else place
