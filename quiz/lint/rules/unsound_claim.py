"""A claim that can't be judged whatever is measured, or a result that can't be computed.

Its units differ (bytes never equal seconds), it treats a matrix as a number, its tolerance is a
percentage of 0, it asks for exact equality of values that are never exact, its two sides are the
same, it names nothing that is measured, or it picks a rank that the run doesn't have. The result of
a compute card, and those of its lures, need a value in every combination of `vary`: a division by
zero in one of them keeps the whole card from being asked.

Bad:

    truth: [wire_sent == ranks]

Good:

    truth: [wire_sent == 2*(ranks-1)/ranks*payload ± 1%]
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import lru_cache

from quiz.deck.card import Card
from quiz.deck.draw import worth
from quiz.deck.problem import Problem, shown
from quiz.lint.claims import (
    bound,
    expressions,
    mistakes,
    names_of_expression,
    parsed,
    parsed_expression,
)
from quiz.lint.rule import Context
from verify.api import ProofdeckError, Text, Value, parse_size
from verify.api.claims import ClaimError, Expression, Name, approximate, beyond_ranks

id = "unsound-claim"


Varied = tuple[tuple[str, tuple[Value, ...]], ...]


def check(context: Context) -> Iterator[Problem]:
    without: set[str] = set()
    for card in context.cards:
        if card.result is not None:
            for problem in _without_value(context, card):
                without.add(card.key)
                yield problem
    for card, claim in context.doubtful:
        if claim.known is None or card.key in without:  # the claims would say it again
            continue
        for error in mistakes(claim.claim, card.result, claim.known):
            # With the result put in its place, offsets no longer belong to the claim's text.
            part = None if card.result else (claim.claim, error.start, error.end)
            yield context.problem(id, card, claim.place, error.message, error.hint, part=part)
    yield from _beyond_ranks(context)


def _beyond_ranks(context: Context) -> Iterator[Problem]:
    """Indices that pick no rank; of a card that varies parameters, only its proof can tell."""
    for card, claim in context.stated:
        tree = parsed(claim.claim) if "[" in claim.claim and not card.vary else None
        if card.proof is None or tree is None or isinstance(tree, ClaimError):
            continue
        ranks = {run.name: given.ranks for run in card.proof.runs if (given := bound(run))}
        for error in beyond_ranks(tree, ranks):
            part = (claim.claim, error.start, error.end)
            yield context.problem(id, card, claim.place, error.message, error.hint, part=part)


def _without_value(context: Context, card: Card) -> Iterator[Problem]:
    varied = tuple(card.vary.items())
    for place, expression in expressions(card):
        if (found := _first_failure(expression, varied)) is None:
            continue
        combination, error = found
        message = error.message
        if names_of_expression(expression):
            message = Text(
                ja=f"{combination} のとき: {message.pick('ja')}",
                en=f"With {combination}: {message.pick('en')}",
            )
        part = (expression, error.start, error.end) if isinstance(error, ClaimError) else None
        yield context.problem(id, card, place, message, error.hint, part=part)


@lru_cache(maxsize=4096)
def _first_failure(expression: str, varied: Varied) -> tuple[str, ProofdeckError] | None:
    """The first combination in which an expression has no value, and why.

    What can't be parsed or names something unknown is left to the rules about that. Floats tell
    quickly that there is a value; units are the same wherever the same names hold sizes.
    """
    tree = parsed_expression(expression)
    names = {reference.name for reference in names_of_expression(expression)}
    used = [(name, values) for name, values in varied if name in names]
    if isinstance(tree, ClaimError) or len(used) < len(names):
        return None
    seen: set[tuple[bool, ...]] = set()
    for values in itertools.product(*(values for _, values in used)):
        combination = dict(zip((name for name, _ in used), values, strict=True))
        kinds = tuple(isinstance(value, str) for value in values)
        if kinds in seen and _surely_has_value(tree, combination):
            continue
        seen.add(kinds)
        try:
            worth(expression, combination)
        except ProofdeckError as error:
            listed = " ".join(f"{name}={shown(str(v))}" for name, v in combination.items())
            return listed, error
    return None


def _surely_has_value(tree: Expression, combination: dict[str, Value]) -> bool:
    sizes = {name: _size(value) for name, value in combination.items()}

    def value(node: Name) -> float:
        return sizes.get(node.name, math.nan)

    return math.isfinite(approximate(tree, value))


@lru_cache(maxsize=4096)
def _size(value: Value) -> float:
    try:
        return float(parse_size(value) if isinstance(value, str) else value)
    except (ValueError, OverflowError):
        return math.nan
