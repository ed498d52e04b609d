"""The truth's tolerance would accept a lure: whatever confirms the lure also confirms the truth.

Both compare the same measured side, and their right sides differ by less than the tolerance at the
parameters of the proof. Such a lure can never be refuted while the truth is confirmed.

Bad:

    choices:
      - {text: '1.5 times', claim: wire_sent == 1.5*payload ± 40%}
      - {text: Once, claim: wire_sent == payload ± 1%, belief: once}

Good:

    choices:
      - {text: '1.5 times', claim: wire_sent == 1.5*payload ± 1%}
      - {text: Once, claim: wire_sent == payload ± 1%, belief: once}
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache, partial

from quiz.deck.card import Card, Kind, Place
from quiz.deck.draw import TOLERANCE
from quiz.deck.problem import Problem
from quiz.lint.claims import RESULT, bound, parsed, parsed_expression
from quiz.lint.rule import Context
from verify.api import Text, Value, parse_size
from verify.api.claims import (
    Claim,
    ClaimError,
    Name,
    Reference,
    approximate,
    clearly_apart,
    substitute,
    tolerates,
)

id = "lure-within-tolerance"

Varied = tuple[tuple[str, tuple[Value, ...]], ...]
Given = tuple[tuple[str | None, str, Value], ...]  # run, name, value


def check(context: Context) -> Iterator[Problem]:
    for card in context.cards:
        if card.kind is Kind.TRAP:
            truth = card.truth.statement.claim
            if "==" not in truth:
                continue
            given: Given | None = None
            for number, choice in enumerate(card.choices):
                lure = choice.statement.claim
                if choice.belief is None or not _comparable(truth, lure):
                    continue
                given = tuple(_given(card)) if given is None else given
                if _accepts(truth, lure, given):
                    yield _problem(context, card, ("choices", number, "claim"), lure)
        elif card.lures and card.proof is not None:
            yield from _check_results(context, card)


def _check_results(context: Context, card: Card) -> Iterator[Problem]:
    truths = [s.claim for s in card.proof.truth if RESULT in s.claim] if card.proof else []
    varied = tuple(card.vary.items())
    for number, lure in enumerate(card.lures):
        for truth in truths:
            if _accepts_result(truth, card.result or "", lure.result, varied):
                place: Place = ("lures", number, "result")
                yield _problem(context, card, place, lure.result)


@lru_cache(maxsize=2**16)
def _comparable(truth: str, lure: str) -> bool:
    """Whether both are readable equalities of one side; the same claim twice has its own rule."""
    one, other = parsed(truth), parsed(lure)
    if not isinstance(one, Claim) or not isinstance(other, Claim) or one == other:
        return False
    return one.comparison == other.comparison == "==" and one.left == other.left


@lru_cache(maxsize=2**16)
def _accepts(truth: str, lure: str, given: Given) -> bool:
    one, other = parsed(truth), parsed(lure)
    if isinstance(one, ClaimError) or isinstance(other, ClaimError):
        return False
    return tolerates(one, other, _numbers(given))


@lru_cache(maxsize=2**16)
def _accepts_result(truth: str, result: str, lure: str, varied: Varied) -> bool:
    """At the first, the middle and the last combination; one that is never asked doesn't count."""
    claim = parsed(truth)
    right, wrong = parsed_expression(result), parsed_expression(lure)
    if not isinstance(claim, Claim) or isinstance(right, ClaimError):
        return False
    if isinstance(wrong, ClaimError) or right == wrong:
        return False
    one = other = None
    for values in _some(varied):
        value = partial(_float, values)
        true, false = approximate(right, value), approximate(wrong, value)
        if abs(true - false) <= float(TOLERANCE) * abs(true):
            continue
        of_truth, of_lure = partial(_or_result, value, true), partial(_or_result, value, false)
        if clearly_apart(claim, claim, of_truth, of_lure):
            return False
        one = one or substitute(claim, RESULT, right)
        other = other or substitute(claim, RESULT, wrong)
        if not tolerates(one, other, values):
            return False
    return one is not None


@lru_cache(maxsize=4096)
def _some(varied: Varied) -> tuple[dict[Reference, Fraction], ...]:
    every = list(itertools.product(*([(None, name, v) for v in vs] for name, vs in varied)))
    places = sorted({0, len(every) // 2, len(every) - 1})
    return tuple([_numbers(every[place]) for place in places])


def _float(values: Mapping[Reference, Fraction], node: Name) -> float:
    return float(values.get(node.reference, 1))


def _or_result(value: Callable[[Name], float], result: float, node: Name) -> float:
    return result if node.name == RESULT else value(node)


@lru_cache(maxsize=4096)
def _numbers(given: Given) -> dict[Reference, Fraction]:
    found = {}
    for run, name, value in given:
        if isinstance(value, bool):
            continue
        try:
            number = parse_size(value) if isinstance(value, str) else Fraction(value)
        except ValueError:
            continue
        found[Reference(run, name)] = Fraction(number)
    return found


def _given(card: Card) -> Iterator[tuple[str | None, str, Value]]:
    """The parameters of the runs, defaults included; none where they can't be bound."""
    for run in card.proof.runs if card.proof else ():
        given = bound(run)
        for name, value in given.parameters.items() if given else ():
            yield run.name, name, value


def _problem(context: Context, card: Card, place: Place, text: str) -> Problem:
    return context.problem(
        id,
        card,
        place,
        Text(
            ja="正解の許容差が広く、この誤答も正解として通ります。",
            en="The truth's tolerance is so wide that it accepts this lure.",
        ),
        Text(
            ja="許容差を狭めるか、違いの大きいパラメータにしてください。",
            en="Narrow the tolerance, or choose parameters at which they differ more.",
        ),
        part=(text, 0, len(text)),
    )
