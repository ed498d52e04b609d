"""Lines of a terminal: their width in cells, and where they break."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from verify.report.columns import cells, cut, fold, pad, wrap

LINES = st.text(st.sampled_from("ab é。「」、あアー(%) $\u0301"), max_size=80)


@given(LINES)
def test_a_character_of_japanese_takes_two_cells_and_a_combining_one_none(text: str) -> None:
    wide = sum(character in "。「」、あアー" for character in text)
    assert cells(text) == len(text) + wide - text.count("\u0301")


@given(LINES, st.integers(2, 40), st.integers(2, 40))
def test_pieces_fit_and_lose_only_blanks(text: str, room: int, first: int) -> None:
    pieces = list(fold(text, room, first))
    assert all(cells(piece) <= (room if n else first) for n, piece in enumerate(pieces))
    assert "".join(pieces).replace(" ", "") == text.replace(" ", "")


def test_ascii_breaks_between_words_as_other_text_does() -> None:
    # By hand: "one two " is 7 cells without its last blank.
    assert list(fold("one two three", 7)) == ["one two", "three"]
    assert list(fold("one two thrée", 7)) == ["one two", "thrée"]
    assert list(fold("  deep", 4)) == ["", "deep"]
    assert list(fold("", 4)) == [""]


def test_a_word_of_a_million_characters_takes_time_in_proportion() -> None:
    """Ten times as long: about ten times the time; cut from the rest each time, a hundred times."""

    def seconds(length: int) -> float:
        began = time.process_time()
        assert len(list(fold("x" * length, 70))) == -(-length // 70)
        return time.process_time() - began

    assert min(seconds(1_000_000) for _ in range(2)) < 40 * min(seconds(100_000) for _ in range(3))


def test_the_basic_rules_of_japanese_lines() -> None:
    # JIS X 4051: neither a closing sign begins a line nor an opening one ends it.
    assert list(fold("勾配を送る。", 10)) == ["勾配を送", "る。"]
    assert list(fold("これは「勾配」", 8)) == ["これは", "「勾配」"]


def test_a_sign_stays_with_its_number() -> None:
    assert list(fold("within 1 %, on", 9)) == ["within", "1 %, on"]
    assert list(fold("誤差 1 % 以内", 7)) == ["誤差", "1 % 以", "内"]


def test_later_lines_hang_under_the_first_and_breaks_stay() -> None:
    assert wrap("one two\nthree", 8, indent="* ") == ["* one", "  two", "  three"]
    assert wrap("a b", 3, indent="- ", hanging="") == ["- a", "b"]


def test_cutting_and_filling_count_cells() -> None:
    assert cut("勾配の和", 6) == "勾配…"
    assert cells(pad("勾配", 6)) == 6
    assert pad("7", 3, right=True) == "  7"
