"""A card that doesn't say where its answer comes from.

A proof shows that the answer holds; the source says where to read more, and who to ask when the
two disagree.

Bad:

    - {id: who-sends, kind: recall, ask: Who sends?, answer: Everyone}

Good:

    - id: who-sends
      kind: recall
      source: 'Data parallelism, section 2'
      ask: Who sends?
      answer: Everyone
"""

from __future__ import annotations

from collections.abc import Iterator

from quiz.deck.problem import Problem
from quiz.lint.rule import Context
from verify.api import Text

id = "missing-source"


def check(context: Context) -> Iterator[Problem]:
    for card in context.cards:
        if card.source is None:
            yield context.problem(
                id,
                card,
                ("id",),
                Text(ja="出典がありません。", en="The source is missing."),
                Text(
                    ja="source に、答えの根拠となる資料を書いてください。",
                    en="Name in source where the answer comes from.",
                ),
                part=(card.id, 0, len(card.id)),
                severity="warning",
            )
