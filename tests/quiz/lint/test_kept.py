"""Kept findings are the findings, until anything that decides them changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from quiz.cache import Cache
from quiz.lint import kept
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
         f.problem.end, f.problem.severity, f.problem.card, f.source.line(4))
        for f in findings
    ]  # fmt: skip


def test_the_same_without_linting(
    files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path / "cache")
    first = lint_kept(files[:1], files, Settings(), cache)
    monkeypatch.setattr(kept, "lint", None)
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
    monkeypatch.setattr(kept, "lint", lambda *arguments: seen.append(arguments) or real(*arguments))
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


def real(*arguments: object) -> object:
    from quiz.lint.run import lint

    return lint(*arguments)  # type: ignore[arg-type]


def test_strange_entries_are_linted_anew(
    files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path / "cache")
    expected = shown(lint_kept(files[:1], files, Settings(), cache).findings)
    for strange in ({}, 3, [1], [[9, "r", [1, 1], ["a", "b"], None, None, "error", None]], [[]]):
        monkeypatch.setattr(cache, "get", lambda *_, value=strange: value)
        assert shown(lint_kept(files[:1], files, Settings(), cache).findings) == expected
