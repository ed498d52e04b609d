"""The claims and expressions of a card, parsed once, with the names that they may use.

Decks repeat their claims, so what is found out about a text is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from quiz.deck.card import Card, Kind, Place, Run
from verify.api import BYTE, ONE, ProofdeckError, UsageError, Value
from verify.api.claims import (
    Claim,
    ClaimError,
    Declared,
    Expression,
    Reference,
    check_claim,
    names,
    needs_fault,
    parse_claim,
    parse_expression,
    signature,
    substitute,
)
from verify.api.experiments import Experiment, find_experiment, values_of

RESULT = "result"
"""The name that stands for a compute card's own expression in the claims of its proof."""


class Stated(NamedTuple):
    """A claim where it stands in a card."""

    place: Place
    claim: str
    unless: str | None
    lure: bool
    known: Known | None  # the names that it may use; None where that can't be said


@dataclass(frozen=True, eq=False)
class Known:
    """The names that the claims of a proof may use.

    One object for all cards of like proofs, compared by identity, so that it is a cheap key.
    """

    names: Mapping[Reference, Declared]


def stated(card: Card) -> Iterator[Stated]:
    """The claims of a card: those of its choices, then the truths of its proof."""
    usable = known(card)
    for number, choice in enumerate(card.choices):
        statement = choice.statement
        place: Place = ("choices", number, "claim")
        lure = choice.belief is not None
        yield Stated(place, statement.claim, statement.unless, lure, usable)
    for number, statement in enumerate(card.proof.truth if card.proof else ()):
        place = ("proof", "truth", number)
        inner = (*place, "claim")
        yield Stated(
            inner if inner in card.places else place,
            statement.claim,
            statement.unless,
            lure=False,
            known=usable,
        )


def expressions(card: Card) -> Iterator[tuple[Place, str]]:
    """The expressions of a compute card: its result and those of its lures."""
    if card.result is not None:
        yield ("result",), card.result
    for number, lure in enumerate(card.lures):
        yield ("lures", number, "result"), lure.result


@lru_cache(maxsize=2**16)
def parsed(claim: str) -> Claim | ClaimError:
    """The claim's tree, or what is wrong with its text."""
    try:
        return parse_claim(claim)
    except ClaimError as error:
        return error


@lru_cache(maxsize=2**16)
def parsed_expression(expression: str) -> Expression | ClaimError:
    """The expression's tree, or what is wrong with its text."""
    try:
        return parse_expression(expression)
    except ClaimError as error:
        return error


@lru_cache(maxsize=2**16)
def must_name_fault(claim: str) -> bool:
    """Whether changing the right side of a truth tells nothing, so that it needs a fault."""
    tree = parsed(claim)
    return not isinstance(tree, ClaimError) and needs_fault(tree)


@lru_cache(maxsize=2**16)
def names_of_claim(claim: str) -> frozenset[Reference]:
    """The names in a claim; none where it can't be read."""
    tree = parsed(claim)
    return frozenset() if isinstance(tree, ClaimError) else names(tree)


@lru_cache(maxsize=2**16)
def names_of_expression(expression: str) -> frozenset[Reference]:
    """The names in an expression; none where it can't be read."""
    tree = parsed_expression(expression)
    return frozenset() if isinstance(tree, ClaimError) else names(tree)


@lru_cache(maxsize=1024)
def experiment(name: str) -> Experiment | ProofdeckError:
    """The experiment, or why there is none."""
    try:
        return find_experiment(name)
    except ProofdeckError as error:
        return error


def place_of(run: Run) -> Place:
    """Where a run stands in its card."""
    return ("proof",) if run.name is None else ("proof", "runs", run.name)


@dataclass(frozen=True)
class Bound:
    """A run's parameters, defaults included, and how many ranks that makes."""

    parameters: Mapping[str, Value]
    ranks: int


def bound(run: Run) -> Bound | None:
    """What a run is given; None where its experiment refuses it, or isn't known."""
    given = tuple(run.given.items())
    types = tuple([type(value) for _, value in given])  # True == 1 == 1.0
    return _bound(run.experiment, given, types)


@lru_cache(maxsize=4096)
def _bound(
    name: str, given: tuple[tuple[str, Value], ...], _types: tuple[type, ...]
) -> Bound | None:
    found = experiment(name)
    if not isinstance(found, Experiment):
        return None
    try:
        parameters = found.bind(dict(given))
    except UsageError:
        return None
    return Bound(values_of(parameters), found.world_size(parameters))


def known(card: Card) -> Known | None:
    """The names that a card's claims may use; None without a proof, or of what is unknown."""
    if card.proof is None:
        return None
    runs = tuple([(run.name, run.experiment) for run in card.proof.runs])
    varied = tuple([(name, isinstance(values[0], str)) for name, values in card.vary.items()])
    return _known(runs, varied, card.kind is Kind.COMPUTE)


@lru_cache(maxsize=1024)
def _known(
    runs: tuple[tuple[str | None, str], ...], varied: tuple[tuple[str, bool], ...], compute: bool
) -> Known | None:
    brought: dict[Reference, Declared] = {}
    for run, name in runs:
        found = experiment(name)
        if isinstance(found, ProofdeckError):
            return None
        brought |= signature(found, run)
    own = {
        Reference(None, name): Declared(BYTE if is_size else ONE, given=True)
        for name, is_size in varied
    }
    if compute:
        own[Reference(None, RESULT)] = Declared(given=True)
    return Known(own | brought)


@lru_cache(maxsize=2**16)
def unknown_names(claim: str, usable: Known) -> frozenset[Reference]:
    """The names in a claim that it may not use."""
    return frozenset(names_of_claim(claim) - usable.names.keys())


@lru_cache(maxsize=2**16)
def mistakes(claim: str, result: str | None, usable: Known) -> tuple[ClaimError, ...]:
    """What is wrong with a claim that can be read, besides unknown names.

    A compute card's result is put in its place.
    """
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


@lru_cache(maxsize=2**16)
def is_sound(claim: str, result: str | None, usable: Known | None) -> bool:
    """Whether nothing at all is wrong with a claim where it stands."""
    if isinstance(parsed(claim), ClaimError):
        return False
    return usable is None or not (unknown_names(claim, usable) or mistakes(claim, result, usable))
