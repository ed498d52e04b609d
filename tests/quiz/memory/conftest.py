from __future__ import annotations

import uuid

import pytest

from quiz.deck.card import Card, Kind
from quiz.events import Answer, Confidence, Event, EventKind, Grade, Origin
from verify.api import Text


class Log:
    """Writes events as the store would: the counter rises, the id is fresh."""

    def __init__(self, start: int = 0) -> None:
        self.events: list[Event] = []
        self.counter = start

    def row(self, kind: EventKind, day: int, **fields: object) -> Event:
        self.counter += 1
        event = Event(
            id=str(uuid.uuid5(uuid.NAMESPACE_OID, f"{id(self)}{self.counter}")),
            counter=self.counter,
            at="2026-10-01T00:00:00.000000+00:00",
            offset=540,
            day=day,
            kind=kind,
            **fields,  # type: ignore[arg-type]
        )
        self.events.append(event)
        return event

    def answer(
        self,
        card: str,
        day: int,
        grade: Grade = Grade.GOOD,
        *,
        origin: Origin = Origin.STUDY,
        due: int | None = None,
        correct: bool | None = None,
        choice: str | None = None,
        confidence: Confidence | None = None,
        after_undo: bool = False,
        seconds: float = 4.0,
        order: tuple[str, ...] = (),
    ) -> Event:
        answer = Answer(
            card=card,
            card_kind="trap",
            content="0",
            origin=origin,
            sitting="s",
            repetition=0,
            grade=grade,
            seconds=seconds,
            due=due,
            correct=correct,
            choice=choice,
            confidence=confidence,
            after_undo=after_undo,
            order=order,
        )
        return self.row(EventKind.ANSWER, day, card=card, answer=answer)

    def undo(self, event: Event, day: int) -> Event:
        return self.row(EventKind.UNDO, day, card=event.card, target=event.id)


@pytest.fixture
def log() -> Log:
    return Log()


@pytest.fixture
def new_log() -> type[Log]:
    return Log


@pytest.fixture
def make_card():
    def make(name: str, deck: str = "deck", **fields: object) -> Card:
        return Card(deck, name, Kind.RECALL, Text(en=name), answer=Text(en="yes"), **fields)  # type: ignore[arg-type]

    return make
