"""Which runs prove a card."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from quiz.deck.card import Card, Run
from quiz.deck.draw import collision, combination, combinations
from quiz.proof.assertions import Assertion, assertions
from verify.api import ProofdeckError, Text, UsageError, Value
from verify.api.experiments import find_experiment
from verify.api.worlds import Request

Combination = Mapping[str, Value]
"""Parameters of a compute card: one value for each key of `vary`."""

MOST_LOOKED_AT = 256


def proof_combinations(card: Card) -> tuple[Combination, ...]:
    """The combinations at which a card is proven: two, as unlike as `vary` allows.

    The first one in the author's order, then one that differs from it in every parameter that has
    a choice; never one in which a lure equals the result. Other kinds of card have the empty one.
    Raises UsageError where there is none.
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
                yield from broken(variant, fault).requests.values()


def broken(variant: Variant, fault: str) -> Variant:
    """The variant with its runs under a fault, where their experiment declares it."""
    return Variant(
        variant.combination,
        {
            name: replace(request, fault=fault)
            if any(f.name == fault for f in request.experiment.faults)
            else request
            for name, request in variant.requests.items()
        },
    )


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
