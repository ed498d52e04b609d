"""Ten thousand to a million reviews rebuilt into the states of cards, beside the engine alone.

The peer is fsrs-rs computing the same memories from lists of grades and days: what is left of a
rebuild if reading rows, order, undo, due days and flags cost nothing. It runs on all processors.
The last column is one more answer, written and read back into its card's state: that must not grow
with the log.
"""

from __future__ import annotations

import gc
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter

from fsrs_rs_python import FSRS, FSRSItem, FSRSReview

from quiz.events import Answer, Event, EventKind, Grade, Origin
from quiz.memory.fold import fold
from quiz.memory.rows import Row
from quiz.memory.scheduler import default_parameters
from quiz.memory.states import LogState
from quiz.store import Store, open_store

GROWTH = (10_000, 100_000, 1_000_000)
REVIEWS = 50  # of each card
TIMES = 3
ANSWERS = 200
TARGET = 5.0  # seconds for the last


def events(cards: int) -> Iterator[Event]:
    """Every card is reviewed fifty times over some two years, in the order of the days."""
    dice = random.Random(7)
    days = [dice.randrange(200) for _ in range(cards)]
    waiting = sorted((day, card) for card, day in enumerate(days))
    for counter in range(cards * REVIEWS):
        day, card = waiting[counter % cards]
        day += 14 * (counter // cards)
        grade = Grade.AGAIN if dice.random() < 0.15 else Grade.GOOD
        answer = Answer(
            f"deck/{card}", "recall", "0" * 16, Origin.STUDY, "s", 0, grade, 4.0, due=day + 14
        )
        yield Event(
            f"{dice.getrandbits(128):032x}", counter + 1, "2026-10-01T00:00:00.000000+00:00", 540,
            day, EventKind.ANSWER, card=answer.card, answer=answer,
        )  # fmt: skip


def main() -> Iterator[str]:
    yield f"best of {TIMES}; {REVIEWS} reviews of each card"
    yield "  reviews    from the store    from rows      fsrs-rs    one more answer"
    for reviews in GROWTH:
        whole, folded, engine, answer = measure(reviews // REVIEWS)
        yield (
            f"{reviews:>9,}   {whole:5.2f} s {whole / engine:5.1f} ×   {folded:5.2f} s "
            f"{folded / engine:4.1f} ×   {engine:5.2f} s    {1e3 * answer:5.2f} ms"
        )
    met = "met" if whole <= TARGET else "missed"
    yield f"target for {reviews:,} reviews: at most {TARGET:g} s: {met}"


def measure(cards: int) -> tuple[float, float, float, float]:
    """Seconds from the store to states, from rows to states, of the engine, and of an answer."""
    with tempfile.TemporaryDirectory() as home, open_store(Path(home), write=True) as store:
        store.insert(events(cards))
        whole, folded, engine = [], [], []
        for _ in range(TIMES):
            gc.collect()
            whole.append(_seconds(store.state))
            rows = store.rows()
            gc.disable()
            folded.append(_seconds(partial(fold, rows)))
            engine.append(_engine(rows))
            gc.enable()
        state = store.state()
        assert len(state.cards) == cards
        answers = [_seconds(partial(_answer, store, state, event)) for event in _more(cards)]
    return min(whole), min(folded), min(engine), sorted(answers)[ANSWERS // 2]


def _more(cards: int) -> Iterator[Event]:
    """As many answers as are to be timed, each of another card, on a later day."""
    for number, event in enumerate(islice(events(cards), ANSWERS)):
        yield replace(event, id=f"{number:032x}", day=event.day + 10_000)


def _answer(store: Store, state: LogState, event: Event) -> None:
    store.append(event)
    store.refreshed(state, event.card or "")


def _engine(rows: list[Row]) -> float:
    """Seconds to turn grades and days, already grouped, into memories."""
    grouped: dict[str | None, list[tuple[int, int]]] = {}
    for day, _, _, _, card, _, _, _, grade, _, _ in rows:
        if grade is not None:
            grouped.setdefault(card, []).append((grade, day))
    return _seconds(partial(_memories, grouped))


def _memories(grouped: Mapping[str | None, Sequence[tuple[int, int]]]) -> None:
    items = []
    for reviews in grouped.values():
        last = reviews[0][1]
        item = []
        for grade, day in reviews:
            item.append(FSRSReview(grade, day - last))
            last = day
        items.append(FSRSItem(item))
    FSRS(list(default_parameters())).memory_state_batch(items)


def _seconds(work: Callable[[], object]) -> float:
    began = perf_counter()
    work()
    return perf_counter() - began
