"""A million reviews rebuilt into the states of 20,000 cards, beside the engine alone.

The peer is fsrs-rs computing the same memories from lists of grades and days: what is left of a
rebuild if reading rows, order, undo, due days and flags cost nothing. It runs on all processors.
"""

from __future__ import annotations

import gc
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from fsrs_rs_python import FSRS, FSRSItem, FSRSReview

from quiz.events import Answer, Event, EventKind, Grade, Origin
from quiz.memory.fold import fold
from quiz.memory.scheduler import default_parameters
from quiz.store import open_store

CARDS, REVIEWS = 20_000, 50
TIMES = 3


def events() -> Iterator[Event]:
    """Every card is reviewed fifty times over some two years, in the order of the days."""
    dice = random.Random(7)
    days = [dice.randrange(200) for _ in range(CARDS)]
    waiting = sorted((day, card) for card, day in enumerate(days))
    for counter in range(CARDS * REVIEWS):
        day, card = waiting[counter % CARDS]
        day += 14 * (counter // CARDS)
        grade = Grade.AGAIN if dice.random() < 0.15 else Grade.GOOD
        answer = Answer(
            f"deck/{card}", "recall", "0" * 16, Origin.STUDY, "s", 0, grade, 4.0, due=day + 14
        )
        yield Event(
            f"{dice.getrandbits(128):032x}", counter + 1, "2026-10-01T00:00:00.000000+00:00", 540,
            day, EventKind.ANSWER, card=answer.card, answer=answer,
        )  # fmt: skip


def main() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as home, open_store(Path(home), write=True) as store:
        store.insert(events())
        whole, folded, engine = [], [], []
        for _ in range(TIMES):
            gc.collect()
            began = perf_counter()
            store.state()
            whole.append(perf_counter() - began)
            rows = store.rows()
            gc.disable()
            began = perf_counter()
            state = fold(rows)
            folded.append(perf_counter() - began)
            engine.append(_engine(rows))
            gc.enable()
        assert len(state.cards) == CARDS
    peer = min(engine)
    yield f"{CARDS * REVIEWS:,} reviews of {CARDS:,} cards, best of {TIMES}"
    yield f"  read from the store and rebuilt   {min(whole):5.2f} s   {min(whole) / peer:4.1f} ×"
    yield f"  rebuilt from rows in memory       {min(folded):5.2f} s   {min(folded) / peer:4.1f} ×"
    yield f"  fsrs-rs alone                     {peer:5.2f} s   1.0 ×"


def _engine(rows: list[tuple[object, ...]]) -> float:
    """Seconds to turn grades and days, already grouped, into memories."""
    grouped: dict[object, list[tuple[int, int]]] = {}
    for row in rows:
        grouped.setdefault(row[4], []).append((row[8], row[0]))  # type: ignore[arg-type]
    began = perf_counter()
    items = []
    for reviews in grouped.values():
        last = reviews[0][1]
        item = []
        for grade, day in reviews:
            item.append(FSRSReview(grade, day - last))
            last = day
        items.append(FSRSItem(item))
    FSRS(list(default_parameters())).memory_state_batch(items)
    return perf_counter() - began
