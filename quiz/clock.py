"""The time of the learner: the instant, the local offset in force and the study day.

Nothing here reads a clock or the environment: the command line passes both in.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from quiz.events import Answer, Event, EventKind
from quiz.memory.study_day import ROLLOVER, study_day
from verify.api import Text, UsageError

# No offset or interval leads out of what dates can be, nor before the first study day.
_FIRST_YEAR, _LAST_YEAR = 1971, 9000


@dataclass(frozen=True, slots=True)
class Moment:
    """An instant as the log keeps it."""

    at: datetime  # UTC
    offset: int  # minutes east of UTC in force
    day: int  # study day

    def event(
        self,
        kind: EventKind,
        *,
        card: str | None = None,
        answer: Answer | None = None,
        target: str | None = None,
        value: Mapping[str, object] | None = None,
    ) -> Event:
        """A row of now, for the store to append: it gives the counter and checks the day."""
        return Event(
            id=str(uuid.uuid4()),
            counter=0,
            at=self.at.isoformat(timespec="microseconds"),
            offset=self.offset,
            day=self.day,
            kind=kind,
            card=answer.card if answer is not None else card,
            answer=answer,
            target=target,
            value=value or {},
        )


class Clock(Protocol):
    """What tells the time."""

    def now(self) -> Moment:
        """This moment."""


def moment_of(local: datetime, rollover: int = ROLLOVER) -> Moment:
    """The moment shown by an aware local time. Raises ValueError without a zone."""
    offset = local.utcoffset()
    if offset is None:
        raise ValueError("a moment needs a time zone")
    day = study_day(local, rollover)
    return Moment(local.astimezone(UTC), round(offset.total_seconds() / 60), day)


@dataclass(frozen=True)
class WallClock:
    """A running clock: `wall` gives the local time with its zone."""

    wall: Callable[[], datetime]
    rollover: int = ROLLOVER

    def now(self) -> Moment:
        return moment_of(self.wall(), self.rollover)


@dataclass(frozen=True)
class ShiftedClock:
    """A clock that showed `start` when `wall` showed `began`, and has run since."""

    wall: Callable[[], datetime]
    start: datetime
    began: datetime
    rollover: int = ROLLOVER

    def now(self) -> Moment:
        return moment_of(self.start + (self.wall() - self.began), self.rollover)


def from_environment(
    environment: Mapping[str, str], wall: Callable[[], datetime], rollover: int = ROLLOVER
) -> Clock:
    """The real clock, or one that starts at QUIZ_NOW (ISO 8601 with an offset).

    Raises UsageError where QUIZ_NOW is not such a time.
    """
    given = environment.get("QUIZ_NOW", "")
    if not given:
        return WallClock(wall, rollover)
    try:
        start = datetime.fromisoformat(given)
        if start.tzinfo is None or not _FIRST_YEAR <= start.year <= _LAST_YEAR:
            raise ValueError
        start.astimezone(UTC)
    except (ValueError, OverflowError):
        raise UsageError(
            Text(
                ja=f"QUIZ_NOW の値 {given[:40]} は時刻として読めません。",
                en=f"QUIZ_NOW can't be read as a time: {given[:40]}",
            ),
            Text(
                ja="時差を付けた ISO 8601 の形で指定してください。例: 2026-10-01T09:00:00+09:00"
                f"（年は {_FIRST_YEAR} から {_LAST_YEAR} まで）",
                en="Give it in ISO 8601 with an offset, such as 2026-10-01T09:00:00+09:00; "
                f"years go from {_FIRST_YEAR} to {_LAST_YEAR}.",
            ),
        ) from None
    return ShiftedClock(wall, start, wall(), rollover)
