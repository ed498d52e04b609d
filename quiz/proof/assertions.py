"""The claims of a card: which must be confirmed, which refuted, and whose words they stand beside.

In a compute card `result` stands for the author's expression, and each lure makes a claim in which
its own expression takes that place.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from quiz.deck.card import Card, Kind, Statement
from verify.api import Text
from verify.api.claims import Claim, names, parse_claim, parse_expression, render, substitute


class Role(StrEnum):
    TRUTH = "truth"
    LURE = "lure"


@dataclass(frozen=True)
class Assertion:
    """A claim of a card, ready to be judged, with where it came from."""

    role: Role
    claim: Claim
    prose: Text | None  # the author's words beside it: a choice, an answer
    place: tuple[str | int, ...]  # in the card
    unless: str | None = None
    belief: str | None = None
    why: Text | None = None

    @property
    def text(self) -> str:
        """The claim as it is judged, in its canonical form."""
        return render(self.claim)


def assertions(card: Card) -> tuple[Assertion, ...]:
    """The card's claims in the author's order, truths of the proof first."""
    found: list[Assertion] = []
    stated = card.proof.truth if card.proof else ()
    for index, statement in enumerate(stated):
        found.extend(_stated(card, index, statement))
    for index, choice in enumerate(card.choices):
        found.append(
            Assertion(
                Role.TRUTH if choice.is_truth else Role.LURE,
                parse_claim(choice.statement.claim),
                choice.text,
                ("choices", index, "claim"),
                choice.statement.unless,
                choice.belief,
                choice.why,
            )
        )
    return tuple(found)


def _stated(card: Card, index: int, statement: Statement) -> Iterable[Assertion]:
    claim = parse_claim(statement.claim)
    place = ("proof", "truth", index)
    if card.kind is not Kind.COMPUTE or card.result is None:
        yield Assertion(Role.TRUTH, claim, card.answer, place, statement.unless)
        return
    result = parse_expression(card.result)
    yield Assertion(Role.TRUTH, substitute(claim, "result", result), None, place, statement.unless)
    if not any(reference.name == "result" for reference in names(claim)):
        return
    for number, lure in enumerate(card.lures):
        yield Assertion(
            Role.LURE,
            substitute(claim, "result", parse_expression(lure.result)),
            None,
            ("lures", number, "result"),
            belief=lure.belief,
            why=lure.why,
        )
