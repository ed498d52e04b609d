"""A data-parallel step against one process, and its bytes against figures worked out by hand.

The model has 32·512 + 2·512·512 + 512·8 weights and 3·512 + 8 biases: 546,312 numbers of 8 B. DDP
sends them in two buckets, each an all-reduce with gloo's 144·2(n − n/N) bytes of headers.
"""

from __future__ import annotations

import pytest

from verify.catalogue import find_experiment
from verify.errors import UsageError

GRADIENT = 4_370_496


@pytest.mark.parametrize(
    ("ranks", "sent"),
    [
        (2, GRADIENT + 2 * 144 * 4),
        (4, GRADIENT * 3 // 2 + 2 * 144 * 12),
    ],
)
def test_each_rank_sends_the_ring_share_of_the_gradient(ranks, sent, measure, numbers):
    evidence = measure("data-parallel-step", ranks=ranks)
    assert numbers(evidence, "gradient") == [GRADIENT]
    assert numbers(evidence, "parameters_held") == [GRADIENT] * ranks
    assert numbers(evidence, "wire_sent") == [sent] * ranks


def test_twice_the_batch_sends_the_same_to_the_byte(measure, numbers):
    base, doubled = (measure("data-parallel-step", batch=batch) for batch in (8, 16))
    for name in ("wire_sent", "wire_received", "wire_matrix"):
        assert numbers(doubled, name) == numbers(base, name)
    assert numbers(base, "samples_distinct") == [32]
    assert numbers(doubled, "samples_distinct") == [64]


def test_every_rank_has_one_process_gradient_and_the_same_replica(measure, numbers):
    evidence = measure("data-parallel-step", steps=5)
    assert max(numbers(evidence, "gradient_difference")) < 1e-14
    assert numbers(evidence, "replica_spread") == [0.0]


def test_a_sum_in_place_of_the_mean_is_ranks_times_too_large(measure, numbers):
    evidence = measure("data-parallel-step", "sum-not-mean")
    assert numbers(evidence, "update_ratio") == pytest.approx([4.0] * 4, rel=1e-12)
    assert numbers(evidence, "gradient_difference") == pytest.approx([3.0] * 4, rel=1e-12)
    assert numbers(evidence, "replica_spread") == [0.0]  # all are wrong alike


def test_without_the_all_reduce_nothing_is_sent_and_replicas_drift(measure, numbers):
    evidence = measure("data-parallel-step", "skip-all-reduce")
    assert numbers(evidence, "wire_sent") == [0] * 4
    assert numbers(evidence, "replica_spread")[0] > 1e-4
    assert min(numbers(evidence, "gradient_difference")) > 1e-2


def test_a_corrupted_element_shows_on_its_rank_alone(measure, numbers):
    evidence = measure("data-parallel-step", "one-element")
    for name in ("gradient_difference", "update_difference"):
        wrong = [value > 1e-6 for value in numbers(evidence, name)]
        assert wrong == [False, True, False, False]
    assert numbers(evidence, "replica_spread")[0] > 0


@pytest.mark.parametrize("fault", ["swapped", "stale-rank"])
def test_what_one_rank_hands_in_wrongly_shows_on_every_rank(fault, measure, numbers):
    """The sums are wrong without any error, and as many bytes pass as ever (to 1 %)."""
    evidence = measure("data-parallel-step", fault)
    assert min(numbers(evidence, "gradient_difference")) > 1e-3
    assert numbers(evidence, "wire_sent") == pytest.approx([GRADIENT * 3 / 2] * 4, rel=0.01)
    # In swapped order rank 1 holds each sum in the other place; old ones add up alike.
    assert (numbers(evidence, "replica_spread")[0] > 0) == (fault == "swapped")


@pytest.mark.parametrize(
    "given", [{"steps": 2}, {"ranks": 1}, {"learning_rate": 0}, {"hidden": 4096}, {"batch": 0}]
)
def test_parameters_out_of_bounds_are_refused(given):
    with pytest.raises(UsageError):
        find_experiment("data-parallel-step").bind(given)


def test_unstable_training_speaks_of_no_rounding(measure, verdicts):
    """A rate of 1 over 20 steps makes 1e-7 and more of float64's rounding, honest as it is."""
    evidence = measure("data-parallel-step", ranks=2, batch=1, hidden=64, steps=20, learning_rate=1)
    assert set(verdicts(evidence).values()) == {"confirmed"}
    assert "gradient_difference < 1e-12" not in verdicts(evidence)
    assert "gradient_difference < 1e-12" in verdicts(measure("data-parallel-step"))
