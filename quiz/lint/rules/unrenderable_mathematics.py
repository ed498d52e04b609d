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

from quiz.deck.problem import Problem, shown
from quiz.lint.rule import Context
from quiz.lint.texts import place_in
from quiz.screens.mathematics import unrenderable
from verify.api import Text

id = "unrenderable-mathematics"


def check(context: Context) -> Iterator[Problem]:
    if "$" not in context.loaded.source.text:
        return
    for card, place, language, source in context.written:
        for formula in unrenderable(source) if "$" in source else ():
            quoted = shown(formula.source, 80)
            yield context.problem(
                id,
                card,
                place_in(card, place, language),
                Text(
                    ja=f"端末の1行に表示できない数式です: {quoted}",
                    en=f"A terminal can't show this formula in one line: {quoted}",
                ),
                Text(
                    ja="1行で書ける形にするか、言葉で書いてください。",
                    en="Write it in a form that fits a line, or in words.",
                ),
                part=(source, formula.start, formula.end),
                severity="warning",
            )
