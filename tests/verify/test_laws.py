"""Laws on evidence: which apply, and what becomes of one that can't be judged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from verify.catalogue import find_experiment
from verify.errors import UsageError
from verify.evidence import Evidence, WorldFacts
from verify.experiment import Experiment, Law, values_of
from verify.laws import judge_laws
from verify.quantities import Interval, Measured, Shape, Source, per_rank, scalar
from verify.text import Text
from verify.units import BYTE, ONE, MiB


def evidence(experiment: Experiment, sent: int) -> Evidence:
    """Four ranks that each sent `sent` bytes of an all-reduce of 4 MiB; all else is 0."""
    quantities = {q.name: scalar(0, q.unit) for q in experiment.quantities}
    quantities["wire_sent"] = per_rank([sent] * 4, BYTE, Source.MEASURED)
    facts = WorldFacts(4, 1, "gloo", "cpu", "local")
    values = values_of(experiment.Parameters())
    return Evidence(experiment.name, values, quantities, facts, {}, 1, 0.1, "2026-01-01")


def with_law(claim: str, **conditions: object) -> Experiment:
    law = Law(claim, Text(ja="法則", en="law"), **conditions)  # type: ignore[arg-type]
    return replace(find_experiment("all-reduce-bytes"), laws=(law,))


def test_ring_law_on_six_mebibytes() -> None:
    # 2(N−1)/N·S with N = 4 and S = 4 MiB is 6 MiB.
    experiment = with_law("wire_sent == 2*(ranks-1)/ranks*payload ± 1%")
    assert judge_laws(experiment, evidence(experiment, 6 * MiB))[0].judgement.verdict == "confirmed"
    assert judge_laws(experiment, evidence(experiment, 5 * MiB))[0].judgement.verdict == "refuted"


def test_a_law_whose_condition_does_not_hold_says_nothing() -> None:
    experiment = with_law("wire_sent == 0", when="ranks >= 5")
    assert judge_laws(experiment, evidence(experiment, 6 * MiB)) == ()


def test_a_percentage_of_nothing_is_undecided_and_says_why() -> None:
    experiment = with_law("wire_sent == wire_sent - wire_sent ± 1%")
    judged = judge_laws(experiment, evidence(experiment, 6 * MiB))
    assert judged[0].judgement.verdict == "undecided"
    assert judged[0].judgement.reason is not None


@pytest.mark.parametrize("claim", ["wire_sent ==", "no_such == 1", "wire_sent == 1 s"])
def test_a_malformed_law_names_its_experiment(claim: str) -> None:
    experiment = with_law(claim)
    with pytest.raises(UsageError, match="all-reduce-bytes is malformed"):
        judge_laws(experiment, evidence(experiment, 6 * MiB))


@pytest.mark.parametrize(
    ("gain", "verdict"),
    [
        (Interval(3.4, 3.5, 3.6), "confirmed"),  # 0.6 × 4 = 2.4
        (Interval(2.0, 2.1, 2.2), "refuted"),
        (Interval(3.5, 3.5, 3.5), "undecided"),
    ],
)
def test_a_lone_reading_of_the_clock_decides_nothing(gain: Interval, verdict: str) -> None:
    experiment = find_experiment("throughput")
    values = values_of(experiment.Parameters())
    quantities = {q.name: scalar(0, q.unit) for q in experiment.quantities}
    quantities["rate_gain"] = Measured(ONE, Shape.SCALAR, Source.MEASURED, (gain,))
    facts = WorldFacts(4, 1, "gloo", "cpu", "local")
    made = Evidence(experiment.name, values, quantities, facts, {}, 1, 0.1, "2026-01-01")
    found = {law.law.claim: law.judgement for law in judge_laws(experiment, made)}
    judgement = found["rate_gain > 0.6*ranks"]
    assert judgement.verdict == verdict
    assert judgement.left is not None  # the reading is shown all the same
    assert (judgement.reason is not None) is (verdict == "undecided")
    # What is counted needs no repeats: 0 is not 1.
    assert found["utilisation == 1"].verdict == "refuted"
