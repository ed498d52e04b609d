"""The formats that other programs read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from quiz.deck.card import Position
from quiz.deck.problem import Problem
from quiz.deck.source import Source
from quiz.lint.command import Proofs, run_lint
from quiz.lint.finding import Finding
from quiz.lint.proofs import ProofNote
from quiz.lint.reporters import github, junit, sarif
from quiz.lint.rules import all_rules
from quiz.proof import Tried
from verify.api import Language, Text, verbatim

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "data" / "sarif-schema-2.1.0.json").read_text(encoding="utf-8")
)
DECK = """deck: mine
title: Mine
cards:
  - {id: a, kind: recall, ask: No, answer: x}
  - {id: b, kind: recall, source: p, ask: Why?, answer: '4:3'}
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("decks") / "私の デッキ.yaml"
    path.parent.mkdir()
    path.write_text(DECK, encoding="utf-8")
    return path


def written(path: Path, format: str) -> str:
    parts: list[str] = []
    assert run_lint([path], format, "en", parts.append) == 1
    return "".join(parts)


def finding(line: str, message: str = "message", path: str = "d.yaml") -> Finding:
    problem = Problem("schema", Position(1, 1), Text(ja="文", en=message), end=Position(1, 3))
    return Finding(Path(path), problem, Source(line + "\n"))


# SARIF


def log_of(path: Path) -> dict[str, Any]:
    log = json.loads(written(path, "sarif"))
    jsonschema.Draft4Validator(SCHEMA).validate(log)
    return log


def test_sarif_is_valid_and_names_the_place(mine: Path) -> None:
    [run] = log_of(mine)["runs"]
    first = run["results"][0]
    assert first["ruleId"] == "changed-scalar"
    assert run["tool"]["driver"]["rules"][first["ruleIndex"]]["id"] == "changed-scalar"
    [location] = first["locations"]
    place = location["physicalLocation"]
    uri = "decks/%E7%A7%81%E3%81%AE%20%E3%83%87%E3%83%83%E3%82%AD.yaml"
    assert place["artifactLocation"]["uri"] == uri
    assert place["region"] == {"startLine": 4, "startColumn": 32, "endLine": 4, "endColumn": 34}
    assert [result["level"] for result in run["results"]] == ["error", "warning"]


def test_without_findings_sarif_is_valid_too() -> None:
    log = json.loads(sarif.report([], all_rules(), "ja", Path.cwd()))
    jsonschema.Draft4Validator(SCHEMA).validate(log)
    assert log["runs"][0]["results"] == []


def test_fingerprints_outlive_a_move_and_tell_twins_apart(mine: Path) -> None:
    def prints() -> list[str]:
        return [r["partialFingerprints"]["quizLint/v1"] for r in log_of(mine)["runs"][0]["results"]]

    before = prints()
    mine.write_text("# a comment\n\n" + DECK, encoding="utf-8")
    assert prints() == before
    twin = [finding("x"), finding("x")]
    results = json.loads(sarif.report(twin, [], "en", Path.cwd()))["runs"][0]["results"]
    assert len({r["partialFingerprints"]["quizLint/v1"] for r in results}) == 2


# GitHub


def test_github_has_the_text_behind_a_gutter_and_commands(mine: Path) -> None:
    lines = written(mine, "github").splitlines()
    commands = [line for line in lines if line.startswith("::")]
    assert all(line.startswith(("│ ", "::")) for line in lines)
    assert commands[0] == (
        "::error file=decks/私の デッキ.yaml,line=4,endLine=4,col=32,endColumn=34,"
        "title=changed-scalar::No is read as false.%0A"
        "Put quotes around text, and write a number in plain decimals:  'No'"
    )


@pytest.mark.parametrize(
    "hostile",
    [
        "::error::owned",
        "::set-output name=x::y",
        "  ::stop-commands::x",
        "##[error]owned",
        "a\r::error::owned",
        "a\n::error::owned",
        "%0A::error::owned",
        "a,line=9::owned",
    ],
)
def test_nothing_of_a_deck_becomes_a_workflow_command(hostile: str) -> None:
    found = [finding(hostile, hostile, path=f"{hostile}.yaml")]
    lines = re.split("[\r\n]", github.report(found, "en", width=80))
    commands = [line for line in lines if line.strip().startswith("::")]
    assert len(commands) == 1
    assert not any("##[" in line for line in lines)
    head, _, message = commands[0].removeprefix("::error ").partition("::")
    assert len(head.split(",")) == 6  # no property of the deck's
    assert message
    assert "%0A::" not in message.replace("%250A", "")


# JUnit


def test_junit_has_a_suite_for_each_file(mine: Path) -> None:
    root = ElementTree.fromstring(written(mine, "junit"))
    assert root.attrib == {
        "name": "quiz lint", "tests": "2", "failures": "1", "errors": "0", "time": "0"
    }  # fmt: skip
    [suite] = root
    failure = suite[0].find("failure")
    assert failure is not None
    assert failure.attrib == {"type": "changed-scalar", "message": "No is read as false."}
    assert suite[1].find("failure") is None
    assert suite[1].find("system-out") is not None


def test_a_clean_file_passes_and_control_characters_stay_out() -> None:
    root = ElementTree.fromstring(junit.report([], [Path("a.yaml")], "ja"))
    assert [case.get("name") for case in root.iter("testcase")] == ["lint"]
    hostile = finding("x", "a\x00\x1b\ufffe<b>&", path="\x1b.yaml")
    ElementTree.fromstring(junit.report([hostile], [], "en"))


# After proving


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "ja",
            "2 枚中 1 枚が証明済み。"
            "反証できたもの: わざと変えた式 7 / 8 (87.5 %)、故障 1 / 1 (100 %)",
        ),
        (
            "en",
            "1 of 2 cards proven; refuted: altered formulas 7 / 8 (87.5 %), faults 1 / 1 (100 %)",
        ),
    ],
)
def test_text_and_github_give_the_shares_that_were_refuted(
    mine: Path, language: Language, said: str
) -> None:
    place = Position(4, 3)
    notes = (
        ProofNote("d", place, "mine/a", "proven", None, 0.1, Tried(4, 4, 1, 1)),
        ProofNote("d", place, "mine/b", "undecided", verbatim("?"), 0.1, Tried(4, 3)),
    )
    for format in ("text", "github"):
        parts: list[str] = []
        run_lint([mine], format, language, parts.append, further=lambda _: Proofs((), notes))
        assert said in "".join(parts)


# JSON


def test_json_says_why_and_how_long_each_proof_took(mine: Path) -> None:
    note = ProofNote(
        "d", Position(4, 3), "mine/b", "undecided", Text(ja="雑音", en="noise"), 0.1234, Tried()
    )
    parts: list[str] = []
    run_lint([mine], "json", "en", parts.append, further=lambda _: Proofs((), (note,)))
    assert json.loads("".join(parts))[-1] == {
        "file": "d",
        "line": 4,
        "column": 3,
        "rule": "proof",
        "severity": "info",
        "message": "undecided",
        "card": "mine/b",
        "verdict": "undecided",
        "reason": "noise",
        "seconds": 0.123,
    }
