"""Every shipped answer is proven here, and every flipped one is disproven on the same evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quiz.deck.card import Card, Choice, Kind
from quiz.deck.library import find_decks, read_decks
from quiz.home import from_environment
from quiz.proof import CardVerdict, Prover, assertions, judge, plan
from quiz.proof.judging import scope
from verify.api.claims import Claim, ClaimError, Scope, Verdict, mutants
from verify.api.claims import judge as judge_claim

pytestmark = pytest.mark.xdist_group("decks")  # one worker, so that each run is made once

CARDS = {
    card.key: card
    for loaded in read_decks(find_decks([], from_environment({"QUIZ_HOME": "/nonexistent"})))
    if loaded.deck is not None
    for card in loaded.deck.cards
}
TRAPS = [card for card in CARDS.values() if card.kind is Kind.TRAP]
NUMBERS = [card for card in CARDS.values() if card.kind is Kind.COMPUTE]
EACH = pytest.mark.parametrize("card", CARDS.values(), ids=list(CARDS))


def flipped(trap: Card, lure: Choice) -> Card:
    """The trap with the truth's claim beside the lure's text, and the other way round."""
    exchanged = {lure.key: trap.truth.statement, trap.truth.key: lure.statement}
    return replace(
        trap,
        choices=tuple(
            replace(choice, statement=exchanged.get(choice.key, choice.statement))
            for choice in trap.choices
        ),
    )


def refutes(claim: Claim, scope: Scope) -> bool:
    """Whether a run refutes the claim; one that it can't even evaluate (÷ 0) doesn't count."""
    try:
        return judge_claim(claim, scope).verdict is Verdict.REFUTED
    except ClaimError:
        return False


@EACH
def test_is_proven_and_can_fail(card: Card, prover: Prover) -> None:
    result = prover.prove(card)
    assert result.verdict is CardVerdict.PROVEN, result.reason
    assert [w.text.pick("en") for w in result.weaknesses] == []
    assert result.tried.mutants + result.tried.faults > 0


@pytest.mark.parametrize("trap", TRAPS, ids=lambda card: card.key)
def test_flipping_truth_and_any_lure_is_disproven(trap: Card, prover: Prover) -> None:
    lures = [choice for choice in trap.choices if not choice.is_truth]
    assert lures
    for lure in lures:
        result = prover.prove(flipped(trap, lure))
        assert result.verdict is CardVerdict.DISPROVEN, lure.key


@pytest.mark.parametrize("card", NUMBERS, ids=lambda card: card.key)
def test_exchanging_result_and_any_lure_is_disproven(card: Card, prover: Prover) -> None:
    assert card.result is not None
    for index, lure in enumerate(card.lures):
        lures = list(card.lures)
        lures[index] = replace(lure, result=card.result)
        wrong = replace(card, result=lure.result, lures=tuple(lures))
        combinations = [variant.combination for variant in plan(card).variants]
        result = prover.prove(wrong, combinations)
        assert result.verdict is CardVerdict.DISPROVEN, lure.belief


@EACH
def test_each_mutant_of_each_truth_is_refuted_by_a_run(card: Card, prover: Prover) -> None:
    needed = plan(card)
    for request in needed.requests():
        prover.evidence(request)
    scopes = [scope(card, variant, prover.evidence) for variant in needed.variants]
    for assertion in assertions(card):
        if assertion.role == "truth":
            for mutant in mutants(assertion.claim):
                assert any(refutes(mutant.claim, s) for s in scopes), mutant.change.pick("en")


def test_judging_again_on_the_same_evidence_says_the_same(prover: Prover) -> None:
    card = TRAPS[0]
    first, second = prover.prove(card), judge(plan(card), prover.evidence)
    assert [c.verdict for c in first.claims] == [c.verdict for c in second.claims]
