"""The study day: the local calendar day, counted from 1970-01-01, that starts at a rollover hour.

Memory is counted in these days and never in raw timestamps, so that the hour of an answer, a
journey across time zones or a change of the clocks can't shift an interval.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, tzinfo

ROLLOVER = 4
"""The hour of the local clock at which a study day starts: night owls finish the day before."""

EPOCH = date(1970, 1, 1)
FIRST_DAY = 0
LAST_DAY = (date(9999, 12, 31) - EPOCH).days


def study_day(moment: datetime, rollover: int = ROLLOVER) -> int:
    """The study day of an aware `moment`, on the wall clock of its own zone.

    The hours are taken off the wall clock, not off the instant: on the night when the clocks
    change, the day still starts when the wall clock shows the rollover hour.
    Raises ValueError for a moment without a zone, or a rollover that is no hour of a day.
    """
    if moment.tzinfo is None:
        raise ValueError("a study day needs a moment with a time zone")
    if not 0 <= rollover <= 23:
        raise ValueError("the rollover is an hour from 0 to 23")
    wall = moment.replace(tzinfo=None)
    return (wall.date() - EPOCH).days - (wall.hour < rollover)


def study_day_in(instant: datetime, zone: tzinfo, rollover: int = ROLLOVER) -> int:
    """The study day in `zone` at an instant; an instant without a zone is taken as UTC."""
    aware = instant if instant.tzinfo is not None else instant.replace(tzinfo=UTC)
    return study_day(aware.astimezone(zone), rollover)


def date_of(day: int) -> date:
    """The calendar date of a study day."""
    return EPOCH + timedelta(days=day)
