"""sampler-padding: ten samples over four ranks, dealt out by hand.

[0, 4, 8], [1, 5, 9], [2, 6, 0] and [3, 7, 1]; with drop_last [0, 4], [1, 5], [2, 6] and [3, 7].
"""

from __future__ import annotations

import pytest

from verify.catalogue import find_experiment
from verify.errors import UsageError

COUNTS = ("samples_seen_total", "samples_distinct", "duplicates", "samples_missing")


def test_ten_samples_over_four_ranks(measure, numbers):
    evidence = measure("sampler-padding")
    assert numbers(evidence, "samples_per_rank") == [3, 3, 3, 3]
    assert numbers(evidence, "first_sample") == [0, 1, 2, 3]
    assert numbers(evidence, "last_sample") == [8, 9, 0, 1]
    assert [numbers(evidence, name) for name in COUNTS] == [[12], [10], [2], [0]]


def test_the_last_two_are_left_out(measure, numbers):
    evidence = measure("sampler-padding", drop_last=True)
    assert numbers(evidence, "samples_per_rank") == [2, 2, 2, 2]
    assert numbers(evidence, "last_sample") == [4, 5, 6, 7]
    assert [numbers(evidence, name) for name in COUNTS] == [[8], [8], [0], [2]]


@pytest.mark.parametrize(("samples", "ranks"), [(3, 3), (7, 3)])
@pytest.mark.parametrize("drop_last", [False, True])
def test_laws_of_any_number(samples, ranks, drop_last, measure, verdicts):
    given = {"samples": samples, "ranks": ranks, "drop_last": drop_last}
    found = verdicts(measure("sampler-padding", **given))
    assert set(found.values()) == {"confirmed"}, found


def test_nothing_to_deal_is_refused():
    experiment = find_experiment("sampler-padding")
    with pytest.raises(UsageError, match="samples=3"):
        experiment.bind({"samples": 3})
    with pytest.raises(UsageError, match="samples=0"):
        experiment.bind({"samples": 0})
