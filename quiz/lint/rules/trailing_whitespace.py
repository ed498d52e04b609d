"""Spaces or tabs at the end of a line, where they mean nothing.

They can't be seen and make a change look larger than it is. Within a text over several lines they
are left alone, since there they may count. `--fix` removes them.

Bad:

    ask: "Who sends?"  \\x20

Good:

    ask: "Who sends?"
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from quiz.deck.problem import Edit, Problem
from quiz.lint.rule import Context
from verify.api import Text

id = "trailing-whitespace"

_TRAILING = re.compile(r"[ \t]+(?=\r?(?:\n|\Z))")


def check(context: Context) -> Iterator[Problem]:
    text = context.loaded.source.text
    ends = (" \n", "\t\n", " \r\n", "\t\r\n")
    if not any(end in text for end in ends) and not text.endswith((" ", "\t")):
        return
    for match in _TRAILING.finditer(text):
        if not context.scalars.holds(match.start()):
            yield context.problem_at(
                id,
                match.start(),
                len(match[0]),
                Text(ja="行末に空白があります。", en="There is whitespace at the end of the line."),
                Text(ja="消してください(--fix で消せます)。", en="Delete it; --fix does."),
                severity="warning",
                fixes=(Edit(match.start(), match.end(), ""),),
            )
