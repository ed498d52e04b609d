"""The truth is the choice of the same place in every trap of a deck.

The sitting shuffles choices, but whoever reads the file, prints it or exports it learns the place
instead of the answer. Four traps or more are looked at.

Bad:

    # in each of five traps
    choices:
      - {text: It sends gradients, claim: wire_sent > 0}
      - {text: It sends nothing, claim: wire_sent == 0, belief: nothing-to-send}

Good:

    # in some of them
    choices:
      - {text: It sends nothing, claim: wire_sent == 0, belief: nothing-to-send}
      - {text: It sends gradients, claim: wire_sent > 0}
"""

from __future__ import annotations

from collections.abc import Iterator

from quiz.deck.card import Kind
from quiz.deck.problem import Problem
from quiz.lint.rule import Context
from verify.api import Text

id = "truth-in-one-place"

_FEWEST = 4


def check(context: Context) -> Iterator[Problem]:
    traps = [card for card in context.cards if card.kind is Kind.TRAP]
    if len(traps) < _FEWEST:
        return
    places = {
        next(number for number, choice in enumerate(card.choices) if choice.belief is None)
        for card in traps
    }
    if len(places) == 1:
        place = places.pop()
        yield context.problem(
            id,
            traps[0],
            ("choices", place),
            Text(
                ja=f"{len(traps)} 枚すべてで、正解が {place + 1} 番目の選択肢です。",
                en=f"In all of {len(traps)} traps the truth is choice number {place + 1}.",
            ),
            Text(ja="正解の位置を変えてください。", en="Put it in other places too."),
            severity="warning",
        )
