"""large-batch: figures of the digits, laws that hold over seeds, and faults that refute them."""

from __future__ import annotations

import math

import pytest

from verify.catalogue import find_experiment
from verify.claims import Verdict
from verify.errors import UsageError
from verify.laws import judge_laws

EXPERIMENT = find_experiment("large-batch")


@pytest.mark.parametrize(
    ("given", "laws"),
    [
        ({"rule": "same"}, 3),
        ({"rule": "linear"}, 3),
        ({"rule": "square-root"}, 3),
        ({"rule": "linear", "base_rate": 0.2}, 3),
        ({"rule": "linear", "base_rate": 0.2, "warm_up": True}, 3),
        ({"rule": "square-root", "base_rate": 0.2}, 3),
        ({"base_rate": 0.001}, 3),
        ({"base_rate": 1}, 3),
    ],
)
def test_every_law_holds(given, laws, measure):
    found = {
        j.law.claim: j.judgement.verdict
        for j in judge_laws(EXPERIMENT, measure("large-batch", **given))
    }
    assert set(found.values()) == {Verdict.CONFIRMED}, found
    assert len(found) == laws


@pytest.mark.parametrize(
    ("fault", "given"),
    [
        ("keep-rate", {}),
        ("keep-rate", {"base_rate": 0.2}),
        ("keep-rate", {"base_rate": 0.001}),
        ("always-linear", {"rule": "same"}),
        ("always-linear", {"rule": "square-root"}),
        ("always-linear", {"rule": "square-root", "base_rate": 0.2}),
        ("stale", {"base_rate": 1}),
        ("sum-not-mean", {}),
        ("skip-all-reduce", {}),
    ],
)
def test_a_fault_refutes_every_law_that_names_it(fault, given, measure):
    laws = judge_laws(EXPERIMENT, measure("large-batch", fault, **given))
    naming = [j for j in laws if j.law.fault == fault]
    assert naming
    assert {j.judgement.verdict for j in naming} == {Verdict.REFUTED}


def test_the_large_batch_takes_fewer_steps_at_a_higher_rate(measure, numbers):
    evidence = measure("large-batch", rule="square-root")
    assert numbers(evidence, "steps_base") == [3 * (1797 // 16)]
    assert numbers(evidence, "steps_large") == [3 * (1797 // 128)]
    assert numbers(evidence, "rate_large") == [0.05 * math.sqrt(8)]
    base, large = (evidence.curves[f"loss_{which}"] for which in ("base", "large"))
    assert len(base) == len(large) == 2  # one row per rank
    assert len(base[0]) == len(large[0]) == 42  # a point for every 128 samples
    assert base[0][0] == pytest.approx(math.log(10), abs=0.1)  # it starts by guessing
    assert base[0][-1] < large[0][-1] < base[0][0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ranks": 3}, "can't be shared equally by ranks=3"),
        ({"base_batch": 64, "factor": 64}, "more than the 1797 samples"),
        ({"rule": "cube"}, "rule=cube is not possible"),
        ({"base_rate": 0}, "base_rate=0 is not possible"),
    ],
)
def test_what_cannot_run_is_refused_before_a_rank_starts(given, message):
    with pytest.raises(UsageError, match=message):
        EXPERIMENT.bind(given)
