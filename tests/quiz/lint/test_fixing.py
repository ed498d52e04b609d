"""Mending by edits: what changes, what stays, and the laws that hold of any text."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.deck.content import content_hash
from quiz.deck.load import parse
from quiz.deck.source import Source
from quiz.lint.command import run_fix
from quiz.lint.fixing import fixed, rewrite
from quiz.lint.run import lint_text
from verify.api import UsageError

BEFORE = r"""# my deck
deck: mine   # its name
title: Mine
cards:
  # the first
  - kind: recall

    # asked in 2024
    ask: No     # really
    id: one
    answer: "the gradient $\nabla L$"
    source: |
      line one
      line two
  - {kind: recall, id: two, ask: {ja：だれ, en: Who?}, answer: on}
"""
AFTER = r"""# my deck
deck: mine   # its name
title: Mine
cards:
  # the first
  - id: one
    kind: recall
    source: |
      line one
      line two

    # asked in 2024
    ask: 'No'     # really
    answer: 'the gradient $\nabla L$'
  - {kind: recall, id: two, ask: {ja: だれ, en: Who?}, answer: 'on'}
"""


def fix(text: str) -> str:
    return fixed(text, lambda each: lint_text(each, Path("d.yaml")))


def test_quotes_whitespace_and_order_with_their_comments() -> None:
    assert fix(BEFORE.replace("Mine\n", "Mine \t\n")) == AFTER


@pytest.mark.parametrize(
    "line",
    [
        r'answer: "two\nlines of $\nabla$"',  # which break is meant can't be told
        "answer: |\n      kept   \n      spaces",
        "answer: 010  # a number or a text?\n    vary: {ranks: [010]}",
    ],
)
def test_what_is_left_to_the_author(line: str) -> None:
    text = f"deck: d\ntitle: t\ncards:\n  - id: a\n    kind: recall\n    ask: q\n    {line}\n"
    after = fix(text)
    assert "vary: {ranks: [010]}" in after if "vary" in text else after == text


def test_an_order_that_changes_what_a_card_says_is_left() -> None:
    card = """
      - kind: recall
        id: a
        answer: |+
          kept

        ask: q
    """
    text = "deck: d\ntitle: t\ncards:\n" + textwrap.indent(textwrap.dedent(card).strip(), "  ")
    after = fix(text + "\n")
    assert hashes(text + "\n").items() <= hashes(after).items()


def hashes(text: str) -> dict[str, str]:
    deck = parse(text.encode(), Path()).deck
    return {} if deck is None else {card.key: content_hash(card) for card in deck.cards}


LINES = st.sampled_from(
    [
        "id: one", "id: two", "kind: recall", "ask: q", "ask: No", "ask: 'a'  # c", "answer: on ",
        "answer: 1_000", 'answer: "$\\theta$"', "answer: {ja：x, en: y}", "source: |\n      a  \n",
        "topic: t", "# a comment", "", "   ", "after: [one，two]", "hint: >-\n      b\n\n      c",
        "proof: {experiment: all-reduce-bytes}", "explain: 'x\n      y'", "- id: three",
    ]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(LINES, min_size=1, max_size=8), min_size=1, max_size=3), st.booleans())
def test_fixing_is_idempotent_and_changes_no_card(cards: list[list[str]], windows: bool) -> None:
    bodies = ["  - " + "\n    ".join(lines) for lines in cards]
    text = "deck: d\ntitle: t\ncards:\n" + "\n".join(bodies) + "\n"
    text = text.replace("\n", "\r\n") if windows else text
    once = fix(text)
    assert fix(once) == once
    assert hashes(text).items() <= hashes(once).items()
    comments = [line.strip() for line in text.splitlines() if line.strip().startswith("#")]
    assert sorted(comments) == sorted(
        line.strip() for line in once.splitlines() if line.strip().startswith("#")
    )


def test_it_writes_at_once_and_keeps_mode_mark_and_link(tmp_path: Path) -> None:
    target, link = tmp_path / "d.yaml", tmp_path / "link.yaml"
    target.write_bytes("\ufeff".encode() + BEFORE.encode())
    target.chmod(0o640)
    link.symlink_to(target)
    assert run_fix([link], lambda _: None, write=True)
    assert link.is_symlink()
    assert target.read_bytes() == "\ufeff".encode() + AFTER.encode()
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.yaml", "link.yaml"]
    assert not run_fix([link], lambda _: None, write=True)


def test_the_difference_is_shown_and_nothing_written(tmp_path: Path) -> None:
    path = tmp_path / "d.yaml"
    path.write_text(BEFORE, encoding="utf-8")
    shown: list[str] = []
    assert run_fix([path], shown.append, write=False)
    assert path.read_text(encoding="utf-8") == BEFORE
    lines = "".join(shown).splitlines()
    assert "-    ask: No     # really" in lines
    assert "+    ask: 'No'     # really" in lines


def test_a_file_that_changed_meanwhile_is_left(tmp_path: Path) -> None:
    path = tmp_path / "d.yaml"
    path.write_text("new")
    with pytest.raises(OSError):
        rewrite(path, Source("old"), "mended")
    assert path.read_text() == "new"


def test_what_can_not_be_written_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "d.yaml"
    path.write_text(BEFORE, encoding="utf-8")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match="No space left"):
        run_fix([path], lambda _: None, write=True)
    assert path.read_text(encoding="utf-8") == BEFORE
    assert [each.name for each in tmp_path.iterdir()] == ["d.yaml"]


def test_missing_files_are_left_to_lint(tmp_path: Path) -> None:
    assert not run_fix([tmp_path / "no.yaml", tmp_path], lambda _: None, write=True)
