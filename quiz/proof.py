"""A card and its evidence -> verdicts.

Pure but for `Prover`, which asks a world for the evidence that is missing. A truth must be
confirmed in every run, a lure refuted in at least one. A compute card is proven at several
combinations of its parameters: `result` stands for the author's expression, and each lure for a
claim in which its own expression takes that place.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

from quiz.deck.card import Card, Kind, Run, Statement
from quiz.deck.draw import collision, combination, combinations
from verify.api import (
    Claim,
    Evidence,
    Judgement,
    Mutant,
    OnProgress,
    ProofdeckError,
    Request,
    Scope,
    Text,
    UsageError,
    Value,
    Verdict,
    find_experiment,
    ignore_progress,
    join,
    mutants,
    names,
    over_runs_lure,
    over_runs_truth,
    parse_claim,
    parse_expression,
    render,
    request_key,
    scope_of,
    substitute,
    survivors,
)
from verify.api import judge as judge_claim


class CardVerdict(StrEnum):
    """Of a card; in this order of weight, `failed` outranks all."""

    PROVEN = "proven"
    UNDECIDED = "undecided"
    DISPROVEN = "disproven"
    FAILED = "failed"


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
class CardResult:
    """The verdict of a card and all that led to it."""

    card: Card
    verdict: CardVerdict
    claims: tuple[ClaimResult, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    keys: tuple[str, ...] = ()
    weaknesses: tuple[Weakness, ...] = ()
    mutants_tried: int = 0
    faults_tried: int = 0
    reason: Text | None = None
    seconds: float = 0.0


# -- what must be run --------------------------------------------------------------------------

Combination = Mapping[str, Value]
"""Parameters of a compute card: one value for each key of `vary`."""

MOST_LOOKED_AT = 256


def proof_combinations(card: Card) -> tuple[Combination, ...]:
    """The combinations at which a card is proven: two, as unlike as `vary` allows.

    The first one in the author's order, then one that differs from it in every parameter that has
    a choice; never one in which a lure equals the result. Other kinds of card have the empty one.
    """
    if not card.vary:
        return ({},)
    usable = [
        c
        for c in (combination(card, i) for i in range(min(combinations(card), MOST_LOOKED_AT)))
        if collision(card, c) is None
    ]
    if not usable:
        raise UsageError(
            Text(
                ja=f"{card.key}: どの組み合わせでも、正解と誤答の値が区別できません。",
                en=f"{card.key}: in every combination a lure equals the result.",
            )
        )
    first = usable[0]

    def differences(other: Combination) -> int:
        return sum(other[name] != first[name] for name in first)

    return (first, max(usable[1:], key=differences)) if usable[1:] else (first,)


@dataclass(frozen=True)
class Variant:
    """One way to run a card's proof: its runs with a combination of parameters filled in."""

    combination: Combination
    requests: Mapping[str | None, Request]


@dataclass(frozen=True)
class Plan:
    """The assertions of a card and the runs that judge them."""

    card: Card
    variants: tuple[Variant, ...]

    def assertions(self) -> tuple[Assertion, ...]:
        return assertions(self.card)

    def requests(self) -> Iterable[Request]:
        """Every run that is needed, those under a fault included."""
        faults = {a.unless for a in self.assertions() if a.unless is not None}
        for variant in self.variants:
            yield from variant.requests.values()
            for fault in sorted(faults):
                yield from _broken(variant, fault).values()


def _broken(variant: Variant, fault: str) -> dict[str | None, Request]:
    """The variant's runs under a fault, where their experiment declares it."""
    return {
        name: Request(request.experiment, request.parameters, fault=fault)
        if any(f.name == fault for f in request.experiment.faults)
        else request
        for name, request in variant.requests.items()
    }


def plan(card: Card, combinations: Sequence[Combination] | None = None) -> Plan:
    """Which runs prove the card. Raises ProofdeckError where a run can't be asked for."""
    if card.proof is None:
        raise ProofdeckError(
            Text(ja=f"{card.key} には証明がありません。", en=f"{card.key} has no proof.")
        )
    chosen = combinations if combinations is not None else proof_combinations(card)
    return Plan(card, tuple(_variant(card.proof.runs, c) for c in chosen))


