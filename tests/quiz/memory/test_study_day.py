"""Expected days are counted by hand from the calendar: 2026-03-08 is day 20520."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from quiz.memory.study_day import date_of, study_day, study_day_in

NEW_YORK = ZoneInfo("America/New_York")
MARCH_8 = 20520  # 56 years of 365 days + 14 leap days + 31 + 28 + 7
NOVEMBER_1 = MARCH_8 + 238


def test_the_epoch_is_day_zero() -> None:
    assert study_day(datetime(1970, 1, 1, 4, tzinfo=UTC)) == 0
    assert date_of(MARCH_8) == date(2026, 3, 8)
    assert date_of(NOVEMBER_1) == date(2026, 11, 1)


@pytest.mark.parametrize(
    ("zone", "utc", "day"),
    [
        # Tokyo is UTC+9: 18:59Z is 03:59 on the 9th, still the 8th's study day.
        ("Asia/Tokyo", datetime(2026, 3, 8, 18, 59), MARCH_8),
        ("Asia/Tokyo", datetime(2026, 3, 8, 19, 0), MARCH_8 + 1),
        # Kolkata is UTC+5:30: 22:30Z is 04:00.
        ("Asia/Kolkata", datetime(2026, 3, 7, 22, 29), MARCH_8 - 1),
        ("Asia/Kolkata", datetime(2026, 3, 7, 22, 30), MARCH_8),
        # New York jumps from 2:00 EST to 3:00 EDT on March 8: 4:00 EDT is 08:00Z.
        ("America/New_York", datetime(2026, 3, 8, 7, 59), MARCH_8 - 1),
        ("America/New_York", datetime(2026, 3, 8, 8, 0), MARCH_8),
        ("America/New_York", datetime(2026, 3, 9, 7, 59), MARCH_8),
        # And falls back from 2:00 EDT to 1:00 EST on November 1: 4:00 EST is 09:00Z.
        ("America/New_York", datetime(2026, 11, 1, 8, 59), NOVEMBER_1 - 1),
        ("America/New_York", datetime(2026, 11, 1, 9, 0), NOVEMBER_1),
        ("America/New_York", datetime(2026, 11, 2, 8, 59), NOVEMBER_1),
    ],
)
def test_the_day_starts_when_the_wall_clock_shows_four(zone: str, utc: datetime, day: int) -> None:
    assert study_day_in(utc, ZoneInfo(zone)) == day


def test_the_repeated_hour_belongs_to_one_day() -> None:
    first = datetime(2026, 11, 1, 1, 30, tzinfo=NEW_YORK, fold=0)
    second = datetime(2026, 11, 1, 1, 30, tzinfo=NEW_YORK, fold=1)
    assert study_day(first) == study_day(second) == NOVEMBER_1 - 1
    assert study_day(first, rollover=0) == NOVEMBER_1


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        study_day(datetime(2026, 3, 8))
    with pytest.raises(ValueError, match="hour"):
        study_day(datetime(2026, 3, 8, tzinfo=UTC), rollover=24)
