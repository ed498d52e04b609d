"""The state of every card as a pure function of the log.

Rows are taken in the order (day, counter, id), so two logs merge by union and give the same
state in either order. The promised due day of an answer is what counts; memory is computed anew
by FSRS, in batches, from grades and whole days.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from itertools import pairwise
from operator import itemgetter
from typing import Any

from fsrs_rs_python import FSRS, FSRSItem, FSRSReview, MemoryState

from quiz.events import EventKind, Grade, Origin
from quiz.memory.rows import Row, renames, undone
from quiz.memory.scheduler import (
    DEFAULT_SET,
    RETENTION,
    default_parameters,
    retrievability,
    usable,
    whole_days,
)
from quiz.memory.states import CardState, LogState

# Plain values: looking a member up in its enum, a million times, would double the time of a fold.
_ANSWER, _PARAMETERS = EventKind.ANSWER.value, EventKind.PARAMETERS.value
_PLACE = itemgetter(0, 1, 2)  # in the order of the fold
_AGAIN, _EXAM = int(Grade.AGAIN), Origin.EXAM.value
_SCHEDULED = (Origin.STUDY.value, Origin.IMPORT.value)
"""The origins that enter FSRS. Cramming leaves the schedule alone; a mock exam only pulls due
days forward."""


def fold(rows: Iterable[Row], *, fuzz: bool = True) -> LogState:
    """The state after all of `rows`, given in any order.

    `fuzz` matters only where a due day has to be computed: imported answers without a promise,
    and a fit that was asked to reschedule.
    """
    return _Fold(rows, fuzz=fuzz).state()


def predictions(rows: Iterable[Row]) -> dict[str, float]:
    """For each answer given a day or more after the one before: the recall FSRS expected then.

    The parameters are those that were in force. Keys are ids of answers.
    """
    folding = _Fold(rows, fuzz=False, predict=True)
    folding.state()
    return folding.predicted


class _Working:
    """A card while its rows are read."""

    __slots__ = (
        "answer_counter", "answered_day", "answers", "buried_on", "due", "event_counter",
        "failed", "first_day", "flagged", "ids", "lapses", "last_answer", "last_day",
        "last_event", "memory", "missed_day", "pending", "pulled", "repetition", "retention",
        "reviews", "suspended", "undated", "undo_counter",
    )  # fmt: skip

    def __init__(self) -> None:
        self.memory: MemoryState | None = None
        self.reviews: list[FSRSReview] = []
        self.pending = 0  # reviews that `memory` does not hold yet: the last ones of the list
        self.ids: list[tuple[str, int]] = []  # their answers and days elapsed, to predict
        self.last_day: int | None = None
        self.due: int | None = None
        self.undated = False  # the last answer came without a promised day
        self.pulled: int | None = None  # a wrong exam answer since then made it due on that day
        self.retention = RETENTION
        self.answers = 0
        self.repetition = 0  # of the last answer that entered FSRS: its fuzz is drawn from it
        self.lapses = 0
        self.failed = False
        self.first_day: int | None = None
        self.answered_day: int | None = None
        self.missed_day: int | None = None
        self.suspended = False
        self.buried_on: int | None = None
        self.flagged = False
        self.last_answer: str | None = None
        self.answer_counter = -1
        self.undo_counter = -1
        self.last_event: str | None = None
        self.event_counter = -1

    def frozen(self) -> CardState:
        return CardState(
            stability=self.memory.stability if self.memory else None,
            difficulty=self.memory.difficulty if self.memory else None,
            last_day=self.last_day,
            due=self.due,
            repetitions=len(self.reviews),
            answers=self.answers,
            lapses=self.lapses,
            failed=self.failed,
            first_day=self.first_day,
            answered_day=self.answered_day,
            missed_day=self.missed_day,
            suspended=self.suspended,
            buried_on=self.buried_on,
            flagged=self.flagged,
            last_answer=self.last_answer,
            last_event=self.last_event,
            after_undo=self.undo_counter > self.answer_counter,
        )


class _Fold:
    """One pass over the log, cut into epochs at the parameters events."""

    def __init__(self, rows: Iterable[Row], *, fuzz: bool, predict: bool = False) -> None:
        self.rows = sorted(rows)  # by day, counter, id; rows with one id are the same row
        self.fuzz = fuzz
        self.predict = predict
        self.predicted: dict[str, float] = {}
        self.cards: dict[str, _Working] = {}
        self.rare = [row for row in self.rows if row[3] != _ANSWER]
        self.dead = undone(self.rare)
        self.renamed = renames(self.rare, self.dead)
        self.parameter_set = DEFAULT_SET
        self.parameters = default_parameters()
        self.fsrs = FSRS(list(self.parameters))
        self.unusable: list[str] = []

    def state(self) -> LogState:
        fits = [row for row in self.rare if row[3] == _PARAMETERS and row[2] not in self.dead]
        cuts = [bisect_left(self.rows, row[:3], key=_PLACE) for row in fits]
        for start, end in pairwise([0, *cuts, len(self.rows)]):
            if start in cuts:
                self._fit(self.rows[start])
            self._read(self.rows[start:end] if cuts else self.rows)
            self._remember()
        return LogState(
            {name: card.frozen() for name, card in self.cards.items()},
            self.parameter_set,
            self.parameters,
            self.renamed,
            tuple(self.unusable),
        )

    def _fit(self, row: Row) -> None:
        """A fitted set is in force from here on; due days move only where that was asked."""
        value = _json(row[6])
        parameters = usable(value.get("w"))
        if parameters is None:
            self.unusable.append(row[2])
            return
        self.parameter_set, self.parameters = row[2], parameters
        self.fsrs = FSRS(list(parameters))
        if value.get("reschedule") is True:
            for card in self.cards.values():
                card.memory, card.pending = None, len(card.reviews)
                card.undated = bool(card.reviews)
            self._remember()

    def _read(self, rows: list[Row]) -> None:
        """Rows card by card: what is read of one card stays at hand while it is read."""
        groups: dict[str, list[Row]] = {}
        renamed = self.renamed
        for row in rows:
            name = row[4]
            if name is None:
                continue
            if name in renamed:
                name = renamed[name]
            group = groups.get(name)
            if group is None:
                groups[name] = [row]
            else:
                group.append(row)
        for name, group in groups.items():
            card = self.cards.get(name)
            if card is None:
                card = self.cards[name] = _Working()
            self._read_card(card, group)

    def _read_card(self, card: _Working, rows: list[Row]) -> None:
        """One loop over local names: a call or an attribute a row would double the time."""
        dead, ids, reviews = self.dead, card.ids if self.predict else None, card.reviews
        answers, last_day, due, failed = card.answers, card.last_day, card.due, card.failed
        event_counter, answer_counter = card.event_counter, card.answer_counter
        known, repetition, previous = len(reviews), card.repetition, None
        for row in rows:
            day, counter, key, kind, _, _, _, origin, grade, promised, retention = row
            if key == previous:  # the same row in two logs
                continue
            previous = key
            if counter > event_counter:
                event_counter, card.last_event = counter, key
            if kind != _ANSWER:
                if key not in dead:
                    _mark(card, row)
                continue
            answers += 1
            if key in dead:
                card.undo_counter = max(dead[key], card.undo_counter)
                continue
            card.last_answer, card.answered_day = key, day
            answer_counter = max(answer_counter, counter)
            wrong = grade == _AGAIN
            if wrong:
                card.missed_day = day
            if origin in _SCHEDULED and grade is not None:
                elapsed = 0 if last_day is None else day - last_day
                reviews.append(FSRSReview(grade, elapsed))
                if ids is not None:
                    ids.append((key, elapsed))
                if last_day is None:
                    card.first_day = day
                elif wrong and not failed:
                    card.lapses += 1
                failed, last_day, repetition = wrong, day, answers - 1
                card.undated, card.pulled = promised is None, None
                due = day if promised is None or promised < day else promised
                card.retention = retention if retention is not None else RETENTION
            elif wrong and origin == _EXAM:
                card.pulled = day if card.pulled is None else min(card.pulled, day)
                due = day if due is None else min(due, day)
        card.answers, card.last_day, card.due, card.failed = answers, last_day, due, failed
        card.event_counter, card.answer_counter = event_counter, answer_counter
        card.repetition, card.pending = repetition, card.pending + len(reviews) - known

    def _remember(self) -> None:
        """Bring every card's memory up to date, all cards in one call of the engine."""
        stale = [(name, card) for name, card in self.cards.items() if card.pending]
        items = [FSRSItem(card.reviews[-card.pending :]) for _, card in stale]
        before = [card.memory for _, card in stale]
        if self.predict:
            courses = self.fsrs.historical_memory_state_batch(items, before)
            for (_, card), course in zip(stale, courses, strict=True):
                self._compare(card, course)
                card.memory = course[-1]
        else:
            states = self.fsrs.memory_state_batch(items, before)
            for (_, card), memory in zip(stale, states, strict=True):
                card.memory = memory
        for name, card in stale:
            card.pending = 0
            if card.undated and card.memory is not None and card.last_day is not None:
                self._date(name, card, card.memory.stability, card.last_day)

    def _date(self, name: str, card: _Working, stability: float, last: int) -> None:
        """The due day of a card that nobody promised: a failed one stays due on its last day."""
        card.undated = False
        interval = 0
        if not card.failed:
            days = self.fsrs.next_interval(stability, card.retention, Grade.GOOD)
            interval = whole_days(days, name, card.repetition, fuzz=self.fuzz)
        card.due = last + interval if card.pulled is None else min(last + interval, card.pulled)

    def _compare(self, card: _Working, course: list[MemoryState]) -> None:
        """Note what was expected of each new answer. A course begins with the memory before it."""
        prior = course if card.memory is not None else [None, *course]
        fresh, card.ids = card.ids, []
        for (key, elapsed), memory in zip(fresh, prior, strict=False):
            if memory is not None and elapsed >= 1:
                self.predicted[key] = retrievability(memory.stability, elapsed, self.parameters)


def _mark(card: _Working, row: Row) -> None:
    """Suspend, bury or flag a card, or take that back where the row says `"on": false`."""
    on = _json(row[6]).get("on", True) is not False
    if row[3] == EventKind.SUSPEND:
        card.suspended = on
    elif row[3] == EventKind.BURY:
        card.buried_on = row[0] if on else None
    elif row[3] == EventKind.FLAG:
        card.flagged = on


def _json(text: str | None) -> Mapping[str, Any]:
    """The object that a row holds, or nothing where it holds none."""
    if text is None:
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
