"""Answers from another program as rows of the log.

A row's id, counter and all else rest on the package alone, so the same answer is the same row
however often, and on however many machines, it is imported.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping

from quiz.clock import Moment
from quiz.deck.card import Kind
from quiz.events import Answer, Event, EventKind
from quiz.exchange.material import Material, PastAnswer, PastMark
from quiz.memory.scheduler import DEFAULT_SET, RETENTION

ENGINE = "anki"
_NAMESPACE = uuid.UUID("5f0a7a53-5d9b-5c0e-9f4e-0c1b7d1d4b51")


def events(material: Material, keys: Mapping[str, str]) -> Iterator[Event]:
    """The rows for all that was answered and marked. `keys` gives the deck/card of each id."""
    for answer in material.answers:
        yield _answer(answer, keys[answer.card])
    for mark in material.marks:
        yield _mark(mark, keys[mark.card])


def _answer(past: PastAnswer, card: str) -> Event:
    answer = Answer(
        card=card,
        card_kind=Kind.RECALL.value,
        content="",  # not known: the text may have been another then
        origin=past.origin,
        sitting=ENGINE,
        repetition=past.number,
        grade=past.grade,
        seconds=past.seconds,
        due=past.due,
        retention=RETENTION,
        parameter_set=DEFAULT_SET,
        engine=ENGINE,
    )
    return _event(past.key, card, past.moment, past.number, EventKind.ANSWER, answer)


def _mark(past: PastMark, card: str) -> Event:
    kind = EventKind.FLAG if past.flag else EventKind.SUSPEND
    return _event(past.key, card, past.moment, past.number, kind, None)


def _event(
    key: str, card: str, moment: Moment, number: int, kind: EventKind, answer: Answer | None
) -> Event:
    return Event(
        id=str(uuid.uuid5(_NAMESPACE, key)),
        counter=number + 1,
        at=moment.at.isoformat(timespec="microseconds"),
        offset=moment.offset,
        day=moment.day,
        kind=kind,
        card=card,
        answer=answer,
    )
