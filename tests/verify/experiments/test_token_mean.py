"""token-mean: three means of the same losses, worked out by hand.

Tokens [[2, 6], [8, 4]], mean losses [[1, 3], [2, 8]]: (2 + 18 + 16 + 32)/20 = 3.4 over tokens,
14/4 = 3.5 of the means, (20/8 + 48/12)/2 = 3.25 of the ranks.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from verify.catalogue import find_experiment
from verify.errors import UsageError

MEANS = ("true_mean", "mean_of_means", "mean_of_ranks")


def test_three_means_that_differ(measure, numbers):
    evidence = measure("token-mean")
    found = [numbers(evidence, name) for name in MEANS]
    assert found == [[Fraction(x)] * 2 for x in ("17/5", "7/2", "13/4")]
    assert numbers(evidence, "tokens_per_rank") == [8, 12]
    assert min(numbers(evidence, "plain_difference")) > 0.02
    assert max(numbers(evidence, "weighted_difference")) < 1e-14


def test_with_equally_many_tokens_they_agree(measure, numbers):
    evidence = measure("token-mean", tokens="equal")
    assert [numbers(evidence, name) for name in MEANS] == [[Fraction(7, 2)] * 2] * 3
    assert max(numbers(evidence, "plain_difference")) < 1e-14


def test_alone_each_rank_has_its_own(measure, numbers):
    evidence = measure("token-mean", "skip-all-reduce")
    assert numbers(evidence, "true_mean") == [Fraction(20, 8), Fraction(48, 12)]
    assert numbers(evidence, "mean_of_means") == [2, 5]


def test_other_numbers_of_tokens_are_refused():
    with pytest.raises(UsageError, match="tokens"):
        find_experiment("token-mean").bind({"tokens": "many"})
