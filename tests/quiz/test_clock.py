from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from quiz import clock, home
from quiz.events import EventKind
from verify.api import UsageError

TOKYO = timezone(timedelta(hours=9))


class Wall:
    """A wall clock that is moved by hand."""

    def __init__(self, start: datetime) -> None:
        self.time = start

    def __call__(self) -> datetime:
        return self.time


def test_the_wall_clock_gives_instant_offset_and_study_day() -> None:
    wall = Wall(datetime(2026, 10, 1, 3, 59, tzinfo=TOKYO))
    running = clock.from_environment({}, wall)
    now = running.now()
    assert now.at == datetime(2026, 9, 30, 18, 59, tzinfo=UTC)
    assert (now.offset, now.day) == (540, 20726)  # before 4:00: still September 30
    wall.time += timedelta(minutes=1)
    assert running.now().day == 20727
    assert clock.from_environment({"QUIZ_NOW": ""}, wall, rollover=5).now().day == 20726


def test_quiz_now_starts_a_clock_that_runs() -> None:
    wall = Wall(datetime(2030, 1, 1, tzinfo=UTC))
    running = clock.from_environment({"QUIZ_NOW": "2026-10-01T09:00:00+05:30"}, wall)
    assert running.now() == clock.Moment(datetime(2026, 10, 1, 3, 30, tzinfo=UTC), 330, 20727)
    wall.time += timedelta(days=1, seconds=5)
    assert running.now() == clock.Moment(datetime(2026, 10, 2, 3, 30, 5, tzinfo=UTC), 330, 20728)


@pytest.mark.parametrize(
    "text",
    ["yesterday", "2026-10-01T09:00:00", "2026-13-01T00:00:00Z", "0001-01-01T00:00:00+14:00",
     "9999-12-31T23:59:59-12:00", "\x1b[31m", "1" * 9999],
)  # fmt: skip
def test_a_quiz_now_that_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as refusal:
        clock.from_environment({"QUIZ_NOW": text}, Wall(datetime(2026, 1, 1, tzinfo=UTC)))
    for language in ("ja", "en"):
        shown = refusal.value.render(language)
        assert "QUIZ_NOW" in shown
        assert "2026-10-01T09:00:00+09:00" in shown
        assert "\x1b" not in shown


def test_a_moment_makes_rows_with_fresh_ids() -> None:
    now = clock.moment_of(datetime(2026, 10, 1, 9, 0, 0, 7, tzinfo=TOKYO))
    one, other = (now.event(EventKind.BURY, card="deck/a") for _ in range(2))
    assert one.at == "2026-10-01T00:00:00.000007+00:00"
    assert (one.offset, one.day, one.card) == (540, 20727, "deck/a")
    assert one.id != other.id


def test_quiz_home_moves_the_data_folder(tmp_path, monkeypatch) -> None:
    assert home.from_environment({"QUIZ_HOME": str(tmp_path)}) == tmp_path
    monkeypatch.chdir(tmp_path)
    assert home.from_environment({"QUIZ_HOME": "here"}) == tmp_path / "here"
    assert "proofdeck" in home.from_environment({}).parts
    assert list(tmp_path.iterdir()) == []
