"""gradient-noise against the variance of a mean: σ²/B, times (n−B)/(n−1) without replacement."""

from __future__ import annotations

import pytest

from verify.catalogue import find_experiment
from verify.claims import Verdict, check, parse_claim, signature
from verify.errors import UsageError
from verify.laws import judge_laws

EXPERIMENT = find_experiment("gradient-noise")
SMALL = {"ranks": 2}


def test_a_variance_drawn_by_chance_takes_a_tolerance():
    errors = check(
        parse_claim("variance_times_batch == population_variance"), signature(EXPERIMENT)
    )
    assert errors


@pytest.mark.parametrize("given", [{"batch": 8}, {"batch": 64}, {"replacement": False}])
def test_every_law_holds(given, measure):
    laws = judge_laws(EXPERIMENT, measure("gradient-noise", **SMALL, **given))
    assert {j.judgement.verdict for j in laws} == {Verdict.CONFIRMED}
    assert len(laws) == 2


def test_drawing_half_of_all_samples_halves_the_variance(measure, numbers):
    evidence = measure("gradient-noise", ranks=2, batch=899, draws=64, replacement=False)
    measured, whole = (
        numbers(evidence, name)[0] for name in ("variance_times_batch", "population_variance")
    )
    assert measured / whole == pytest.approx(0.5, abs=0.05)  # (1797 − 899)/(1797 − 1)
    interval = evidence.quantities["variance_times_batch"].values[0]
    assert interval.low < interval.value < interval.high


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("fault", ["sum-not-mean", "same-draws"])
def test_a_fault_refutes_every_law_that_names_it(fault, replacement, measure):
    evidence = measure("gradient-noise", fault, replacement=replacement, **SMALL)
    naming = [j for j in judge_laws(EXPERIMENT, evidence) if j.law.fault == fault]
    assert naming
    assert {j.judgement.verdict for j in naming} == {Verdict.REFUTED}


def test_ranks_that_draw_alike_average_nothing_away(measure, numbers):
    evidence = measure("gradient-noise", "same-draws", replacement=True, **SMALL)
    averaged, whole = (
        numbers(evidence, name)[0] for name in ("averaged_times_batch", "population_variance")
    )
    assert averaged / whole == pytest.approx(2, rel=0.1)  # the number of ranks


@pytest.mark.parametrize("given", [{"batch": 1798}, {"batch": 0}, {"replacement": "maybe"}])
def test_parameters_out_of_bounds_are_refused(given):
    with pytest.raises(UsageError):
        EXPERIMENT.bind(given)
