"""The log under any sequence of what a learner and two machines do to it."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from quiz.clock import moment_of
from quiz.events import Answer, EventKind, Grade, Origin
from quiz.memory.fold import fold
from quiz.memory.rows import merge, rows_of
from quiz.memory.scheduler import Scheduler
from quiz.memory.states import NEW, CardState, LogState
from quiz.store import open_store

NOON = datetime(2026, 10, 1, 12, tzinfo=UTC)
CARDS = st.sampled_from(["deck/a", "deck/b"])
NOT_RESTORED = {"answers": 0, "last_event": None, "after_undo": False}
"""Undo brings back all but the count of rows, and that the key was seen."""


class Log(RuleBasedStateMachine):
    """One store, and the log of a second machine that is merged at the end of each step."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = open_store(Path(self.folder.name), write=True)
        self.kept: LogState = self.store.state()  # as a sitting keeps it, card by card
        self.hours = 0
        self.undoable: list[tuple[str, str, CardState]] = []

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    @rule(hours=st.integers(-80, 400))
    def time_passes(self, hours: int) -> None:
        """Also backwards: a clock set back."""
        self.hours += hours

    @rule(card=CARDS, grade=st.sampled_from(Grade), origin=st.sampled_from(Origin))
    def answer(self, card: str, grade: Grade, origin: Origin) -> None:
        of, now = self.kept.of(card), moment_of(NOON + timedelta(hours=self.hours))
        scheduler = Scheduler(self.kept.parameters)
        outcome = scheduler.outcomes(card, of.answers, of.memory, of.last_day, now.day)[grade]
        made = Answer(
            card, "recall", "0", origin, "s", of.answers, grade, 1.0,
            due=now.day + outcome.interval if origin is Origin.STUDY else None,
        )  # fmt: skip
        event = now.event(EventKind.ANSWER, answer=made)
        row = self.store.append(event, expected_last=of.last_event)
        self.kept = self.store.refreshed(self.kept, card)
        self.undoable.append((row.id, card, of))
        after = self.kept.of(card)
        assert after.answered_day is not None
        assert after.answered_day >= (of.answered_day or 0)  # however the clock was set
        if origin is Origin.STUDY:
            assert after.due is not None
            assert after.last_day is not None
            assert after.due >= after.last_day
            assert after.stability == after.stability  # not a NaN
            assert (after.stability or 0) > 0

    @precondition(lambda self: self.undoable)
    @rule()
    def undo(self) -> None:
        target, card, before = self.undoable.pop()
        now = moment_of(NOON + timedelta(hours=self.hours))
        self.store.append(now.event(EventKind.UNDO, card=card, target=target))
        self.kept = self.store.refreshed(self.kept, card)
        after = replace(self.kept.of(card), **NOT_RESTORED)
        assert after == replace(before, **NOT_RESTORED)

    @rule(card=CARDS, on=st.booleans())
    def suspend(self, card: str, on: bool) -> None:
        now = moment_of(NOON + timedelta(hours=self.hours))
        value = {} if on else {"on": False}
        self.store.append(now.event(EventKind.SUSPEND, card=card, value=value))
        self.kept = self.store.refreshed(self.kept, card)
        self.undoable.clear()  # undoing an older answer would also have to bring this back
        assert self.kept.of(card).suspended == on

    @invariant()
    def the_log_replays_to_what_the_sitting_keeps(self) -> None:
        whole = self.store.state()
        assert {k: v for k, v in self.kept.cards.items() if v != NEW} == dict(whole.cards)

    @invariant()
    def two_halves_merge_in_either_order(self) -> None:
        events = list(self.store.events())
        one, other = events[::2], events[1::2]
        assert merge(one, other) == merge(other, one) == merge(events)
        assert fold(rows_of([*other, *one, *other])) == fold(rows_of(events))


TestLog = Log.TestCase
TestLog.settings = settings(max_examples=15, stateful_step_count=15, deadline=None)