def _variant(runs: Sequence[Run], combination: Combination) -> Variant:
    return Variant(combination, {run.name: _request(run, combination) for run in runs})


def _request(run: Run, combination: Combination) -> Request:
    experiment = find_experiment(run.experiment)
    known = {parameter.name for parameter in experiment.parameters()}
    varied = {name: value for name, value in combination.items() if name in known}
    experiment.check_fault(run.fault)
    return Request(experiment, experiment.bind({**run.given, **varied}), fault=run.fault)


# -- what must hold ----------------------------------------------------------------------------


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


# -- judging -----------------------------------------------------------------------------------

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
    mutants_tried = faults_tried = 0
    for result in results:
        assertion = result.assertion
        if assertion.role is not Role.TRUTH:
            continue
        mutants_tried += len(mutants(assertion.claim))
        weaknesses += [_too_loose(assertion, m) for m in survivors(assertion.claim, scopes)]
        if assertion.unless is not None:
            faults_tried += 1
            broken = [_broken_scope(card, v, assertion.unless, evidence_of) for v in plan.variants]
            if all(judge_claim(assertion.claim, s).verdict is not Verdict.REFUTED for s in broken):
                weaknesses.append(_fault_unnoticed(assertion))
    requests = list(dict.fromkeys(_key(r) for v in plan.variants for r in v.requests.values()))
    evidence = tuple(evidence_of(r) for v in plan.variants for r in v.requests.values())
    verdict, reason = _verdict(results)
    return CardResult(
        card,
        verdict,
        results,
        evidence,
        tuple(requests),
        tuple(weaknesses),
        mutants_tried,
        faults_tried,
        reason,
    )


def _broken_scope(card: Card, variant: Variant, fault: str, evidence_of: EvidenceOf) -> Scope:
    return scope(card, Variant(variant.combination, _broken(variant, fault)), evidence_of)


def _judge_one(assertion: Assertion, scopes: Sequence[Scope]) -> ClaimResult:
    judgements = [judge_claim(assertion.claim, s) for s in scopes]
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


# -- asking a world ----------------------------------------------------------------------------


class World(Protocol):
    """What a prover needs of a world."""

    def run(self, request: Request, progress: OnProgress = ...) -> Evidence: ...


class Shelf(Protocol):
    """Where evidence is kept between runs of the program."""

    def get(self, key: str) -> Evidence | None: ...

    def put(self, key: str, evidence: Evidence) -> None: ...


def _key(request: Request) -> str:
    return request_key(request)


@dataclass
class Prover:
    """Proves cards; a run that several cards need is made once.

    `fresh` leaves the shelf unread, but still fills it.
    """

    world: World
    shelf: Shelf | None = None
    fresh: bool = False
    _known: dict[str, Evidence] = field(default_factory=dict)

    def evidence(self, request: Request, progress: OnProgress = ignore_progress) -> Evidence:
        """Evidence from this session, else the shelf, else a run. Raises RunFailed."""
        key = _key(request)
        if key not in self._known:
            kept = None if self.fresh or self.shelf is None else self.shelf.get(key)
            if kept is None:
                kept = self.world.run(request, progress)
                if self.shelf is not None:
                    self.shelf.put(key, kept)
            self._known[key] = kept
        return self._known[key]

    @property
    def made(self) -> Mapping[str, Evidence]:
        """All evidence that this prover has, by key."""
        return self._known

    def prove(
        self,
        card: Card,
        combinations: Sequence[Combination] | None = None,
        progress: OnProgress = ignore_progress,
    ) -> CardResult:
        """The card's verdict; a broken run makes it `failed`, never an exception."""
        started = time.perf_counter()
        try:
            needed = plan(card, combinations)
            for request in needed.requests():
                self.evidence(request, progress)
            result = judge(needed, self.evidence)
        except ProofdeckError as error:
            result = CardResult(card, CardVerdict.FAILED, reason=error.message)
        return _timed(result, time.perf_counter() - started)

    def forget(self, card: Card) -> None:
        """Make the next proof of the card run again, whatever is known."""
        for request in plan(card).requests():
            self._known.pop(_key(request), None)


def _timed(result: CardResult, seconds: float) -> CardResult:
    return replace(result, seconds=seconds)
