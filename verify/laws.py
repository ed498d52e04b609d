"""The textbook laws of an experiment, judged on its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from verify.claims import (
    Claim,
    ClaimError,
    Declared,
    Judgement,
    Reference,
    Scope,
    Verdict,
    check,
    holds,
    in_words,
    judge,
    meanings_of,
    names,
    parameter_scope,
    parse_claim,
    scope_of,
    signature,
)
from verify.errors import UsageError
from verify.evidence import Evidence
from verify.experiment import Experiment, Law, values_of
from verify.quantities import Measured
from verify.text import LANGUAGES, Language, Text

_ONCE = Text(
    ja="1 回の測定では時計の値のばらつきが分かりません(--repeat 5 など)。",
    en="one repeat doesn't show how much readings of the clock vary (try --repeat 5).",
)


@dataclass(frozen=True, slots=True)
class JudgedLaw:
    """A law that applies to these parameters, and what the evidence says of it."""

    law: Law
    claim: Claim
    judgement: Judgement

    def to_json(self, experiment: Experiment) -> dict[str, Any]:
        return {
            "text": self.law.claim,
            "verdict": self.judgement.verdict.value,
            "words": {
                language: words_of(self.claim, language, {None: experiment})
                for language in LANGUAGES
            },
            "left": None if self.judgement.left is None else self.judgement.left.to_json(),
            "right": None if self.judgement.right is None else self.judgement.right.to_json(),
        }


def laws_about(experiment: Experiment, parameters: Any) -> tuple[Law, ...]:
    """The laws that speak of runs with these parameters, in order."""
    scope = parameter_scope(experiment, values_of(parameters))
    return tuple(
        law for law in experiment.laws_for(parameters) if law.when is None or holds(law.when, scope)
    )


def judge_laws(experiment: Experiment, evidence: Evidence) -> tuple[JudgedLaw, ...]:
    """Every law whose condition holds for the parameters of the evidence, in order.

    A law that these values make meaningless (a percentage of 0 under a fault, say) is undecided,
    and so is one about the clock where a single repeat gave its readings no interval.
    Raises UsageError where the law itself is malformed: a fault of whoever wrote the experiment.
    """
    scope = scope_of(evidence, experiment)
    parameters = parameter_scope(experiment, evidence.parameters)
    lone = _timed_once(experiment, evidence)
    judged = []
    for law in experiment.laws_for(experiment.Parameters(**evidence.parameters)):
        try:
            if law.when is not None and not holds(law.when, parameters):
                continue
            claim = parse_claim(law.claim)
            malformed = check(claim, scope.known)
        except ClaimError as error:
            raise _malformed(experiment, law, error) from error
        if malformed:
            raise _malformed(experiment, law, malformed[0])
        judgement = _judged(claim, scope)
        if any(reference.name in lone for reference in names(claim)):
            judgement = replace(judgement, verdict=Verdict.UNDECIDED, ranks=(), reason=_ONCE)
        judged.append(JudgedLaw(law, claim, judgement))
    return tuple(judged)


def _timed_once(experiment: Experiment, evidence: Evidence) -> frozenset[str]:
    """The readings of the clock, where none of them has an interval; otherwise nothing.

    Over several repeats one of them may well be the same each time (0 s of waiting), never all.
    """
    timed = {
        declared.name: quantity
        for declared in experiment.quantities
        if declared.timed
        and isinstance(quantity := evidence.quantities.get(declared.name), Measured)
    }
    intervals = [interval for quantity in timed.values() for interval in quantity.values]
    once = all(interval.low == interval.high for interval in intervals)
    return frozenset(timed if once else ())


def _judged(claim: Claim, scope: Scope) -> Judgement:
    try:
        return judge(claim, scope)
    except ClaimError as error:
        return Judgement(Verdict.UNDECIDED, None, None, reason=error.message)


def _malformed(experiment: Experiment, law: Law, error: ClaimError) -> UsageError:
    return UsageError(
        Text(
            ja=f"実験 {experiment.name} の法則 {law.claim} が正しくありません: {error.message.ja}",
            en=f"the law {law.claim} of {experiment.name} is malformed: {error.message.en}",
        ),
        error.hint,
    )


def words_of(claim: Claim, language: Language, experiments: Mapping[str | None, Experiment]) -> str:
    """A claim in plain words, for the runs of a proof; the only run has the name None."""
    known: dict[Reference, Declared] = {}
    for run, experiment in experiments.items():
        known |= signature(experiment, run)
    return in_words(claim, language, meanings_of(experiments), known)
