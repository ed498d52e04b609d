"""A step on a mesh, and its bytes by axis against figures worked out by hand.

A layer has 2·112 + 112·224 + 224 + 224·112 + 112 = 50,736 numbers of 8 B, of which the norm and
the row bias, 336, are divided by no tensor split. A micro-batch has 8 × 64 × 112 activations of
8 B. Gloo adds 576 B to an all-reduce over two ranks and 144 B to each message between stages.
"""

from __future__ import annotations

import pytest

from verify.catalogue import find_experiment
from verify.errors import UsageError

LAYER, REPLICATED = 405_888, 2_688
TOTAL = 4 * LAYER
A = 458_752


def on(data=1, tensor=1, stages=1):
    return {"data": data, "tensor": tensor, "stages": stages}


def test_each_axis_of_three_sends_what_its_own_law_says(measure, numbers):
    evidence = measure("hybrid-mesh")
    held = LAYER + REPLICATED  # two layers, halved but for what is replicated
    assert numbers(evidence, "parameters_held") == numbers(evidence, "gradient_held") == [held] * 8
    assert numbers(evidence, "activation") == [A]
    data, tensor, stages = held + 576, 8 * (A + 576), 2 * (A + 144)
    assert numbers(evidence, "wire_sent_data") == [data] * 8
    assert numbers(evidence, "wire_sent_tensor") == [tensor] * 8
    assert numbers(evidence, "wire_sent_stages") == [stages] * 8
    assert numbers(evidence, "wire_sent") == [data + tensor + stages] * 8


def test_axes_lead_to_different_ranks(measure, numbers):
    """Tensor neighbours lie 1 apart, stages 2, replicas 4."""
    matrix = numbers(measure("hybrid-mesh"), "wire_matrix")
    sent = {peer: count for peer, count in enumerate(matrix[:8]) if count}
    assert sent == {1: 8 * (A + 576), 2: 2 * (A + 144), 4: LAYER + REPLICATED + 576}


@pytest.mark.parametrize(
    ("mesh", "calls", "idle"),
    [
        (on(data=2, tensor=2), {"data": 1, "tensor": 16, "stages": 0}, "stages"),
        (on(data=2, stages=2), {"data": 1, "tensor": 0, "stages": 2}, "tensor"),
        (on(tensor=2, stages=2), {"data": 0, "tensor": 8, "stages": 2}, "data"),
    ],
)
def test_two_axes_obey_their_laws_and_the_third_is_silent(
    mesh, calls, idle, measure, numbers, verdicts
):
    evidence = measure("hybrid-mesh", **mesh)
    assert set(verdicts(evidence).values()) == {"confirmed"}
    for axis, count in calls.items():
        assert numbers(evidence, f"calls_{axis}") == [count] * 4
    assert numbers(evidence, f"wire_sent_{idle}") == [0] * 4


@pytest.mark.parametrize(
    ("mesh", "held", "layer"),
    [
        (on(data=4), TOTAL, LAYER),
        (on(stages=4), LAYER, LAYER),
        (on(tensor=4), (TOTAL - 4 * REPLICATED) // 4 + 4 * REPLICATED, 103_488),
    ],
)
def test_what_a_rank_holds_of_one_model_depends_on_the_mesh(mesh, held, layer, measure, numbers):
    evidence = measure("hybrid-mesh", **mesh)
    assert numbers(evidence, "parameters_total") == [TOTAL]
    assert numbers(evidence, "parameters_held") == [held] * 4
    assert numbers(evidence, "layer_held") == [layer] * 4


@pytest.mark.parametrize(
    ("given", "word"),
    [
        (on(data=4, tensor=4), "is 16; it must be from 2 to 8"),
        (on(), "is 1; it must be from 2 to 8"),
        (on(stages=3), "layers=4 can't be divided by stages=3"),
        (on(tensor=5), "hidden=112 can't be divided by tensor=5"),
        (on(data=3), "batch=32 can't be divided by data × microbatches = 6"),
        ({"batch": 512, "sequence": 1024}, "sequence × hidden is too large"),
        ({"hidden": 1024}, "hidden² is too large"),
    ],
)
def test_what_cannot_be_divided_is_refused_before_anything_starts(given, word):
    with pytest.raises(UsageError, match=word):
        find_experiment("hybrid-mesh").bind(given)


def test_headers_to_two_neighbours_refute_no_law(measure, verdicts):
    """57,344 B for each micro-batch and neighbour: 144 B twice are more than 0.5 % of one."""
    mesh = on(stages=3) | {"layers": 3, "microbatches": 16, "batch": 16}
    found = verdicts(measure("hybrid-mesh", **mesh))
    assert set(found.values()) == {"confirmed"}
    assert not any(law.startswith("wire_sent_stages ==") for law in found)
    assert any(law.startswith("wire_sent_stages ==") for law in verdicts(measure("hybrid-mesh")))
