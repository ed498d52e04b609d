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
from quiz.lint.claims import expressions, parsed, parsed_expression, stated
from quiz.lint.rule import Context
from verify.api import ClaimError

id = "claim-syntax"


def check(context: Context) -> Iterator[Problem]:
    for card in context.cards:
        claims = ((claim.place, claim.claim, parsed(claim.claim)) for claim in stated(card))
        results = ((place, text, parsed_expression(text)) for place, text in expressions(card))
        for place, text, tree in chain(claims, results):
            if isinstance(tree, ClaimError):
                part = (text, tree.start, tree.end)
                yield context.problem(id, card, place, tree.message, tree.hint, part=part)
