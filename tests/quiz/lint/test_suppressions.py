"""Comments that allow a finding. ▼ marks where a finding about a comment must stand."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from quiz.deck.source import Source
from quiz.lint.finding import Finding
from quiz.lint.suppressions import suppressions

ExpectOne = Callable[[str, str], Finding]
Lint = Callable[[str], list[Finding]]

DECK = """deck: sample
title: Sample
cards:
  - id: card
    kind: recall
    ask: Who?
    answer: Everyone
    proof: {experiment: all-reduce-bytes, truth: [wire_sent == 1.5*payload ± 1%]}
"""


def test_it_is_the_missing_source_that_is_found_without_a_comment(expect_one: ExpectOne) -> None:
    expect_one("missing-source", DECK.replace("card\n", "▼card\n", 1))


@pytest.mark.parametrize(
    "bad",
    [
        "  - id: card  # quiz: allow missing-source -- from memory",
        "  # quiz: allow missing-source -- from memory\n  - id: card",
        "  # quiz: allow missing-source -- from memory\n\n  # more\n  - id: card",
        "  - id: card  #quiz:allow missing-source -- from memory",
        "# quiz: allow-file missing-source -- all from memory\n  - id: card",
    ],
)
def test_a_comment_allows_it(bad: str, lint_text: Lint) -> None:
    assert lint_text(DECK.replace("  - id: card", bad)) == []


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\x85"])
def test_a_comment_ends_with_its_line_whatever_ends_lines(end: str) -> None:
    text = "a: b  # quiz: allow x -- y  \n# quiz: allow-file z --\nc: d\n".replace("\n", end)
    assert [(each.rule, each.line, each.has_reason) for each in suppressions(Source(text))] == [
        ("x", 1, True),
        ("z", None, False),
    ]


def test_many_comments_take_no_time() -> None:
    before = time.process_time()
    found = suppressions(Source("# quiz: allow x -- y\n" * 20_000))
    assert {each.line for each in found} == {20_001}
    assert time.process_time() - before < 5  # each line looking on for itself took minutes


def test_a_comment_for_the_file_may_stand_at_its_end(lint_text: Lint) -> None:
    assert lint_text(DECK + "# quiz: allow-file missing-source -- from memory\n") == []


@pytest.mark.parametrize(
    ("rule", "good", "bad"),
    [
        (
            "suppression-without-reason",
            "id: card",
            "id: card  # quiz: allow ▼missing-source",
        ),
        (
            "suppression-without-reason",
            "id: card",
            "id: card  # quiz: allow ▼missing-source --",
        ),
        (
            "unused-suppression",
            "id: card",
            "id: card  # quiz: allow missing-source, ▼no-proof -- from memory",
        ),
    ],
)
def test_what_is_wrong_with_a_comment(
    rule: str, good: str, bad: str, expect_one: ExpectOne
) -> None:
    expect_one(rule, DECK.replace(good, bad, 1))


def test_a_comment_speaks_for_its_line_only(lint_text: Lint) -> None:
    found = lint_text(DECK.replace("Who?", "Who?  # quiz: allow missing-source -- from memory"))
    assert [f.problem.rule for f in found] == ["missing-source", "unused-suppression"]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("near-duplicat", "There is no rule near-duplicat."),
        ("changed-scalar", "changed-scalar can't be allowed."),
        ("unused-suppression", "unused-suppression can't be allowed."),
        ("near-duplicate", "near-duplicate finds nothing here."),
    ],
)
def test_why_a_comment_is_unused(rule: str, message: str, lint_text: Lint) -> None:
    text = DECK.replace("kind: recall", "kind: recall\n    source: page 1")
    [found] = lint_text(text.replace("Who?", f"Who?  # quiz: allow {rule} -- because"))
    assert found.problem.rule == "unused-suppression"
    assert found.problem.message.en == message


def test_what_makes_a_card_unusable_can_not_be_allowed(lint_text: Lint) -> None:
    found = lint_text(DECK.replace("Who?", "No  # quiz: allow changed-scalar -- because"))
    assert [f.problem.rule for f in found] == ["changed-scalar", "unused-suppression"]


def test_a_rule_of_proving_is_not_called_unused_without_proving(lint_text: Lint) -> None:
    text = DECK.replace("kind: recall", "kind: recall\n    source: page 1")
    assert lint_text(text + "# quiz: allow-file not-proven -- too noisy here\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "ask: 'Who? # quiz: allow no-proof -- x'",
        'ask: "Who?\n  # quiz: allow no-proof -- x"',
        "ask: |\n  Who?\n  # quiz: allow no-proof -- x\n",
        "ask: Who#quiz: allow no-proof -- x",
        "ask: Who  # quiz: allows no-proof -- x",
    ],
)
def test_what_only_looks_like_such_a_comment(text: str) -> None:
    assert suppressions(Source(text)) == ()


def test_a_broken_file_has_comments_too() -> None:
    [found] = suppressions(Source("a: [\n# quiz: allow x -- y\n"))
    assert (found.rule, found.has_reason) == ("x", True)
