"""Lint beside libyaml: how many times as long as composing the same file does linting take?

The peer runs with Python's cyclic collector off, since it costs libyaml's compose several times as
much as the work itself.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import yaml

from bench import _large_deck

CARDS = 10_000
RUNS = 3
COLD = 3.0  # times libyaml's compose
UNCHANGED = 0.3  # seconds
_LINT = """
import sys, time
from pathlib import Path
from quiz.cache import Cache
from quiz.lint.command import run_lint
from quiz.lint.rules import all_rules
all_rules()
cache = Cache(Path(sys.argv[2])) if len(sys.argv) > 2 else None
start = time.perf_counter()
code = run_lint([Path(sys.argv[1])], "text", "en", lambda text: None, cache=cache)
print(time.perf_counter() - start, code)
"""


def main() -> Iterator[str]:
    """Cold with repeated and with distinct claims, and an unchanged file."""
    with tempfile.TemporaryDirectory() as folder:
        for name, distinct in (
            ("claims as in the shipped decks", False),
            ("every claim new", True),
        ):
            path = Path(folder) / f"{distinct}.yaml"
            _large_deck.write(path, CARDS, distinct=distinct)
            peer = min(_compose(path) for _ in range(RUNS))
            ours = min(_in_process(path) for _ in range(RUNS))
            size = path.stat().st_size / 1e6
            yield f"{CARDS:,} cards, {size:.1f} MB, {name}:"
            met = "met" if ours <= COLD * peer else "missed"
            yield f"  libyaml's compose {peer:.2f} s, cold lint {ours:.2f} s: {ours / peer:.2f} ×"
            yield f"  target: at most {COLD:g} times: {met}"
        cache = Path(folder) / "cache"
        _in_process(path, str(cache))
        again = min(_in_process(path, str(cache)) for _ in range(RUNS))
        yield f"unchanged file: {again:.2f} s in a running program"
        command = [sys.executable, "-m", "quiz", "lint", str(path)]
        environment = os.environ | {"XDG_CACHE_HOME": folder, "QUIZ_HOME": folder}

        def run() -> None:
            subprocess.run(command, check=False, capture_output=True, env=environment)

        run()
        command_takes = min(_seconds(run) for _ in range(RUNS))
        met = "met" if command_takes <= UNCHANGED else "missed"
        yield f"  {command_takes:.2f} s as a command; target: at most {UNCHANGED:g} s: {met}"


def _compose(path: Path) -> float:
    text = path.read_text(encoding="utf-8")
    gc.disable()
    try:
        return _seconds(lambda: yaml.compose(text, Loader=yaml.CSafeLoader))
    finally:
        gc.enable()


def _in_process(*arguments: object) -> float:
    """In a process of its own, which has read nothing yet; its imports aren't counted."""
    command = [sys.executable, "-c", _LINT, *map(str, arguments)]
    seconds, code = subprocess.run(
        command, check=True, capture_output=True, text=True
    ).stdout.split()
    if code != "0":
        raise RuntimeError("the deck of the benchmark has errors")
    return float(seconds)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
