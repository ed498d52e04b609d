"""Kept findings are the findings, until anything that decides them changes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from quiz.cache import Cache
from quiz.lint import run
from quiz.lint.finding import Finding
from quiz.lint.kept import lint_kept
from quiz.lint.settings import Settings

DECK = "deck: d\ntitle: t\ncards:\n- {id: a, kind: recall, ask: No, answer: b, after: [e/x]}\n"
OTHER = "deck: e\ntitle: t\ncards: [{id: x, kind: recall, ask: q, answer: b}]\n"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "d.yaml", tmp_path / "e.yaml"]
    for path, text in zip(paths, (DECK, OTHER), strict=True):
        path.write_text(text)
    return paths


def shown(findings: tuple[Finding, ...]) -> list[tuple[object, ...]]:
    return [
        (f.path, f.problem.rule, f.problem.position, f.problem.message, f.problem.hint,
         f.problem.end, f.problem.severity, f.problem.card, f.source.line(f.problem.position.line))
        for f in findings
    ]  # fmt: skip


def test_the_same_without_linting(
    files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path / "cache")
    first = lint_kept(files[:1], files, Settings(), cache)
    monkeypatch.setattr(run, "lint", None)
    again = lint_kept(files[:1], files, Settings(), cache)
    assert shown(again.findings) == shown(first.findings)
    assert again.exit_code == first.exit_code == 1
    assert [loaded.path for loaded in again.decks] == files[:1]


@pytest.mark.parametrize("change", ["file", "other", "settings", "name"])
def test_what_makes_it_stale(
    change: str, files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, settings = Cache(tmp_path / "cache"), Settings()
    lint_kept(files[:1], files, settings, cache)
    seen: list[object] = []
    real = run.lint
    monkeypatch.setattr(run, "lint", lambda *arguments: seen.append(arguments) or real(*arguments))
    if change == "file":
        files[0].write_text(DECK.replace("No", "'No'"))
    elif change == "other":
        files[1].write_text(OTHER.replace("id: x", "id: y"))
    elif change == "name":
        files[0] = files[0].rename(tmp_path / "f.yaml")
    else:
        settings = Settings(severity={"no-proof": "error"})
    lint_kept(files[:1], files, settings, cache)
    assert len(seen) == 1


def test_an_unchanged_file_needs_neither_the_rules_nor_a_parser(
    files: list[Path], tmp_path: Path
) -> None:
    needless = ["yaml", "quiz.deck.load", "quiz.lint.rule", "verify.claims", "verify.experiment"]
    code = f"""
import sys
sys.argv = ["quiz", "lint", {str(files[0])!r}]
from quiz.cli import main
try:
    main()
finally:
    sys.stderr.write(repr([name for name in {needless} if name in sys.modules]))
"""
    home = {"QUIZ_HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = [
        subprocess.run(
            [sys.executable, "-c", code],
            check=False,
            capture_output=True,
            text=True,
            env={**os.environ, **home},
            cwd=tmp_path,
        )
        for _ in range(2)
    ]
    assert [one.returncode for one in done] == [1, 1]
    assert done[0].stdout == done[1].stdout
    assert done[0].stderr == repr(needless)
    assert done[1].stderr == "[]"


def test_strange_entries_are_linted_anew(
    files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path / "cache")
    expected = shown(lint_kept(files[:1], files, Settings(), cache).findings)
    for strange in ({}, 3, [1], [[9, "r", [1, 1], ["a", "b"], None, None, "error", None]], [[]]):
        monkeypatch.setattr(cache, "get", lambda *_, value=strange: value)
        assert shown(lint_kept(files[:1], files, Settings(), cache).findings) == expected
