"""A `{name}` in the text of a compute card that isn't a name of its `vary`.

Only names of `vary` are replaced, so the learner would see the braces.

Bad:

    ask: How much does each of {rank} ranks send?
    vary: {ranks: [3, 4]}

Good:

    ask: How much does each of {ranks} ranks send?
    vary: {ranks: [3, 4]}
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from quiz.deck.fill import unfilled
from quiz.deck.problem import Problem
from quiz.lint.rule import Context
from quiz.lint.texts import place_in, written_in
from verify.api import Text

id = "unknown-placeholder"


def check(context: Context) -> Iterator[Problem]:
    varied = [card for card in context.cards if card.vary]
    for card, place, language, written in written_in(varied):
        for match in unfilled(written, card.vary) if "{" in written else ():
            close = difflib.get_close_matches(match[1][:64], card.vary, n=1)
            yield context.problem(
                id,
                card,
                place_in(card, place, language),
                Text(
                    ja=f"{match[0]} は vary にないので、そのまま表示されます。",
                    en=f"{match[0]} isn't in vary, so the learner sees the braces.",
                ),
                Text(ja=f"{close[0]} のことですか。", en=f"Did you mean {close[0]}?")
                if close
                else None,
                part=(written, match.start(), match.end()),
                severity="warning",
            )
