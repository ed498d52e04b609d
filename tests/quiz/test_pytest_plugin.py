"""Decks as tests of another project."""

from __future__ import annotations

import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

import quiz

pytest_plugins = ["pytester"]

ROOT = Path(quiz.__file__).parent.parent
DECK = """\
deck: mine
title: Mine
cards:
  - id: holds
    kind: recall
    ask: How many?
    answer: Rounded up.
    proof: {experiment: sampler-padding, truth: [samples_per_rank == ceil(samples/ranks)]}
  - id: fails
    kind: recall
    ask: How many?
    answer: Rounded down.
    proof: {experiment: sampler-padding, truth: [samples_per_rank == floor(samples/ranks)]}
  - id: loose
    kind: recall
    ask: How many?
    answer: About so many.
    proof: {experiment: sampler-padding, truth: [samples_per_rank == ceil(samples/ranks) ± 900%]}
  - {id: untold, kind: recall, ask: Why?, answer: So.}
  - {id: odd, kind: wish, ask: Why?}
"""
SMALL = "deck: small\ntitle: T\ncards:\n  - {id: a, kind: recall, ask: x, answer: y}\n"


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    """Run pytest in a project of another's, which holds these files and has no other plugin."""
    monkeypatch.setenv("QUIZ_LANG", "en")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def run(*arguments: str, **files: str) -> pytest.RunResult:
        for name, text in files.items():
            path = pytester.path / (name.replace("__", "/") + ".yaml")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return pytester.runpytest_subprocess(
            "-p", "quiz.pytest_plugin", "-p", "no:cacheprovider", *arguments
        )

    return run


@pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="no checkout")
def test_pytest_finds_it_where_the_package_is_installed():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert declared["entry-points"]["pytest11"] == {"proofdeck": "quiz.pytest_plugin"}


def test_it_is_off_unless_asked_for_and_leaves_other_yaml_alone(run, pytester):
    pytester.makepyfile("def test_own(): pass")
    run(decks__small=SMALL, settings="a: 1\n").assert_outcomes(passed=1)
    run("--prove-decks").assert_outcomes(passed=1, skipped=1)


def test_each_card_is_a_test(run, pytester):
    result = run("--prove-decks", "decks/mine.yaml", "--junit-xml=out.xml", "-rs",
                 decks__mine=DECK)  # fmt: skip
    result.assert_outcomes(passed=1, failed=3, skipped=1)
    result.stdout.fnmatch_lines([
        "mine.yaml:9: fails: disproven: the run refutes what the card calls true: "
        "samples_per_rank == floor(samples/ranks)",
        "mine.yaml:14: loose: the claim * is too loose: *",
        "mine.yaml:20:21: odd: Unknown kind wish.",
        "SKIPPED*decks/mine.yaml*: the card has no proof",
    ])  # fmt: skip
    assert "Traceback" not in result.stdout.str()
    root = ElementTree.parse(pytester.path / "out.xml").getroot()
    cases = {case.attrib["name"]: case for case in root.iter("testcase")}
    assert set(cases) == {"holds", "fails", "loose", "untold", "odd"}
    properties = {p.attrib["name"]: p.attrib["value"] for p in cases["fails"].iter("property")}
    assert properties["claim 1"] == "truth: samples_per_rank == floor(samples/ranks) → refuted"
    assert {"evidence", "claim 1"} <= set(properties)


def test_one_card_is_chosen_by_its_name(run):
    result = run("--prove-decks", "decks/mine.yaml::untold", "-v", decks__mine=DECK)
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["decks/mine.yaml::untold SKIPPED*"])


def test_configured_paths(run, pytester):
    pytester.makeini("[pytest]\nprove_decks = decks\n")
    files = {"decks__small": SMALL, "other__data": SMALL.replace("small", "other")}
    run(**files).assert_outcomes(skipped=1)
    run("--prove-decks", "other").assert_outcomes(skipped=1)


def test_a_deck_that_can_t_be_read_is_an_error_in_one_line(run, pytester):
    pytester.makeini("[pytest]\nprove_decks = decks\n")
    result = run(decks__broken="deck: broken\ntitle: [\n")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["broken.yaml:3:1: *"])
    assert "Traceback" not in result.stdout.str()
