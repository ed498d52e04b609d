"""The claims and expressions of a card, parsed once, with the names that they may use.

Decks repeat their claims, so what is found out about a text is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from quiz.deck.card import Card, Kind, Place, Run
from verify.api import (
    Claim,
    ClaimError,
    Declared,
    Experiment,
    Expression,
    ProofdeckError,
    Reference,
    find_experiment,
    parse_claim,
    parse_expression,
    signature,
)

RESULT = "result"
"""The name that stands for a compute card's own expression in the claims of its proof."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A claim where it stands in a card."""

    place: Place
    claim: str
    unless: str | None
    lure: bool


def stated(card: Card) -> Iterator[Stated]:
    """The claims of a card: those of its choices, then the truths of its proof."""
    for number, choice in enumerate(card.choices):
        statement = choice.statement
        place: Place = ("choices", number, "claim")
        yield Stated(place, statement.claim, statement.unless, not choice.is_truth)
    for number, statement in enumerate(card.proof.truth if card.proof else ()):
        place = ("proof", "truth", number)
        inner = (*place, "claim")
        yield Stated(
            inner if inner in card.places else place, statement.claim, statement.unless, lure=False
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


def known(card: Card) -> Mapping[Reference, Declared] | None:
    """The names that claims of the card may use; None without a proof or with an unknown one."""
    if card.proof is None:
        return None
    return _known(
        tuple((run.name, run.experiment) for run in card.proof.runs),
        tuple(card.vary),
        card.kind is Kind.COMPUTE,
    )


@lru_cache(maxsize=1024)
def _known(
    runs: tuple[tuple[str | None, str], ...], varied: tuple[str, ...], compute: bool
) -> Mapping[Reference, Declared] | None:
    names: dict[Reference, Declared] = {}
    for run, name in runs:
        found = experiment(name)
        if isinstance(found, ProofdeckError):
            return None
        names |= signature(found, run)
    own = (*varied, RESULT) if compute else ()
    return {Reference(None, name): Declared() for name in own} | names
