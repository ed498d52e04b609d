"""memory-held: bytes by hand for each method, laws, faults and refusals.

An MLP 64 → 256 → 64 has 2·64·256 + 256 + 64 = 33,088 float64 parameters, 264,704 B; for each sample
it saves its input and what lies before and after GELU: 9·64 numbers, 4,608 B.
"""

from __future__ import annotations

import pytest

from verify.catalogue import find_experiment
from verify.claims import Verdict, judge, parse_claim
from verify.claims.scope import scope_of
from verify.errors import UsageError
from verify.laws import judge_laws

EXPERIMENT = find_experiment("memory-held")
METHODS = ("data", "tensor", "pipeline", "hybrid", "sharded")
LAYER, SAMPLE = 264_704, 4_608


@pytest.mark.parametrize(
    ("method", "parameters", "activations"),
    [
        ("data", 4 * LAYER, 4 * 32 * SAMPLE),
        # A quarter of both matrices and of the first bias; the second bias, 64 numbers, in full.
        ("tensor", LAYER + 4 * 48 * 8, 4 * 128 * (64 + 512 // 4) * 8),
        ("pipeline", LAYER, 128 * SAMPLE),
        ("hybrid", 2 * LAYER + 4 * 32 * 8, 4 * 64 * (64 + 512 // 2) * 8),
        ("sharded", LAYER, 4 * 32 * SAMPLE),
    ],
)
def test_what_each_of_four_ranks_holds(method, parameters, activations, measure, numbers):
    evidence = measure("memory-held", method=method)
    assert numbers(evidence, "parameters_held") == [parameters] * 4
    assert numbers(evidence, "gradients_held") == [parameters] * 4
    assert numbers(evidence, "activations_held") == [activations] * 4
    gathered = (64 * 256 + 256) * 8 if method == "sharded" else 0  # the larger linear layer
    assert numbers(evidence, "gathered_most") == [gathered] * 4
    optimizer = numbers(evidence, "optimizer_held")[0]
    assert 2 * parameters < optimizer <= 2 * parameters + 16 * 4  # a step count for each tensor
    total = 2 * parameters + optimizer + activations + gathered
    assert numbers(evidence, "total_held") == [total] * 4
    assert numbers(evidence, "fits") == [int(total <= 3 * 2**20)] * 4
    laws = {j.law.claim: j.judgement.verdict for j in judge_laws(EXPERIMENT, evidence)}
    assert len(laws) >= 5
    assert set(laws.values()) == {Verdict.CONFIRMED}, laws


def test_only_splitting_it_fits_one_layer_that_is_too_large(measure):
    def verdict(method, claim):
        evidence = measure("memory-held", method=method, layers=1, budget="1 MiB")
        return judge(parse_claim(claim), scope_of(evidence, EXPERIMENT)).verdict

    assert verdict("pipeline", "max(total_held) <= budget") is Verdict.REFUTED
    assert verdict("pipeline", "max(parameters_held) == largest_layer") is Verdict.CONFIRMED
    assert verdict("tensor", "max(total_held) <= budget") is Verdict.CONFIRMED
    assert verdict("data", "parameters_held == parameters_total/ranks ± 5%") is Verdict.REFUTED


def test_a_pipeline_deals_out_whole_layers(measure, numbers):
    evidence = measure("memory-held", method="pipeline", layers=5, ranks=3)
    assert numbers(evidence, "parameters_held") == [2 * LAYER, 2 * LAYER, LAYER]
    assert {j.judgement.verdict for j in judge_laws(EXPERIMENT, evidence)} == {Verdict.CONFIRMED}


@pytest.mark.parametrize("fault", [fault.name for fault in EXPERIMENT.faults])
@pytest.mark.parametrize("method", METHODS)
def test_a_fault_refutes_every_law_that_names_it(method, fault, measure):
    evidence = measure("memory-held", fault, method=method)
    naming = [j for j in judge_laws(EXPERIMENT, evidence) if j.law.fault == fault]
    assert naming or (method, fault) in {("data", "replicate"), ("pipeline", "skip-all-reduce")}
    assert all(j.judgement.verdict is Verdict.REFUTED for j in naming)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"method": "hybrid", "ranks": 2}, "hybrid needs an even number of at least 4 ranks"),
        ({"method": "hybrid", "ranks": 5}, "hybrid needs an even number of at least 4 ranks"),
        ({"method": "data", "ranks": 3}, "batch=128 can't be divided into 3 equal parts"),
        ({"method": "pipeline", "batch": 6}, "batch=6 can't be divided into 4 equal parts"),
        ({"method": "tensor", "ranks": 3}, "4 × hidden = 256 can't be divided into 3"),
        ({"method": "expert"}, "method=expert is not possible"),
        ({"budget": "3 seconds"}, "budget=3 seconds is not possible"),
    ],
)
def test_what_cannot_run_is_refused_before_a_rank_starts(given, message):
    with pytest.raises(UsageError, match=message):
        EXPERIMENT.bind(given)


@pytest.mark.parametrize("method", ["tensor", "sharded", "hybrid"])
def test_many_narrow_parts_refute_no_law(method, measure):
    """On 16 ranks a bias of 64 on each is 3 % of what a rank holds under a tensor split."""
    judged = judge_laws(EXPERIMENT, measure("memory-held", method=method, ranks=16))
    assert {j.judgement.verdict for j in judged} == {Verdict.CONFIRMED}
