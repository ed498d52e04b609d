"""throughput: what is exact, and what the clock must tell apart even on a busy machine."""

from __future__ import annotations

from fractions import Fraction

import pytest

from verify.catalogue import find_experiment
from verify.errors import UsageError


@pytest.mark.parametrize("ranks", [2, 3])
def test_one_rank_at_a_time_is_busy_where_layers_are_divided(ranks, measure, numbers):
    evidence = measure("throughput", method="model", ranks=ranks, wait=6)
    assert numbers(evidence, "utilisation") == [Fraction(1, ranks)]
    assert max(numbers(evidence, "busy_share")) < 1.1 / ranks
    assert max(numbers(evidence, "gradient_difference")) < 1e-12


def test_the_first_rank_waits_for_the_others(measure, numbers):
    """A forward of 4 ms and a backward of 8 ms on each of two other ranks: 24 ms in all."""
    evidence = measure("throughput", method="model", ranks=3)
    assert numbers(evidence, "blocked")[0] > 0.022  # it begins when the message has left
    longer = measure("throughput", method="model", ranks=3, wait=24)
    assert numbers(longer, "blocked")[0] > 0.046


def test_every_rank_is_busy_where_the_samples_are_divided(measure, numbers):
    evidence = measure("throughput")
    assert numbers(evidence, "utilisation") == [1]
    alone, together = (numbers(evidence, name)[0] for name in ("throughput_alone", "throughput"))
    assert alone < 8 / 0.036  # a step takes at least 12 + 24 ms
    assert together > 2 * alone


def test_without_messages_a_divided_model_is_quick_and_wrong(measure, verdicts):
    found = verdicts(measure("throughput", "skip-communication", method="model"))
    law_of = {law.claim: law.fault for law in find_experiment("throughput").laws}
    assert {law_of[claim] for claim, verdict in found.items() if verdict == "refuted"} == {
        "skip-communication"
    }
    assert found["rate_gain < 1.25"] == "refuted"
    assert found["utilisation == 1/ranks"] == "confirmed"  # the replay heeds dependencies


@pytest.mark.parametrize("given", [{"method": "hybrid"}, {"ranks": 9}, {"wait": 0}])
def test_what_cannot_be_is_refused(given):
    with pytest.raises(UsageError, match=next(iter(given))):
        find_experiment("throughput").bind(given)
