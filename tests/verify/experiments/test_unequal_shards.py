"""unequal-shards: a mean of means is not the mean, and DDP divides by N whatever the loss.

The average over N ranks of n_i·N/B times a mean over n_i samples is the sum over all samples by B.
"""

from __future__ import annotations

import pytest

from verify.catalogue import find_experiment
from verify.errors import UsageError


def test_six_and_two_are_off_and_the_weights_mend_it(measure, numbers):
    evidence = measure("unequal-shards")
    assert numbers(evidence, "samples_per_rank") == [6, 2]
    assert min(numbers(evidence, "plain_difference")) > 0.1
    assert numbers(evidence, "weight") == [1.5, 0.5]  # n_i·N/B: 6·2/8 and 2·2/8
    assert max(numbers(evidence, "weighted_difference")) < 1e-14


def test_equal_shards_need_no_weights(measure, numbers):
    evidence = measure("unequal-shards", first=4, rest=4)
    assert max(numbers(evidence, "plain_difference")) < 1e-14
    assert numbers(evidence, "weight") == [1, 1]
    assert max(numbers(evidence, "weighted_difference")) < 1e-14


@pytest.mark.parametrize("ranks", [2, 3])
def test_a_sum_is_divided_by_the_number_of_ranks(ranks, measure, numbers):
    evidence = measure("unequal-shards", reduction="sum", ranks=ranks)
    assert numbers(evidence, "plain_ratio") == pytest.approx([1 / ranks] * ranks)
    assert numbers(evidence, "plain_difference") == pytest.approx([1 - 1 / ranks] * ranks)
    assert numbers(evidence, "weight") == [ranks] * ranks
    assert max(numbers(evidence, "weighted_difference")) < 1e-14


def test_ranks_share_one_average(measure, numbers):
    first, *others = numbers(measure("unequal-shards", ranks=3), "plain_difference")
    assert others == [first, first]


@pytest.mark.parametrize("given", [{"first": 0}, {"rest": 257}, {"reduction": "max"}])
def test_what_cannot_be_is_refused(given):
    with pytest.raises(UsageError, match=next(iter(given))):
        find_experiment("unequal-shards").bind(given)
