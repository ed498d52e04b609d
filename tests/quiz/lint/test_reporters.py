from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from quiz.deck.card import Position
from quiz.deck.problem import Problem
from quiz.deck.source import Source
from quiz.lint.command import run_lint
from quiz.lint.finding import Finding
from quiz.lint.reporters import json as as_json
from quiz.lint.reporters import text as as_text
from verify.api import Text, UsageError, cells

DECK = r"""deck: mine
title: {ja: 自作, en: Mine}
cards:
  - id: nabla
    kind: recall
    ask: "勾配 $\nabla L$ を…"
    answer: No
"""

GOLDEN_JA = r"""mine.yaml:6:15 error latex-in-double-quotes
    6 │     ask: "勾配 $\nabla L$ を…"
      │                 ^^^^^^
  二重引用符の中の「\n」は改行なので、読み手には「abla」としか見えません。
  単一引用符かブロックスカラーを使ってください:  ask: '勾配 $\nabla L$ を…'

mine.yaml:7:13 error changed-scalar
    7 │     answer: No
      │             ^^
  No は false と読まれます。
  文なら引用符で囲み、数なら 10 進数で書いてください:  'No'

エラー 2 件、警告 0 件です。
"""

GOLDEN_EN = r"""mine.yaml:6:15 error latex-in-double-quotes
    6 │     ask: "勾配 $\nabla L$ を…"
      │                 ^^^^^^
  "\n" in double quotes is a line break, so the reader sees "abla".
  Use single quotes or a block scalar:  ask: '勾配 $\nabla L$ を…'

mine.yaml:7:13 error changed-scalar
    7 │     answer: No
      │             ^^
  No is read as false.
  Put quotes around text, and write a number in plain decimals:  'No'

2 errors, 0 warnings.
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text(DECK, encoding="utf-8")
    return Path("mine.yaml")


@pytest.mark.parametrize(("language", "golden"), [("ja", GOLDEN_JA), ("en", GOLDEN_EN)])
def test_the_text_report(mine: Path, language: str, golden: str) -> None:
    written: list[str] = []
    assert run_lint([mine], "text", "ja" if language == "ja" else "en", written.append) == 1
    assert "".join(written) == golden


def test_the_json_report(mine: Path) -> None:
    written: list[str] = []
    assert run_lint([mine], "json", "en", written.append) == 1
    assert json.loads("".join(written))[1] == {
        "file": "mine.yaml",
        "line": 7,
        "column": 13,
        "rule": "changed-scalar",
        "severity": "error",
        "message": "No is read as false.",
        "card": "mine/nabla",
    }


def test_exit_codes(mine: Path, tmp_path: Path) -> None:
    ignored: Callable[[str], object] = lambda _: None  # noqa: E731
    card = "{id: a, kind: recall, ask: q, answer: b}"
    mine.write_text(f"deck: d\ntitle: t\ncards: [{card}]\n")
    assert run_lint([mine], "text", "en", ignored) == 0  # a warning: no proof
    assert run_lint([tmp_path / "missing.yaml"], "json", "en", ignored) == 2
    with pytest.raises(UsageError):
        run_lint([mine], "xml", "en", ignored)


def test_nothing_found(mine: Path) -> None:
    assert as_text.report([], "en", colour=True, width=80) == "No problems.\n"
    assert json.loads(as_json.report([], "en")) == []


def finding(line: str, column: int, end: int | None = None, path: str = "d.yaml") -> Finding:
    problem = Problem(
        "rule",
        Position(1, column),
        Text(ja="文", en="message"),
        end=None if end is None else Position(1, end),
    )
    return Finding(Path(path), problem, Source(line + "\n"))


def test_colour_is_only_where_it_is_passed_in() -> None:
    assert "\x1b" not in as_text.report([finding("abc", 2)], "en", colour=False, width=80)
    assert "\x1b[1;31merror\x1b[0m" in as_text.report(
        [finding("abc", 2)], "en", colour=True, width=80
    )


def test_nothing_of_a_file_steers_the_terminal() -> None:
    hostile = finding("a\x1b[31m\u202eb\x9b", 2, path="\x1b[31m.yaml")
    for report in (
        as_text.report([hostile], "en", colour=False, width=80),
        as_json.report([hostile], "en"),
    ):
        assert not set(report) & set("\x1b\u202e\x9b")


def test_many_findings_on_a_long_line_take_no_time() -> None:
    line = Source("あ" * 500_000)
    problems = [Problem("rule", Position(1, 99 * n + 1), Text(en="m")) for n in range(5000)]
    before = time.process_time()
    as_text.report(
        [Finding(Path("d"), problem, line) for problem in problems],
        "en",
        colour=False,
        width=80,
    )
    assert time.process_time() - before < 10  # reading the whole line for each took minutes


@pytest.mark.parametrize("before", [0, 5, 60, 400])
@pytest.mark.parametrize("letter", ["a", "あ", "\t", "e\u0301"])
@pytest.mark.parametrize("width", [40, 80])
def test_the_carets_stand_under_the_marked_text_within_the_width(
    before: int, letter: str, width: int
) -> None:
    line = letter * before + "XYZ" + letter * 300
    column = len(letter) * before + 1
    report = as_text.report([finding(line, column, column + 3)], "en", colour=False, width=width)
    _, code, carets, *_ = report.splitlines()
    assert cells(code) <= width
    assert cells(code[: code.index("XYZ")]) == carets.index("^")
    assert carets.count("^") == 3
