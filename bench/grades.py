"""From a grade to the next question, against a bare synced SQLite insert on the same disk.

The plain screen runs in this process over the real store: the clock starts when the screen has
read `3` and stops when it writes the next question, after the row was synced. The peer inserts the
same cells into a bare table: no index, no trigger, no check, no question. Both use WAL and
`synchronous = FULL`, in the same folder, in turns.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from quiz.clock import WallClock
from quiz.collector import collect_rarely
from quiz.deck.card import Card, Kind
from quiz.memory.scheduler import Scheduler
from quiz.recorder import LogRecorder
from quiz.screens.line import LineScreen
from quiz.screens.lines import Page
from quiz.session.question import Question
from quiz.session.state import Turn
from quiz.sitting import Progress, Report, Sitting
from quiz.store import Store, open_store
from quiz.store.columns import COLUMNS, to_cells
from verify.api import Text

GRADES = 2000
FOLDER = "PROOFDECK_BENCH"  # names a folder on the disk to measure; else the current one
TARGET = 3.0


class NoProver:
    """These cards have no proofs."""

    def warm(self) -> None: ...

    def known(self, question: Question) -> Report | None:
        return None

    def prove(self, question: Question) -> Iterator[Progress | Report | None]:
        return iter(())

    def stop(self) -> None: ...


@dataclass
class Bare:
    """The peer: one insert, one sync."""

    connection: sqlite3.Connection

    @classmethod
    def at(cls, path: Path) -> Bare:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"CREATE TABLE log ({', '.join(f'c{n}' for n in range(len(COLUMNS)))})")
        return cls(connection)

    def insert(self, cells: list[object]) -> float:
        """Seconds."""
        marks = ", ".join("?" * len(cells))
        began = time.perf_counter()
        self.connection.execute(f"INSERT INTO log VALUES ({marks})", cells)
        return time.perf_counter() - began


@dataclass
class Keyboard:
    """Reveals and grades without end, and times the screen; after each grade the peer's turn."""

    grades: int
    after: Callable[[], None]
    seconds: list[float] = field(default_factory=list)
    began: float | None = None
    _lines: int = 0

    def read(self) -> str | None:
        if self._lines == 2 * self.grades:
            return None
        self._lines += 1
        if self._lines % 2:
            return ""
        self.began = time.perf_counter()
        return "3"

    def write(self, text: str) -> None:
        if self.began is not None and "Card number" in text:
            self.seconds.append(time.perf_counter() - self.began)
            self.began = None
            self.after()


def cards(count: int) -> tuple[Card, ...]:
    text = Text(ja="はい", en="Yes")
    return tuple(
        Card("bench", f"c{n}", Kind.RECALL, Text(en=f"Card number {n}?"), answer=text)
        for n in range(count)
    )


def measure(folder: Path, grades: int) -> tuple[list[float], list[float]]:
    """Seconds of each grade, and of each bare insert."""
    deck, bare = cards(grades + 1), Bare.at(folder / "bare.db")
    peer: list[float] = []

    def in_turn() -> None:
        (event,) = store.events(since=len(peer))
        peer.append(bare.insert(list(to_cells(event))))

    with open_store(folder / "home", write=True) as store:
        keyboard = Keyboard(grades, in_turn)
        sit(store, deck, keyboard)
    bare.connection.close()
    return keyboard.seconds, peer


def sit(store: Store, deck: tuple[Card, ...], keyboard: Keyboard) -> None:
    clock = WallClock(lambda: datetime.now(UTC))
    recorder = LogRecorder(store, store.state(), Scheduler(), clock, deck, "bench")
    sitting = Sitting(tuple(Turn(c, 0) for c in deck), recorder, NoProver, time.monotonic)
    LineScreen(sitting, Page("en", 80, {}), keyboard.read, keyboard.write).run()


def percentile(seconds: list[float], share: float) -> float:
    """The smallest value that so large a share doesn't exceed."""
    return sorted(seconds)[min(len(seconds) - 1, int(share * len(seconds)))]


def main(grades: int = GRADES) -> Iterator[str]:
    collect_rarely()  # as every command does
    with tempfile.TemporaryDirectory(dir=os.environ.get(FOLDER, ".")) as folder:
        ours, bare = measure(Path(folder), grades)
    yield f"{len(ours):,} grades      ours      bare insert   ratio"
    for name, share in (("median", 0.5), ("p90", 0.9), ("p99", 0.99)):
        mine, theirs = percentile(ours, share), percentile(bare, share)
        yield f"{name:6}     {1e3 * mine:8.3f} ms   {1e3 * theirs:8.3f} ms   {mine / theirs:5.2f}"
    ratio = percentile(ours, 0.99) / percentile(bare, 0.99)
    yield f"target: p99 at most {TARGET:g} times: {'met' if ratio <= TARGET else 'missed'}"
