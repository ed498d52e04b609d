"""Answers of a sitting to rows of the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from quiz.clock import Clock
from quiz.deck.card import Card
from quiz.deck.content import content_hash
from quiz.events import Answer, EventKind, Grade, Origin
from quiz.memory.queue import LEECH, LEECH_AGAIN, hidden
from quiz.memory.scheduler import Scheduler, engine
from quiz.memory.states import LogState
from quiz.session.inputs import Saved
from quiz.session.question import Draft, Question
from quiz.store import CardChanged, Store


class LogRecorder:
    """Writes answers and undos to the store, each scheduled from the card's own history.

    `state` is kept true to the log, one card at a time.
    """

    def __init__(
        self,
        store: Store,
        state: LogState,
        scheduler: Scheduler,
        clock: Clock,
        cards: Sequence[Card],
        sitting: str,
        origin: Origin = Origin.STUDY,
    ) -> None:
        """`origin` is STUDY, or CRAM to leave the schedule alone."""
        self.state = state
        self._store = store
        self._scheduler = scheduler
        self._outcomes = lru_cache(maxsize=4)(scheduler.outcomes)  # shown, then written
        self._clock = clock
        self._cards = cards
        self._sitting = sitting
        self._origin = origin

    def preview(self, question: Question) -> Mapping[Grade, int]:
        """Days until the card would be due again, for each grade given now."""
        of = self.state.of(question.card.key)
        if self._origin is Origin.CRAM:  # whatever the grade
            today = self._clock.now().day
            return dict.fromkeys(Grade, max(0, (of.due or today) - today))
        outcomes = self._outcomes(
            question.card.key, question.repetition, of.memory, of.last_day, self._clock.now().day
        )
        return {grade: outcome.interval for grade, outcome in outcomes.items()}

    def save(self, draft: Draft, seconds: float) -> Saved:
        """Append the answer. Raises CardChanged or StoreFailed; then nothing was written."""
        question, card = draft.question, draft.question.card
        interval = self.preview(question)[draft.grade]
        of, now = self.state.of(card.key), self._clock.now()
        answer = Answer(
            card=card.key,
            card_kind=card.kind.value,
            content=content_hash(card),
            origin=self._origin,
            sitting=self._sitting,
            repetition=question.repetition,
            grade=draft.grade,
            seconds=round(max(0.0, seconds), 3),
            parameters=dict(question.parameters),
            order=tuple(choice.key for choice in question.order),
            choice=draft.choice,
            raw=draft.raw,
            correct=draft.correct,
            confidence=draft.confidence,
            # The store moves it along where the clock went back.
            due=None if self._origin is Origin.CRAM else now.day + interval,
            retention=self._scheduler.retention,
            parameter_set=self._scheduler.parameter_set,
            engine=engine(),
            evidence=draft.evidence,
            after_undo=draft.after_undo or of.after_undo,
        )
        try:
            row = self._store.append(
                now.event(EventKind.ANSWER, answer=answer), expected_last=of.last_event
            )
        except CardChanged:
            self.state = self._store.refreshed(self.state, card.key)
            raise
        self.state = self._store.refreshed(self.state, card.key)
        lapses = self.state.of(card.key).lapses
        told = lapses > of.lapses and lapses >= LEECH and (lapses - LEECH) % LEECH_AGAIN == 0
        return Saved(row.id, interval, lapses if told else 0)

    def undo(self, event: str, card: str) -> Saved:
        """Append the tombstone of a row. Raises StoreFailed; then nothing was written."""
        row = self._store.append(self._clock.now().event(EventKind.UNDO, card=card, target=event))
        self.state = self._store.refreshed(self.state, card)
        return Saved(row.id)

    def mark(self, kind: EventKind, card: str, on: bool) -> Saved:
        """Append a suspension, a burial or a flag, or its end. Raises StoreFailed."""
        value = {} if on else {"on": False}
        row = self._store.append(self._clock.now().event(kind, card=card, value=value))
        self.state = self._store.refreshed(self.state, card)
        return Saved(row.id)

    def flagged(self, card: str) -> bool:
        return self.state.of(card).flagged

    def upcoming(self) -> tuple[int, int] | None:
        """In how many days the next cards are due, and how many; None where none has a date."""
        today = self._clock.now().day
        days = [
            max(0, of.due - today)
            for card in self._cards
            if (of := self.state.of(card.key)).due is not None and not hidden(of, today)
        ]
        return (min(days), days.count(min(days))) if days else None
