"""From a command to its first question, beside Anki's Python package with the same cards.

Whole processes: theirs imports, opens a collection and queues; ours imports, reads the decks (seen
before, so from the cache), folds the log and asks. The clock stops when the question has come out.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from time import perf_counter

import pexpect

from bench import _large_deck
from quiz.cache import usual
from quiz.deck.kept import loader
from quiz.deck.library import find_decks, read_decks

CARDS = 10_000
GROWTH = (1_000, 10_000, 100_000)
TIMES = 5
PLAIN, FULL = 1.0, 2.0  # targets: times Anki's
_ANKI = """
import sys
from anki.collection import Collection
collection = Collection(sys.argv[1])
queued = collection.sched.get_queued_cards(fetch_limit=1)
print("asked", collection.get_card(queued.cards[0].card.id).question(), flush=True)
"""
_TYPER = """
import typer
def command(name: str = "learner") -> None:
    print("asked", name, flush=True)
typer.run(command)
"""
_QUIZ = [sys.executable, "-m", "quiz", "study"]


def main() -> Iterator[str]:
    yield f"first question, whole processes, median of {TIMES}"
    yield f"{'cards':>9}   {'Anki':>7}   {'plain':>7}   ratio   {'full':>7}   ratio"
    ratios: dict[int, tuple[float, float]] = {}
    for cards in GROWTH:
        with tempfile.TemporaryDirectory() as name:
            anki, plain, full = measure(Path(name), cards)
        ratios[cards] = plain / anki, full / anki
        yield (
            f"{cards:>9,}   {anki:5.2f} s   {plain:5.2f} s   {plain / anki:5.2f}   "
            f"{full:5.2f} s   {full / anki:5.2f}"
        )
    floor = sorted(
        _piped([sys.executable, "-c", _TYPER], "asked", os.environ) for _ in range(TIMES)
    )
    yield f"a command of typer that only prints: {floor[TIMES // 2]:.2f} s"
    for what, ratio, most in zip(("plain", "full"), ratios[CARDS], (PLAIN, FULL), strict=True):
        met = "met" if ratio <= most else "missed"
        yield f"target for {CARDS:,} cards, {what}: at most {most:g} times: {met}"


def measure(folder: Path, cards: int) -> tuple[float, float, float]:
    """Seconds of Anki, of the plain screen and of the full one; each the median of turns."""
    decks = folder / "decks"
    decks.mkdir()
    _large_deck.write_several(decks, cards)
    environment = {
        **os.environ,
        "XDG_CACHE_HOME": str(folder / "cache"),
        "QUIZ_HOME": str(folder / "home"),
        "QUIZ_LANG": "en",
        "TERM": "xterm-256color",
    }
    collection = folder / "collection.anki2"
    _fill(collection, decks)
    command = [*_QUIZ, str(decks)]
    ways: list[Callable[[], float]] = [
        lambda: _piped([sys.executable, "-c", _ANKI, str(collection)], "asked", environment),
        lambda: _piped([*command, "--plain"], "· ", environment),
        lambda: _on_terminal(command, "· ", environment),
    ]
    for way in ways:
        way()  # seen once
    turns = [[way() for way in ways] for _ in range(TIMES)]
    anki, plain, full = (sorted(taken)[TIMES // 2] for taken in zip(*turns, strict=True))
    return anki, plain, full


def _fill(collection: Path, decks: Path) -> None:
    """Anki's collection with the questions and answers of these decks."""
    from anki.collection import AddNoteRequest, Collection

    opened = Collection(str(collection))
    kind = opened.models.by_name("Basic")
    deck = opened.decks.id("Default")
    assert kind is not None
    assert deck is not None
    notes = []
    for loaded in read_decks(find_decks([str(decks)], decks), loader(usual())):
        assert loaded.deck is not None
        for card in loaded.deck.cards:
            note = opened.new_note(kind)
            answer = card.answer or next((c.text for c in card.choices), None)
            note.fields = [card.ask.pick("en"), answer.pick("en") if answer else "?"]
            notes.append(AddNoteRequest(note=note, deck_id=deck))
    opened.add_notes(notes)
    opened.close()


def _piped(command: list[str], sign: str, environment: Mapping[str, str]) -> float:
    """Seconds until the sign comes out of the command's standard output."""
    began = perf_counter()
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        for line in process.stdout:
            if sign in line:
                taken = perf_counter() - began
                break
        else:
            raise RuntimeError(f"{command[:4]}: no question")
        process.stdin.close()
        process.stdout.read()
    return taken


def _on_terminal(command: list[str], sign: str, environment: Mapping[str, str]) -> float:
    """The same on a terminal of 80 × 24."""
    began = perf_counter()
    process = pexpect.spawn(
        command[0], command[1:], env=environment, dimensions=(24, 80), encoding="utf-8", timeout=60
    )
    process.expect_exact(sign)
    taken = perf_counter() - began
    process.send("q")
    process.expect(pexpect.EOF)
    process.close()
    return taken
