"""gradient-accumulation: what no_sync spares, and what it doesn't.

One all-reduce at four ranks sends 2·3/4 = 1.5 times the gradient per rank.
"""

from __future__ import annotations

import pytest

from verify.catalogue import find_experiment
from verify.errors import UsageError


@pytest.mark.parametrize(
    ("no_sync", "micro"), [("both", 0), ("forward", 0), ("backward", 1.5), ("never", 1.5)]
)
def test_the_forward_decides(no_sync, micro, measure, numbers):
    evidence = measure("gradient-accumulation", no_sync=no_sync)
    (gradient,) = numbers(evidence, "gradient")
    for name, expected in [
        ("wire_sent_micro", micro),
        ("wire_sent_last", 1.5),
        ("wire_sent", micro + 1.5),
    ]:
        shares = [sent / gradient for sent in numbers(evidence, name)]
        assert shares == pytest.approx([expected] * 4, rel=0.01), name
    assert max(numbers(evidence, "gradient_difference")) < 1e-12


def test_three_micro_steps_cost_one_all_reduce(measure, numbers):
    evidence = measure("gradient-accumulation", accumulation=3, ranks=2, hidden=64)
    assert numbers(evidence, "wire_sent_micro") == [0, 0]
    assert numbers(evidence, "wire_sent") == numbers(evidence, "wire_sent_last")
    assert max(numbers(evidence, "gradient_difference")) < 1e-12


def test_never_averaged_each_rank_is_off(measure, numbers):
    evidence = measure("gradient-accumulation", "skip-all-reduce")
    assert numbers(evidence, "wire_sent") == [0] * 4
    assert min(numbers(evidence, "gradient_difference")) > 0.01


@pytest.mark.parametrize("given", [{"no_sync": "all"}, {"accumulation": 1}])
def test_what_cannot_be_is_refused(given):
    with pytest.raises(UsageError, match=next(iter(given))):
        find_experiment("gradient-accumulation").bind(given)
