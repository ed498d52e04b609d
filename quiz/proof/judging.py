"""A card and its evidence -> verdicts. Pure.

A truth must be confirmed in every run, a lure refuted in at least one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from quiz.deck.card import Card
from quiz.proof.assertions import Assertion, Role
from quiz.proof.plan import Plan, Variant, broken
from verify.api import ProofdeckError, Text
from verify.api.claims import (
    ClaimError,
    Judgement,
    Mutant,
    Scope,
    Verdict,
    join,
    measures_nothing,
    mutants,
    over_runs_lure,
    over_runs_truth,
    scope_of,
    survivors,
)
from verify.api.claims import judge as judge_claim
from verify.api.worlds import Evidence, Request, request_key


class CardVerdict(StrEnum):
    """Of a card; in this order of weight, `failed` outranks all."""

    PROVEN = "proven"
    UNDECIDED = "undecided"
    DISPROVEN = "disproven"
    FAILED = "failed"


@dataclass(frozen=True)
class ClaimResult:
    """What became of an assertion. `judgement` is the telling one: the first that decided it."""

    assertion: Assertion
    verdict: Verdict
    judgement: Judgement | None
    reason: Text | None = None


@dataclass(frozen=True)
class Weakness:
    """A truth that can't fail: every run confirms a mutant of it, or no run notices its fault."""

    assertion: Assertion
    text: Text


@dataclass(frozen=True)
class Tried:
    """How truths were put to the test: altered formulas and faults, and how many were refuted."""

    mutants: int = 0
    mutants_refuted: int = 0
    faults: int = 0
    faults_refuted: int = 0

    def __add__(self, other: Tried) -> Tried:
        return Tried(
            self.mutants + other.mutants,
            self.mutants_refuted + other.mutants_refuted,
            self.faults + other.faults,
            self.faults_refuted + other.faults_refuted,
        )

    def in_words(self) -> Text:
        """Both shares, rounded down; all of both is what claims that can fail come to."""
        mutants, faults = (
            f"{refuted} / {tried}" + (f" ({1000 * refuted // tried / 10:g} %)" if tried else "")
            for refuted, tried in (
                (self.mutants_refuted, self.mutants),
                (self.faults_refuted, self.faults),
            )
        )
        return Text(
            ja=f"反証できたもの: わざと変えた式 {mutants}、故障 {faults}",
            en=f"refuted: altered formulas {mutants}, faults {faults}",
        )


@dataclass(frozen=True)
class CardResult:
    """The verdict of a card and all that led to it."""

    card: Card
    verdict: CardVerdict
    claims: tuple[ClaimResult, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    keys: tuple[str, ...] = ()
    weaknesses: tuple[Weakness, ...] = ()
    tried: Tried = Tried()
    reason: Text | None = None
    seconds: float = 0.0


EvidenceOf = Callable[[Request], Evidence]


def scope(card: Card, variant: Variant, evidence_of: EvidenceOf) -> Scope:
    """All names that a claim of the card may use in one variant."""
    runs = [
        scope_of(evidence_of(request), request.experiment, name)
        for name, request in variant.requests.items()
    ]
    return join(*runs).with_names(variant.combination)


def judge(plan: Plan, evidence_of: EvidenceOf) -> CardResult:
    """The verdict of a card whose evidence is at hand."""
    card = plan.card
    scopes = [scope(card, variant, evidence_of) for variant in plan.variants]
    results = tuple(_judge_one(a, scopes) for a in plan.assertions())
    weaknesses: list[Weakness] = []
    tried = Tried()
    for result in results:
        assertion = result.assertion
        if assertion.role is not Role.TRUTH:
            continue
        loose = survivors(assertion.claim, scopes)
        weaknesses += [_too_loose(assertion, mutant) for mutant in loose]
        number = len(mutants(assertion.claim))
        tried += Tried(number, number - len(loose))
        if assertion.unless is not None:
            faulty = [broken(v, assertion.unless) for v in plan.variants]
            noticed = any(
                _judged(assertion, scope(card, v, evidence_of)).verdict is Verdict.REFUTED
                for v in faulty
            )
            tried += Tried(faults=1, faults_refuted=int(noticed))
            if not noticed:
                weaknesses.append(_fault_unnoticed(assertion))
    evidence = {
        request_key(request): evidence_of(request)
        for variant in plan.variants
        for request in variant.requests.values()
    }
    verdict, reason = _verdict(results)
    return CardResult(
        card,
        verdict,
        results,
        tuple(evidence.values()),
        tuple(evidence),
        tuple(weaknesses),
        tried,
        reason,
    )


def _judged(assertion: Assertion, names: Scope) -> Judgement:
    """Raises ProofdeckError that names a claim which has no value in this run, or needs none."""
    try:
        judgement = judge_claim(assertion.claim, names)
        if (idle := measures_nothing(assertion.claim, names.known)) is not None:
            raise idle
        return judgement
    except ClaimError as error:
        claim, what = assertion.text, error.message
        raise ProofdeckError(
            Text(ja=f"主張 {claim}: {what.pick('ja')}", en=f"the claim {claim}: {what.pick('en')}"),
            error.hint,
        ) from error


def _judge_one(assertion: Assertion, scopes: Sequence[Scope]) -> ClaimResult:
    judgements = [_judged(assertion, s) for s in scopes]
    over = over_runs_truth if assertion.role is Role.TRUTH else over_runs_lure
    verdict = over(judgements)
    telling = next((j for j in judgements if j.verdict is verdict), judgements[0])
    return ClaimResult(assertion, verdict, telling, telling.reason)


def _verdict(results: Sequence[ClaimResult]) -> tuple[CardVerdict, Text | None]:
    """Proven: truths confirmed and every lure refuted."""
    right = {Role.TRUTH: Verdict.CONFIRMED, Role.LURE: Verdict.REFUTED}
    off = [r for r in results if r.verdict is not right[r.assertion.role]]
    decided = next((r for r in off if r.verdict is not Verdict.UNDECIDED), None)
    if decided is not None:
        shown = decided.assertion.text
        if decided.assertion.role is Role.TRUTH:
            return CardVerdict.DISPROVEN, Text(
                ja=f"正解とされた主張が反証されました: {shown}",
                en=f"the run refutes what the card calls true: {shown}",
            )
        return CardVerdict.DISPROVEN, Text(
            ja=f"誤答とされた主張が確認されました: {shown}",
            en=f"the run confirms what the card calls a lure: {shown}",
        )
    if off:
        return CardVerdict.UNDECIDED, off[0].reason
    return CardVerdict.PROVEN, None


def _too_loose(assertion: Assertion, mutant: Mutant) -> Weakness:
    return Weakness(
        assertion,
        Text(
            ja=f"主張 {assertion.text} は緩すぎます。{mutant.change.pick('ja')}としても"
            "すべての測定が確認します。",
            en=f"the claim {assertion.text} is too loose: every run also confirms it with "
            f"{mutant.change.pick('en')}.",
        ),
    )


def _fault_unnoticed(assertion: Assertion) -> Weakness:
    return Weakness(
        assertion,
        Text(
            ja=f"主張 {assertion.text} は故障 {assertion.unless} の下でも反証されません。",
            en=f"the claim {assertion.text} isn't refuted under the fault {assertion.unless}.",
        ),
    )
