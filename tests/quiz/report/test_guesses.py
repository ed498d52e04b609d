"""A class's guesses about a card."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from quiz.deck.card import Card
from quiz.deck.load import parse
from quiz.report.guesses import ask, beside, letters_in
from quiz.screens.lines import Page
from verify.api import cells

DECK = """
deck: sample
title: {ja: 見本, en: Sample}
cards:
  - id: say
    kind: recall
    ask: {ja: 何を送るか, en: What is sent?}
    answer: {ja: 勾配, en: The gradient}
  - id: which
    kind: trap
    ask: {ja: どれか, en: Which?}
    choices:
      - {text: {ja: 半分, en: half}, claim: wire_sent == payload/2 ± 1%, belief: half,
         why: {ja: 違う, en: not so}}
      - {text: {ja: 一倍半, en: one and a half}, claim: wire_sent == 3/2*payload ± 1%}
    proof: {experiment: all-reduce-bytes, with: {ranks: 4, payload: 4 MiB}}
  - id: how-much
    kind: compute
    ask: {ja: '{ranks} 台で {payload}', en: '{payload} on {ranks} ranks'}
    vary: {ranks: [4], payload: [4 MiB]}
    result: 2*(ranks-1)/ranks*payload
    lures: [{result: payload, belief: once, why: {ja: 違う, en: not so}}]
    proof: {experiment: all-reduce-bytes, truth: [wire_sent == result ± 1%]}
"""


@pytest.fixture
def cards() -> dict[str, Card]:
    loaded = parse(DECK.encode(), Path("sample.yaml"))
    assert loaded.problems == ()
    assert loaded.deck is not None
    return {card.id: card for card in loaded.deck.cards}


@pytest.fixture
def page() -> Page:
    return Page("en", 40, {})


def class_room(card: Card, page: Page, lines: list[str], *, again: bool = False) -> tuple[str, str]:
    """What was said aside, and what stands below the result."""
    typed: Iterator[str] = iter(lines)
    said: list[str] = []
    guessed = ask(card, page, lambda: next(typed, None), said.append, again=again)
    shown = beside(guessed, page)
    assert max(map(cells, [*"".join(said).split("\n"), *shown])) <= page.width
    return "".join(said), "\n".join(shown)


@pytest.mark.parametrize(
    ("line", "voices"),
    [("a a b", "aab"), ("aab", "aab"), ("A、a，Ｂ", "aab"), ("", ""), ("  ", "")],
)
def test_letters_however_they_are_called(line: str, voices: str) -> None:
    assert letters_in(line, 2) == tuple(voices)


@pytest.mark.parametrize("line", ["a c", "a1", "half", "?", "\x1b"])
def test_other_letters_are_not_counted(line: str) -> None:
    assert letters_in(line, 2) is None


def test_a_vote_is_counted_and_the_truth_marked(cards: dict[str, Card], page: Page) -> None:
    said, shown = class_room(cards["which"], page, ["a a b"])
    truth = next(line for line in said.splitlines() if "one and a half" in line).split()[0]
    rows = {line.split()[0]: line for line in shown.splitlines() if line.startswith("   ")}
    assert "██ 2" in rows["a"]
    assert "█ 1" in rows["b"]
    assert [letter for letter, row in rows.items() if row.endswith("right")] == [truth]


def test_an_unclear_vote_is_asked_again_at_a_keyboard(cards: dict[str, Card], page: Page) -> None:
    said, shown = class_room(cards["which"], page, ["half", "b"], again=True)
    assert "Use the letters a–b." in said
    assert "█ 1" in shown
    _, shown = class_room(cards["which"], page, ["half", "b"])
    assert "no guess" in shown


def test_a_computation_takes_numbers(cards: dict[str, Card], page: Page) -> None:
    """2·3/4·4 MiB = 6 MiB."""
    said, shown = class_room(cards["how-much"], page, ["6 MiB, 4 MiB"])
    assert "4 MiB on 4 ranks" in said
    assert "6 MiB (=)   4 MiB (-33%)" in shown
    assert "6.00 MiB" in shown


def test_what_was_said_aloud_stands_beside_the_answer(cards: dict[str, Card], page: Page) -> None:
    _, shown = class_room(cards["say"], page, ["the activations \x1b[31m"])
    assert "the activations \\x1b[31m" in shown
    assert "The gradient" in shown


def test_the_end_of_the_input_is_no_guess(cards: dict[str, Card], page: Page) -> None:
    for card in cards.values():
        _, shown = class_room(card, page, [])
        assert "no guess" in shown
