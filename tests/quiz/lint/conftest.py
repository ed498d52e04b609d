"""Findings in decks written in the tests. A ▼ in a sample marks where the finding must stand."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from quiz.lint.finding import Finding
from quiz.lint.run import lint

MARK = "▼"
Lint = Callable[[str], list[Finding]]


@pytest.fixture
def lint_text(tmp_path: Path) -> Lint:
    """Lint one file of this text."""

    def run(text: str) -> list[Finding]:
        path = tmp_path / "mine.yaml"
        path.write_text(text, encoding="utf-8")
        return list(lint([path]).findings)

    return run


@pytest.fixture
def expect_one(lint_text: Lint) -> Callable[[str, str], Finding]:
    """Lint a marked text and see that it has one finding: of that rule, at the mark."""

    def run(rule: str, marked: str) -> Finding:
        before = marked[: marked.index(MARK)]
        line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        findings = lint_text(marked.replace(MARK, "", 1))
        found = [(f.problem.rule, *f.problem.position) for f in findings]
        assert found == [(rule, line, column)]
        return findings[0]

    return run


@pytest.fixture
def deck_of() -> Callable[[str], str]:
    """A deck around the lines of one card."""

    def run(lines: str) -> str:
        card = textwrap.indent(textwrap.dedent(lines).strip("\n"), "    ")
        return f"deck: sample\ntitle: Sample\ncards:\n  -{card[3:]}\n"

    return run
