"""Layers divided as in Megatron-LM, and their bytes against figures worked out by hand.

A = 4 × 128 × 240 × 8 B. An all-reduce of A over N ranks sends 2(N − 1)/N of it, and gloo's headers
of 144·2(n − n/N) with n = 2N pieces: 864·2 at N = 4, 576·2 at N = 3.
"""

from __future__ import annotations

import pytest

from verify.catalogue import find_experiment
from verify.errors import UsageError

A = 983_040
AT_4 = A * 3 // 2 + 1_728
AT_3 = A * 4 // 3 + 1_152


@pytest.mark.parametrize(("ranks", "sent"), [(3, AT_3), (4, AT_4)])
def test_an_mlp_sends_its_activations_once_each_way(ranks, sent, measure, numbers):
    evidence = measure("tensor-parallel-mlp", ranks=ranks)
    assert numbers(evidence, "activation") == [A]
    assert numbers(evidence, "calls_forward") == numbers(evidence, "calls_backward") == [1] * ranks
    assert numbers(evidence, "wire_sent_forward") == [sent] * ranks
    assert numbers(evidence, "wire_sent_backward") == [sent] * ranks
    assert (
        numbers(evidence, "wire_received") == numbers(evidence, "wire_sent") == [2 * sent] * ranks
    )


def test_an_mlp_is_divided_but_for_the_row_bias(measure, numbers):
    """240·960 + 960 + 960·240 + 240 numbers of 8 B, the last 240 of them on every rank."""
    evidence = measure("tensor-parallel-mlp", ranks=4)
    assert numbers(evidence, "parameters_total") == [3_696_000]
    assert numbers(evidence, "parameters_replicated") == [1_920]
    assert numbers(evidence, "parameters_held") == [3_694_080 // 4 + 1_920] * 4


def test_bytes_follow_the_batch_and_not_the_parameters(measure, numbers):
    doubled = measure("tensor-parallel-mlp", ranks=3, batch=8)
    wider = measure("tensor-parallel-mlp", ranks=3, expansion=8)
    assert numbers(doubled, "wire_sent_forward") == [2 * A * 4 // 3 + 1_152] * 3
    assert numbers(wider, "wire_sent_forward") == [AT_3] * 3


@pytest.mark.parametrize("ranks", [3, 4])
def test_a_row_bias_added_before_the_sum_is_added_n_times(ranks, measure, numbers):
    right = measure("tensor-parallel-mlp", ranks=ranks)
    wrong = measure("tensor-parallel-mlp", "row-bias-before-reduce", ranks=ranks)
    assert numbers(right, "bias_excess") == pytest.approx([0] * ranks, abs=1e-12)
    assert numbers(wrong, "bias_excess") == pytest.approx([ranks - 1] * ranks, rel=1e-12)


def test_a_layer_sends_its_activations_twice_each_way(measure, numbers):
    evidence = measure("tensor-parallel-layer", ranks=4)
    assert numbers(evidence, "calls_forward") == numbers(evidence, "calls_backward") == [2] * 4
    assert numbers(evidence, "wire_sent_forward") == [2 * AT_4] * 4
    assert numbers(evidence, "wire_sent_backward") == [2 * AT_4] * 4


def test_a_layer_is_divided_but_for_norms_and_row_biases(measure, numbers):
    """Four norm vectors, query, key and value, the projection, the MLP: 694,320 numbers of 8 B.

    On every rank: the norms and the two row biases, 6 × 240 numbers.
    """
    evidence = measure("tensor-parallel-layer", ranks=4)
    assert numbers(evidence, "parameters_total") == [5_554_560]
    assert numbers(evidence, "parameters_replicated") == [11_520]
    assert numbers(evidence, "parameters_held") == [5_543_040 // 4 + 11_520] * 4


def test_three_inputs_of_attention_cost_two_more_all_reduces_and_no_error(measure, numbers):
    evidence = measure("tensor-parallel-layer", "separate-inputs", ranks=4)
    assert numbers(evidence, "calls_forward") == [2] * 4
    assert numbers(evidence, "calls_backward") == [4] * 4
    assert max(numbers(evidence, "gradient_difference")) < 1e-12


@pytest.mark.parametrize(
    ("name", "given", "word"),
    [
        ("tensor-parallel-mlp", {"ranks": 7}, "hidden=240 can't be divided among ranks=7"),
        ("tensor-parallel-mlp", {"ranks": 1}, "ranks=1 is not possible"),
        ("tensor-parallel-mlp", {"batch": 256, "sequence": 1024}, "expansion is too large"),
        ("tensor-parallel-mlp", {"hidden": 2048, "expansion": 8}, "hidden² is too large"),
        ("tensor-parallel-layer", {"ranks": 5}, "heads=24 can't be divided among ranks=5"),
        ("tensor-parallel-layer", {"heads": 28}, "hidden=240 can't be divided into heads=28"),
        ("tensor-parallel-layer", {"sequence": 1024}, "sequence² is too large"),
    ],
)
def test_what_cannot_be_divided_is_refused_before_anything_starts(name, given, word):
    with pytest.raises(UsageError, match=word):
        find_experiment(name).bind(given)
