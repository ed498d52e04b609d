"""A claim that can't be judged whatever is measured.

Its units differ (bytes never equal seconds), it treats a matrix as a number, its tolerance is a
percentage of 0, it asks for exact equality of values that are never exact, or it names nothing
that is measured.

Bad:

    truth: [wire_sent == ranks]

Good:

    truth: [wire_sent == 2*(ranks-1)/ranks*payload ± 1%]
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from quiz.deck.problem import Problem
from quiz.lint.claims import (
    RESULT,
    Known,
    names_of_expression,
    parsed,
    parsed_expression,
    unknown_names,
)
from quiz.lint.rule import Context
from verify.api import ClaimError, check_claim, substitute

id = "unsound-claim"


def check(context: Context) -> Iterator[Problem]:
    for card, claim in context.stated:
        if claim.known is None:
            continue
        for error in _mistakes(claim.claim, card.result, claim.known):
            # With the result put in its place, offsets no longer belong to the claim's text.
            part = None if card.result else (claim.claim, error.start, error.end)
            yield context.problem(id, card, claim.place, error.message, error.hint, part=part)


@lru_cache(maxsize=2**16)
def _mistakes(claim: str, result: str | None, usable: Known) -> tuple[ClaimError, ...]:
    """What is wrong besides unknown names, which have a rule of their own."""
    tree = parsed(claim)
    if isinstance(tree, ClaimError) or unknown_names(claim, usable):
        return ()
    if result is not None:
        expression = parsed_expression(result)
        if isinstance(expression, ClaimError) or not (
            names_of_expression(result) <= usable.names.keys()
        ):
            return ()
        tree = substitute(tree, RESULT, expression)
    return tuple(check_claim(tree, usable.names))
