from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.exam.paper import Paper
from quiz.exam.score import result, wilson


@pytest.mark.parametrize(
    ("right", "items", "low", "high"),
    # Newcombe (1998), Statistics in Medicine 17, 857-872, table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611),
     (1, 29, 0.0061, 0.1718)],
)  # fmt: skip
def test_wilsons_interval_is_newcombes_table(right, items, low, high) -> None:
    assert wilson(right, items) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(0, 500), st.integers(0, 500))
def test_an_interval_holds_its_share(right: int, wrong: int) -> None:
    low, high = wilson(right, right + wrong)
    assert 0 <= low <= high <= 1
    if right + wrong:
        assert low <= right / (right + wrong) <= high


def test_what_was_not_answered_is_not_right() -> None:
    paper = Paper("s", datetime(2026, 10, 1, tzinfo=UTC), 60, ("a/1", "a/2", "b/1"))
    whole, first, other = result(paper, {}).scores
    assert [(s.theme, s.right, s.items) for s in (whole, first, other)] == [
        (None, 0, 3), ("a", 0, 2), ("b", 0, 1),
    ]  # fmt: skip
    assert result(paper, {}).unanswered == 3
