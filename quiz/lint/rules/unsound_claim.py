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

from quiz.deck.problem import Problem
from quiz.lint.claims import mistakes
from quiz.lint.rule import Context

id = "unsound-claim"


def check(context: Context) -> Iterator[Problem]:
    for card, claim in context.doubtful:
        if claim.known is None:
            continue
        for error in mistakes(claim.claim, card.result, claim.known):
            # With the result put in its place, offsets no longer belong to the claim's text.
            part = None if card.result else (claim.claim, error.start, error.end)
            yield context.problem(id, card, claim.place, error.message, error.hint, part=part)
