"""sharded-data-parallel: traffic and bytes held, in units worked out by hand.

Rajbhandari et al. ("ZeRO", 2020, section 7.2.2): 3Ψ for stage 3, half as much again as the 2Ψ of
plain data parallelism; a rank of N sends (N−1)/N of each.
"""

from __future__ import annotations

import pytest

from verify.catalogue import find_experiment
from verify.errors import UsageError


@pytest.mark.parametrize(
    ("reshard", "by", "units"),
    [(True, "direct", 3), (False, "direct", 2), (True, "gloo", 4), (False, "gloo", 3)],
)
def test_units_that_a_rank_of_four_sends(reshard, by, units, measure, numbers):
    evidence = measure("sharded-data-parallel", reshard=reshard, reduce_scatter=by)
    (total,) = numbers(evidence, "parameters_total")
    unit = 3 * total / 4
    assert numbers(evidence, "wire_sent") == pytest.approx([units * unit] * 4, rel=0.005)
    assert numbers(evidence, "wire_sent_forward") == pytest.approx([unit] * 4, rel=0.005)
    assert max(numbers(evidence, "gradient_difference")) < 1e-12


def test_what_each_rank_holds(measure, numbers):
    """Layers 32·512 + 512, twice 512·512 + 512 and 512·8 + 8 in float64; all divisible by 4."""
    evidence = measure("sharded-data-parallel")
    largest = 8 * (512 * 512 + 512)
    total = 8 * (32 * 512 + 512) + 2 * largest + 8 * (512 * 8 + 8)
    assert numbers(evidence, "parameters_total") == [total]
    for held in ("parameters_held", "gradient_held", "optimizer_held"):
        assert numbers(evidence, held) == [total // 4] * 4
    assert numbers(evidence, "gathered_most") == [largest] * 4
    whole = measure("sharded-data-parallel", reshard=False)
    assert numbers(whole, "gathered_most") == [total] * 4


def test_pieces_that_do_not_come_out_even_are_padded(measure, numbers):
    """At hidden=8: 264, 72, 72 and 72 elements, in pieces of 53 and 15 at five ranks."""
    evidence = measure("sharded-data-parallel", hidden=8, ranks=5)
    assert numbers(evidence, "parameters_held") == [8 * (53 + 3 * 15)] * 5
    assert max(numbers(evidence, "gradient_difference")) < 1e-12


def test_without_the_reduce_scatter_the_backward_only_gathers(measure, numbers):
    evidence = measure("sharded-data-parallel", "skip-reduce-scatter")
    forward = numbers(evidence, "wire_sent_forward")
    assert numbers(evidence, "wire_sent_backward") == pytest.approx(forward, rel=0.01)
    assert min(numbers(evidence, "gradient_difference")) > 0.1


@pytest.mark.parametrize("given", [{"reshard": "maybe"}, {"reduce_scatter": "nccl"}, {"hidden": 4}])
def test_what_cannot_be_is_refused(given):
    with pytest.raises(UsageError, match=next(iter(given))):
        find_experiment("sharded-data-parallel").bind(given)
