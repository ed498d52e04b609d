"""The benchmark of grades measures what it says."""

from __future__ import annotations

from bench import grades
from quiz.store import open_store


def test_every_grade_is_timed_beside_an_insert_of_the_same_row(tmp_path) -> None:
    ours, bare = grades.measure(tmp_path, 25)
    assert len(ours) == len(bare) == 25
    assert min(ours + bare) > 0
    with open_store(tmp_path / "home", write=False) as store:
        assert len(list(store.events())) == 25


def test_a_percentile_is_a_value_that_was_measured() -> None:
    assert grades.percentile([3.0, 1.0, 2.0, 4.0], 0.5) == 3.0
    assert grades.percentile([5.0], 0.99) == 5.0
