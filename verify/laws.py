"""The textbook laws of an experiment, judged on its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verify.claims import (
    Claim,
    Declared,
    Judgement,
    Reference,
    holds,
    in_words,
    judge,
    meanings_of,
    parameter_scope,
    parse_claim,
    scope_of,
    signature,
)
from verify.evidence import Evidence
from verify.experiment import Experiment, Law
from verify.text import LANGUAGES, Language


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


def judge_laws(experiment: Experiment, evidence: Evidence) -> tuple[JudgedLaw, ...]:
    """Every law whose condition holds for the parameters of the evidence, in order."""
    scope = scope_of(evidence, experiment)
    parameters = parameter_scope(experiment, evidence.parameters)
    judged = []
    for law in experiment.laws_for(experiment.Parameters(**evidence.parameters)):
        if law.when is not None and not holds(law.when, parameters):
            continue
        claim = parse_claim(law.claim)
        judged.append(JudgedLaw(law, claim, judge(claim, scope)))
    return tuple(judged)


def words_of(claim: Claim, language: Language, experiments: Mapping[str | None, Experiment]) -> str:
    """A claim in plain words, for the runs of a proof; the only run has the name None."""
    known: dict[Reference, Declared] = {}
    for run, experiment in experiments.items():
        known |= signature(experiment, run)
    return in_words(claim, language, meanings_of(experiments), known)
