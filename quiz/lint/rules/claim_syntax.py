"""A claim, or an expression of a compute card, can't be read.

A claim is `left op right`, with `== != < <= > >=`, and a tolerance after `±` or `+/-`.

Bad:

    truth: [wire_sent = 2*payload]

Good:

    truth: [wire_sent == 2*payload ± 1%]
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from quiz.deck.problem import Problem
from quiz.lint.claims import expressions, parsed, parsed_expression
from quiz.lint.rule import Context
from verify.api.claims import ClaimError

id = "claim-syntax"


def check(context: Context) -> Iterator[Problem]:
    claims = ((card, c.place, c.claim, parsed(c.claim)) for card, c in context.doubtful)
    results = (
        (card, place, text, parsed_expression(text))
        for card in context.cards
        for place, text in expressions(card)
    )
    for card, place, text, tree in chain(claims, results):
        if isinstance(tree, ClaimError):
            part = (text, tree.start, tree.end)
            yield context.problem(id, card, place, tree.message, tree.hint, part=part)
