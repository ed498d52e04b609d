"""Errors as they are told."""

from __future__ import annotations

from verify.errors import UnknownName
from verify.text import Text, verbatim


def test_a_message_and_its_hint_are_two_lines() -> None:
    error = UnknownName(Text(ja="実験 x はありません。", en="There is no x."), verbatim("a, b"))
    assert error.render("ja") == "実験 x はありません。\n  a, b"
    assert error.render("en") == "There is no x.\n  a, b"


def test_what_was_typed_is_shown_and_steers_no_terminal() -> None:
    hostile = verbatim("\x1b[2J \u202e \x9b1m \x07")
    shown = UnknownName(hostile, hostile).render("en")
    assert shown.split("\n") == [
        r"\x1b[2J \u202e \x9b1m \x07",
        r"  \x1b[2J \u202e \x9b1m \x07",
    ]
