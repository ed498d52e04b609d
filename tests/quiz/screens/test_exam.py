"""The mock exam on the plain screen, with a clock of its own."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from quiz.deck.card import Card, Choice, Kind, Statement
from quiz.exam.paper import question
from quiz.screens.exam import ExamScreen
from quiz.screens.lines import Page
from verify.api import Text

START = datetime(2026, 10, 1, 9, tzinfo=UTC)


def card(name: str) -> Card:
    lures = (Choice(Text(en=f"lure {n}"), Statement("x > 0"), f"lure-{n}") for n in range(3))
    choices = (Choice(Text(en="the truth"), Statement("x == 0")), *lures)
    return Card("deck", name, Kind.TRAP, Text(en=f"{name}?"), choices=choices)


class Hall:
    """Each line is handed in a minute after the question."""

    def __init__(self) -> None:
        self.now, self.saved, self.shown = START, [], ""
        self.page = Page("en", 80, {"deck": Text(en="My deck")})

    def save(self, question, choice, typed, seconds) -> None:
        self.saved.append((question.card.id, choice.key, typed, seconds))

    def sit(self, *lines: str, minutes: float = 60) -> bool:
        given = iter(lines)

        def read() -> str | None:
            self.now += timedelta(minutes=1)
            return next(given, None)

        def write(text: str) -> None:
            self.shown += text

        screen = ExamScreen(self.page, self, read, write, lambda: self.now)
        left = [question(card(name), "s") for name in ("one", "two")]
        return screen.run(left, 2, START + timedelta(minutes=minutes))


@pytest.fixture
def hall() -> Hall:
    return Hall()


def test_answers_are_saved_one_by_one_and_nothing_is_told(hall) -> None:
    assert hall.sit("a", "Ｂ")
    assert [(name, typed, seconds) for name, _, typed, seconds in hall.saved] == [
        ("one", "a", 60.0), ("two", "b", 60.0),
    ]  # fmt: skip
    assert "1 / 2" in hall.shown
    assert "2 / 2" in hall.shown
    assert "right" not in hall.shown.lower()


def test_a_question_left_for_later_comes_last(hall) -> None:
    assert hall.sit("", "a", "b")
    assert [name for name, *_ in hall.saved] == ["two", "one"]


def test_an_answer_after_the_bell_does_not_count(hall) -> None:
    assert hall.sit("a", "b", minutes=1.5)
    assert [name for name, *_ in hall.saved] == ["one"]
    assert "Time is up" in hall.shown


def test_the_end_of_the_input_after_the_bell_ends_the_exam(hall) -> None:
    assert hall.sit("a", minutes=1.5)
    assert "Time is up.\n" in hall.shown
    assert "resumes it" not in hall.shown


@pytest.mark.parametrize(
    ("minutes", "left"), [(1.5, ["2 min left", "30 s left"]), (3, ["3 min left", "2 min left"])]
)
def test_the_last_minute_is_told_in_seconds(hall, minutes, left) -> None:
    hall.sit("a", "b", minutes=minutes)
    assert re.findall(r"\d+ (?:min|s) left", hall.shown) == left


@pytest.mark.parametrize(
    ("language", "keys"),
    [
        ("ja", " a–d 答える   Enter あとで答える\n q 提出する   残り 60 分\n"),
        ("en", " a–d answer   Enter leave it for later\n q hand in   60 min left\n"),
    ],
)
def test_a_narrow_screen_breaks_between_keys(hall, language, keys) -> None:
    hall.page = Page(language, 40, {"deck": Text(en="My deck")})
    hall.sit("a", "b")
    assert keys in hall.shown


def test_the_end_of_the_input_leaves_the_exam_open(hall) -> None:
    assert not hall.sit("a")
    assert "the clock runs on" in hall.shown
    assert len(hall.saved) == 1


def test_handing_in_takes_two_keys_in_a_row(hall) -> None:
    assert hall.sit("q", "a", "q", "q")
    assert [name for name, *_ in hall.saved] == ["one"]
    assert hall.shown.count("Enter q once more") == 2


def test_other_lines_answer_nothing(hall) -> None:
    assert not hall.sit("e", "ab", "1", "\x00")
    assert hall.saved == []
    assert hall.shown.count("Answer with a–d.") == 4
