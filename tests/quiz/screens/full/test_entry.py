"""The line in which a number is typed, and what is said about it."""

import pytest

from quiz.numbers import LONGEST, answer_for, parse_number
from quiz.screens.full.entry import Entry
from quiz.screens.full.reading import reading
from verify.api import BYTE, ONE


@pytest.mark.parametrize(
    ("keys", "text", "cursor"),
    [
        ("6MiB", "6MiB", 4),
        (["6", "M", "left", "7", "right", "B"], "67MB", 4),
        ([*"12", "home", "delete", "end", "3"], "23", 2),
        ([*"12", "left", "backspace"], "2", 0),
        (["backspace", "left", "delete"], "", 0),
        ([*"6.0 MiB", "ctrl+w"], "6.0 ", 4),
        ([*"12", "left", "ctrl+k"], "1", 1),
        ([*"12", "left", "ctrl+u"], "2", 0),
    ],
)
def test_keys_edit(keys, text, cursor):
    entry = Entry()
    for key in keys:
        entry = entry.press(key) or entry.insert(key)
    assert (entry.text, entry.cursor) == (text, cursor)


def test_what_is_pasted_is_one_clean_line_of_bounded_length():
    entry = Entry().insert("6\n\x1b[31mMiB" + "9" * 500)
    assert entry.text.startswith("6 [31mMiB9")
    assert len(entry.text) == LONGEST
    assert entry.insert("1") == entry


@pytest.mark.parametrize(
    ("text", "unit", "told"),
    [
        ("6 MiB", BYTE, "6 MiB = 6,291,456 B"),
        ("6MB", BYTE, "6 MB = 6,000,000 B"),
        ("６　ＭｉＢ", BYTE, "6 MiB = 6,291,456 B"),
        ("6 291 456 B", BYTE, "6,291,456 B"),
        ("6.0 × 2^20 B", BYTE, "6.0 × 2^20 B = 6,291,456 B"),
        ("6e6 B", BYTE, "6e6 B = 6,000,000 B"),
        ("1/3 MiB", BYTE, "1/3 MiB ≈ 349,525 B"),
        ("3/11", ONE, "3/11 ≈ 0.272727"),
        ("27.3%", ONE, "27.3 % = 0.273"),
        ("12", ONE, "12"),
    ],
)
def test_a_number_is_read_back(text, unit, told):
    assert reading(text, parse_number(text), answer_for(unit, text)).pick("en") == told


def test_what_is_missing_is_said():
    told = reading("6", parse_number("6"), answer_for(BYTE, "6")).pick("ja")
    assert told.startswith("6   単位も付けてください")
