"""What crosses a boundary, to the byte.

A = 8 × 128 × 256 × 4 B = 1 MiB. Gloo's send adds 96 B to each message and 48 B come back.
"""

from __future__ import annotations

import pytest

from verify.catalogue import find_experiment
from verify.errors import UsageError
from verify.quantities import Unmeasured

A = 2**20


def test_two_stages_send_activations_forward_and_gradients_back(measure, numbers):
    evidence = measure("boundary-activations")
    assert numbers(evidence, "boundary") == numbers(evidence, "boundary_gradient") == [A]
    assert numbers(evidence, "wire_sent_forward") == [A + 96, 48]
    assert numbers(evidence, "wire_sent_backward") == [48, A + 96]
    assert numbers(evidence, "wire_sent") == [A + 144] * 2
    assert numbers(evidence, "wire_received") == [A + 144] * 2


def test_a_stage_in_the_middle_sends_both_ways_and_only_to_neighbours(measure, numbers):
    evidence = measure("boundary-activations", stages=3)
    one = A + 144
    assert numbers(evidence, "wire_matrix") == [0, one, 0, one, 0, one, 0, one, 0]
    assert numbers(evidence, "wire_sent") == [one, 2 * one, one]


def test_bytes_follow_the_batch_and_not_the_layers(measure, numbers):
    base = measure("boundary-activations")
    doubled = measure("boundary-activations", batch=16)
    deeper = measure("boundary-activations", depth=2)
    assert numbers(doubled, "boundary") == [2 * A]
    assert numbers(doubled, "wire_sent_forward") == [2 * A + 96, 48]
    assert numbers(deeper, "wire_matrix") == numbers(base, "wire_matrix")
    assert numbers(deeper, "parameters_total") == [2 * numbers(base, "parameters_total")[0]]


def test_parameters_are_split(measure, numbers):
    """Each stage has one layer: 257 × 256 numbers of 4 B."""
    evidence = measure("boundary-activations", stages=3)
    assert numbers(evidence, "parameters_held") == [263_168] * 3
    assert numbers(evidence, "parameters_total") == [789_504]


def test_inference_sends_activations_all_the_same(measure, numbers, verdicts):
    evidence = measure("boundary-activations", training=False)
    assert numbers(evidence, "wire_sent_forward") == [A + 96, 48]
    assert numbers(evidence, "wire_sent_backward") == [0, 0]
    assert numbers(evidence, "boundary_gradient") == [0]
    assert numbers(evidence, "output_difference") == pytest.approx([0, 0], abs=1e-6)
    assert isinstance(evidence.quantities["gradient_difference"], Unmeasured)
    found = verdicts(evidence)
    assert found.pop("gradient_difference < 1e-6") == "undecided"
    assert set(found.values()) == {"confirmed"}


def test_without_gradients_back_only_the_last_stage_learns(measure, numbers):
    evidence = measure("boundary-activations", "skip-backward", stages=3)
    assert numbers(evidence, "wire_sent_backward") == [0, 0, 0]
    assert numbers(evidence, "gradient_difference") == pytest.approx([1, 1, 0], abs=1e-6)


def test_half_precision_halves_the_bytes_and_shows_in_the_output(measure, numbers):
    evidence = measure("boundary-activations", "half-precision", stages=3)
    assert numbers(evidence, "boundary") == [A // 2]
    assert numbers(evidence, "wire_sent_forward")[0] == A // 2 + 96
    first, *later = numbers(evidence, "output_difference")
    assert first < 1e-6
    assert min(later) > 1e-5


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"batch": 256, "sequence": 4096}, "boundary"),
        ({"stages": 8, "depth": 8, "hidden": 2048}, "parameters"),
        ({"stages": 1}, "stages"),
        ({"training": "perhaps"}, "training"),
    ],
)
def test_what_would_not_fit_is_refused_before_anything_starts(given, word):
    with pytest.raises(UsageError, match=word):
        find_experiment("boundary-activations").bind(given)
