"""The page of benchmarks keeps what isn't measured anew, and decks of benchmarks are decks."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import __main__ as bench
from bench import _large_deck
from quiz.deck.load import load


def test_writing_one_section_keeps_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "PAGE", tmp_path / "benchmarks.md")
    bench.write("rebuild", ["1,000 reviews", "  2 s"])
    bench.write("fit", ["loss"])
    once = bench.PAGE.read_text("utf-8")
    assert once.index("## fit\n") < once.index("## rebuild\n")
    assert once.count("```\n1,000 reviews\n  2 s\n```\n") == once.count("```\nloss\n```\n") == 1
    bench.write("fit", ["loss"])
    assert bench.PAGE.read_text("utf-8") == once
    bench.write("fit", ["other"])
    assert bench.PAGE.read_text("utf-8") == once.replace("loss", "other")


def test_a_large_deck_in_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_large_deck, "MOST", 40)
    _large_deck.write_several(tmp_path, 100)
    decks = [load(path) for path in sorted(tmp_path.iterdir())]
    assert [len(loaded.declared) for loaded in decks] == [40, 40, 20]
    assert [loaded.deck and loaded.deck.id for loaded in decks] == ["large-0", "large-1", "large-2"]
    assert not any(loaded.problems for loaded in decks)
