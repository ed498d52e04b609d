"""An event as columns of its table, both ways: one column for each simple field."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from quiz.events import Answer, Confidence, Event, EventKind, Grade, Origin

EVENT_COLUMNS = (
    "id", "counter", "at", "offset", "day", "kind", "clamped", "card", "target", "value", "schema",
)  # fmt: skip
ANSWER_COLUMNS = (
    "card_kind", "content", "origin", "sitting", "repetition", "grade", "seconds", "parameters",
    "choice_order", "choice", "raw", "correct", "confidence", "due", "retention", "parameter_set",
    "engine", "evidence", "after_undo",
)  # fmt: skip
COLUMNS = EVENT_COLUMNS + ANSWER_COLUMNS

Cell = str | int | float | None


def to_cells(event: Event) -> list[Cell]:
    """The cells of an event in the order of COLUMNS."""
    cells: list[Cell] = [
        event.id,
        event.counter,
        event.at,
        event.offset,
        event.day,
        event.kind.value,
        int(event.clamped),
        event.card,
        event.target,
        _json(event.value) if event.value else None,
        event.schema,
    ]
    if (answer := event.answer) is None:
        cells += [None] * len(ANSWER_COLUMNS)
    else:
        cells += [
            answer.card_kind,
            answer.content,
            answer.origin.value,
            answer.sitting,
            answer.repetition,
            int(answer.grade),
            answer.seconds,
            _json(answer.parameters),
            _json(list(answer.order)),
            answer.choice,
            answer.raw,
            None if answer.correct is None else int(answer.correct),
            None if answer.confidence is None else int(answer.confidence),
            answer.due,
            answer.retention,
            answer.parameter_set,
            answer.engine,
            answer.evidence,
            int(answer.after_undo),
        ]
    return [_clean(cell) for cell in cells]


def from_cells(cells: Sequence[Any]) -> Event:
    """The inverse of `to_cells`. Raises ValueError or TypeError on a row that holds no event."""
    of = dict(zip(COLUMNS, cells, strict=True))
    kind = EventKind(of["kind"])
    return Event(
        id=of["id"],
        counter=of["counter"],
        at=of["at"],
        offset=of["offset"],
        day=of["day"],
        kind=kind,
        clamped=bool(of["clamped"]),
        card=of["card"],
        answer=_answer(of) if kind is EventKind.ANSWER else None,
        target=of["target"],
        value=_mapping(of["value"]) if of["value"] is not None else {},
        schema=of["schema"],
    )


def _answer(of: Mapping[str, Any]) -> Answer:
    order = json.loads(of["choice_order"])
    if not isinstance(order, list):
        raise TypeError("choice_order is not a list")
    if not math.isfinite(of["seconds"]):
        raise ValueError("seconds is not a finite number")
    return Answer(
        card=of["card"],
        card_kind=of["card_kind"],
        content=of["content"],
        origin=Origin(of["origin"]),
        sitting=of["sitting"],
        repetition=of["repetition"],
        grade=Grade(of["grade"]),
        seconds=of["seconds"],
        parameters=_mapping(of["parameters"]),
        order=tuple(map(str, order)),
        choice=of["choice"],
        raw=of["raw"],
        correct=None if of["correct"] is None else bool(of["correct"]),
        confidence=None if of["confidence"] is None else Confidence(of["confidence"]),
        due=of["due"],
        retention=of["retention"],
        parameter_set=of["parameter_set"],
        engine=of["engine"],
        evidence=of["evidence"],
        after_undo=bool(of["after_undo"]),
    )


def _json(value: object) -> str:
    if isinstance(value, Mapping):
        value = dict(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _mapping(text: str) -> dict[str, Any]:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise TypeError("not an object")
    return value


def _clean(cell: Cell) -> Cell:
    """What a terminal handed over may hold half characters, which no text column can store."""
    return cell.encode("utf-8", "replace").decode() if isinstance(cell, str) else cell
