"""Markdown as hashcards has it; right values from its README and its parser's rules."""

import pytest

from quiz.exchange.hashcards import read
from quiz.exchange.reading import read as read_file
from verify.api import UsageError


def sides(text: str) -> list[tuple[str, str]]:
    return [(card.ask, card.answer) for card in read(text, "Ring.md").cards]


def bad(text: str) -> list[tuple[int, str]]:
    return [(line.line, line.message.pick("en")) for line in read(text, "Ring.md").bad]


def test_questions_answers_and_lines():
    text = "Q: List them.\nA:\n\n- one\n- two\n\nQ: $x < y$?\nA: yes\n---\n"
    assert sides(text) == [("List them.", "- one\n- two"), ("$x < y$?", "yes")]


def test_each_bracket_is_a_card_and_they_are_siblings():
    cards = read("C: The [order] of a\n[group].\n", "Ring.md").cards
    assert [(card.ask, card.answer) for card in cards] == [
        ("The […] of a\ngroup.", "order"),
        ("The order of a\n[…].", "group"),
    ]
    assert len({card.idea for card in cards}) == 1
    assert len({card.id for card in cards}) == 2


def test_brackets_of_text_pictures_and_formulas_stay():
    text = r"C: \[a\] ![b](c.png) $x[0]$ [d]"
    assert sides(text) == [("[a] [image: c.png] $x[0]$ […]", "d")]


def test_the_deck_may_be_named():
    named = read('---\nname = "My deck"\n---\n\nQ: a\nA: b\n', "Ring.md")
    assert named.cards[0].group == "My deck"
    assert read("Q: a\nA: b\n", "Ring.md").cards[0].group == "Ring"


def test_bad_parts_are_named_by_line_and_cost_no_other():
    text = "lost\nQ: a\nQ: b\nA: 1\nA: 2\nC: none\nQ: c\n---\nQ: d\nA: 3\nQ: end\n"
    assert sides(text) == [("b", "1"), ("d", "3")]
    assert bad(text) == [
        (1, "this belongs to no Q:, A: or C:"),
        (2, "a Q: without an A:"),
        (5, "an A: without a Q:"),
        (6, "a C: without [ ]"),
        (7, "a Q: without an A:"),
        (11, "a Q: without an A:"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "# Notes\n",
        "---\nQ: a\nA: b\n",
        "---\nname = \n---\nQ: a\nA: b",
        f"---\nname = {'9' * 5000}\n---\nQ: a\nA: b",
    ],
)
def test_refused(text):
    with pytest.raises(UsageError, match="nothing was imported"):
        read(text, "Ring.md")


def test_why_no_part_is_a_card():
    with pytest.raises(UsageError) as caught:
        read("Q: a\n", "Ring.md")
    assert "no part of it is a card (line 1: a Q: without an A:)" in caught.value.render("en")
    assert "1 行目: A: のない Q: です" in caught.value.render("ja")


def test_brackets_that_are_left_out_are_told():
    text = "C: " + "[a] " * 101
    assert len(sides(text)) == 100
    assert bad(text) == [(1, "more than 100 [ ]; the rest was left out")]


def test_it_is_told_by_its_content(tmp_path):
    path = tmp_path / "cards.txt"
    path.write_text("Q: a, b\nA: c, d\n")
    assert read_file(path, None).cards[0].ask == "a, b"
