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

from collections.abc import Iterator, Mapping

from quiz.deck.card import Card
from quiz.deck.problem import Problem
from quiz.lint.claims import RESULT, Stated, known, parsed, parsed_expression, stated
from quiz.lint.rule import Context
from verify.api import (
    Claim,
    ClaimError,
    Declared,
    Reference,
    check_claim,
    names,
    substitute,
)

id = "unsound-claim"


def check(context: Context) -> Iterator[Problem]:
    kept: dict[tuple[int, str, str | None], tuple[ClaimError, ...]] = {}
    for card in context.cards:
        usable = known(card)
        for claim in stated(card) if usable is not None else ():
            assert usable is not None
            key = (hash(frozenset(usable)), claim.claim, card.result)
            if key not in kept:
                kept[key] = _errors(card, claim, usable)
            for error in kept[key]:
                part = None if card.result else (claim.claim, error.start, error.end)
                yield context.problem(id, card, claim.place, error.message, error.hint, part=part)


def _errors(
    card: Card, stated_claim: Stated, usable: Mapping[Reference, Declared]
) -> tuple[ClaimError, ...]:
    tree = parsed(stated_claim.claim)
    if not isinstance(tree, Claim) or not names(tree) <= usable.keys():
        return ()
    if card.result is not None:
        result = parsed_expression(card.result)
        if isinstance(result, ClaimError):
            return ()
        tree = substitute(tree, RESULT, result)
        if not names(tree) <= usable.keys():
            return ()
    return tuple(check_claim(tree, usable))
