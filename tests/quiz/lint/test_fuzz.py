"""Mutated decks: each is read, linted, mended and reported, without a traceback and in bounds."""

from __future__ import annotations

import random
import resource
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.deck.load import parse
from quiz.lint.finding import Finding
from quiz.lint.fixing import fixed
from quiz.lint.reporters import github, json, junit, sarif, text
from quiz.lint.rules import all_rules
from quiz.lint.run import lint_text

SECONDS, MEGABYTES = 2.0, 500
FOLDER = Path(__file__).parents[3] / "decks"
DECKS = [file.read_text(encoding="utf-8") for file in sorted(FOLDER.glob("*.yaml"))]
_SPICE = (
    "\n", "\t", "  ", "- ", ": ", "：", "－", "{", "}", "[", "]", "'", '"', "|", ">", "#", "&a ",
    "*a", "!!int ", "%", "\x00", "\x1b[31m", "\u202e", "\u200b", "\u3000", "\ufeff", "\ud7ff", "é",
    "\U0001f600", "No", "~", "1e999", "0x1F", "9" * 400, "(" * 60, "**9", "± 1%", "/0", "ranks-1",
    "$\\frac{1}{", "$$", "{ranks}", "\\", "\\u0000", "…" * 50, "a" * 3000, "# quiz: allow x\n",
    "\r", "\r\n", "\x85", "<<: ", "? ", "---\n", "...\n", "[" * 300, "- " * 300,
)  # fmt: skip


def mutant(chance: random.Random) -> bytes:
    """A piece of a deck, changed at one to eight places."""
    whole = chance.choice(DECKS)
    cards = whole.split("\n  - id: ")
    some = chance.sample(cards[1:], k=min(len(cards) - 1, chance.randint(1, 3)))
    body = "\n  - id: ".join([cards[0], *some])
    for _ in range(chance.randint(1, 8)):
        at, end = sorted(chance.randrange(len(body) + 1) for _ in range(2))
        end = min(end, at + chance.choice((0, 1, 5, 80)))
        new = chance.choice(
            (*_SPICE, "", body[at:end] * 2, chance.choice(body.splitlines() or [""]))
        )
        body = body[:at] + new + body[end:]
        if chance.random() < 0.02:
            body = "\n".join(chance.sample(lines := body.split("\n"), len(lines)))
    data = body.encode("utf-8", "surrogatepass")
    if chance.random() < 0.05:
        place = chance.randrange(len(data) + 1)
        data = data[:place] + bytes(chance.randrange(256) for _ in range(3)) + data[place:]
    return data


def examine(data: bytes) -> None:
    """All that lint does with a file. Raises whatever goes wrong."""
    path = Path("fuzz.yaml")
    loaded = parse(data, path)
    source = loaded.source.text
    findings = [
        Finding(path, problem, loaded.source)
        for problem in (lint_text(source, path) if loaded.deck else loaded.problems)
    ]
    for language in ("ja", "en"):
        shown = text.report(findings, language, colour=False, width=80)
        assert not set(shown) & set("\x1b\u202e\x9b\x00"), "a control character was shown"
    json.report(findings, "en")
    github.report(findings, "ja", width=80)
    junit.report(findings, [path], "ja")
    sarif.report(findings, all_rules(), "en", Path.cwd())
    if loaded.deck is not None:
        fixed(source, lambda each: lint_text(each, path))


def examine_within_bounds(seed: int) -> None:
    data = mutant(random.Random(seed))
    start = time.process_time()
    examine(data)
    assert time.process_time() - start <= SECONDS


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32))
def test_no_mutant_breaks_lint(seed: int) -> None:
    examine_within_bounds(seed)


@pytest.mark.soak
def test_no_mutant_of_many_breaks_lint() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for seed in range(100_000):
        try:
            examine_within_bounds(seed)
        except Exception as error:
            raise AssertionError(f"mutant {seed}") from error
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before  # KiB
    assert grown * 1024 <= MEGABYTES * 10**6
