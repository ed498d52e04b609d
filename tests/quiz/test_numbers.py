"""Numbers as people type them. MiB is 2**20 B by IEC 80000-13, MB is 10**6 B by the SI."""

from fractions import Fraction

import hypothesis.strategies as st
import pytest
from hypothesis import given

from quiz.numbers import (
    BYTES_WANTED,
    DECIMAL_COMMA,
    NOT_A_NUMBER,
    PLAIN_WANTED,
    SECONDS_WANTED,
    TOO_LONG,
    WHICH_PREFIX,
    Typed,
    Unclear,
    answer_for,
    parse_number,
)  # fmt: skip
from verify.api import BYTE, ONE, SECOND


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("6MiB", 6291456),
        ("6 MiB", 6291456),
        ("6 mib", 6291456),
        ("6,291,456 B", 6291456),
        ("6 291 456 bytes", 6291456),
        ("6.0 × 2^20 B", 6291456),
        ("6*2**20 B", 6291456),
        ("1.5 × 4 MiB", 6291456),
        ("6e6 B", 6000000),
        ("6×10⁶ B", 6000000),
        ("6 MB", 6000000),
        ("6.29 MB", 6290000),
        ("６　ＭｉＢ", 6291456),
        ("６．２９ＭＢ", 6290000),
        ("約 6 MiB", 6291456),
        ("6291456 バイト", 6291456),
        ("512 kB", 512000),
        ("512 KiB", 524288),
    ],
)
def test_sizes(text, value):
    assert answer_for(BYTE, text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", Fraction(12)),
        ("１２", Fraction(12)),
        ("3/11", Fraction(3, 11)),
        ("27.3%", Fraction(273, 1000)),
        ("２７．３％", Fraction(273, 1000)),
        (".5", Fraction(1, 2)),
        ("-3", Fraction(-3)),
        ("+3", Fraction(3)),
        ("＋3", Fraction(3)),
        ("0 x 3", Fraction(0)),
        ("−3", Fraction(-3)),
        ("4 台", Fraction(4)),
        ("1,024", Fraction(1024)),
    ],
)
def test_plain_numbers(text, value):
    assert answer_for(ONE, text) == value


@pytest.mark.parametrize(
    ("text", "value"), [("20 ms", Fraction(1, 50)), ("1.5 秒", Fraction(3, 2))]
)
def test_times(text, value):
    assert answer_for(SECOND, text) == value


@pytest.mark.parametrize(
    ("unit", "text", "reason"),
    [
        (BYTE, "6", BYTES_WANTED),
        (BYTE, "6 s", BYTES_WANTED),
        (BYTE, "6 291 456", BYTES_WANTED),
        (BYTE, "6 Mb", WHICH_PREFIX),
        (BYTE, "6M", WHICH_PREFIX),
        (BYTE, "6,29 MB", DECIMAL_COMMA),
        (BYTE, "9" * 10_000, TOO_LONG),
        (SECOND, "6", SECONDS_WANTED),
        (ONE, "6 MiB", PLAIN_WANTED),
        *((ONE, text, NOT_A_NUMBER) for text in ("", "six", "1/0", "1½", "⑥", "٣", "1 2", "--3")),
        *((ONE, text, NOT_A_NUMBER) for text in ("9e99", "10^99", "1e60^60", "0^-1", "nan", "inf")),
        *((ONE, text, NOT_A_NUMBER) for text in ("0x3", "0X1F", "+-3", "+")),
    ],
)
def test_what_is_asked_again(unit, text, reason):
    assert answer_for(unit, text) == reason


@given(st.text(max_size=120))
def test_any_text_is_a_number_or_asked_again(text):
    assert isinstance(parse_number(text), Typed | Unclear)


@given(st.text(alphabet="0123456789.,^*/x×eE+- %MiBkGsb", max_size=40))
def test_any_text_of_the_right_signs_too(text):
    assert isinstance(parse_number(text), Typed | Unclear)


@given(st.integers(0, 10**15), st.sampled_from(["", ",", " "]))
def test_a_whole_number_reads_back_however_it_is_grouped(number, separator):
    text = f"{number:,}".replace(",", separator)
    assert answer_for(ONE, text) == number
