from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from quiz.clock import Moment, moment_of
from quiz.events import Answer, Event, EventKind, Grade, Origin

NOON = datetime(2026, 10, 1, 12, tzinfo=UTC)
TODAY = 20727  # 2026-10-01: 56 years of 365 days + 14 leap days + 273 days


@pytest.fixture
def today() -> int:
    return TODAY


@pytest.fixture
def at():
    """The moment some days after 2026-10-01."""

    def moment(days: int = 0) -> Moment:
        return moment_of(NOON + timedelta(days=days))

    return moment


@pytest.fixture
def graded(at):
    """An answer row, yet to be appended."""

    def event(card: str = "deck/a", grade: Grade = Grade.GOOD, days: int = 0, **more) -> Event:
        fields = {
            "card_kind": "recall",
            "content": "0",
            "origin": Origin.STUDY,
            "sitting": "s",
            "repetition": 0,
            "seconds": 3.5,
            "due": TODAY + days + 3,
        }
        answer = Answer(card=card, grade=grade, **(fields | more))
        return at(days).event(EventKind.ANSWER, answer=answer)

    return event
