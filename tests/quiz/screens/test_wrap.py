"""Lines in columns. Widths follow Unicode's East Asian Width (UAX 11): kanji and kana take two."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from quiz.screens.mathematics import readable
from quiz.screens.wrap import clean, columns, named, spread, wrap
from verify.api import cells

TEXT = st.text(alphabet="ab 勾配、。「」（）all-reduce 2N−1é\u0301\n", max_size=200)


@given(TEXT, st.integers(12, 60))
def test_no_line_is_wider_than_asked_and_nothing_is_lost(text, width):
    lines = wrap(text, width)
    assert all(cells(line) <= width for line in lines)
    joined = "".join(lines)
    assert [c for c in joined if not c.isspace()] == [c for c in text if not c.isspace()]


def test_japanese_breaks_anywhere_but_before_a_full_stop():
    assert wrap("勾配を集約する。", 15, first="") == ["勾配を集約す", "る。"]


def test_a_word_stays_whole_and_a_path_is_cut():
    assert wrap("one two three", 9, first="") == ["one two", "three"]
    assert wrap("x" * 12, 10, first="") == ["x" * 10, "xx"]


def test_following_lines_hang_under_the_first():
    assert wrap("one two three", 12, first="  a  ") == ["  a  one two", "     three"]


def test_spread_and_columns_give_way_when_it_is_narrow():
    assert spread("データ並列", "3 / 12", 30) == [" データ並列" + " " * 12 + "3 / 12"]
    assert len(spread("データ並列", "3 / 12", 14)) == 2
    assert columns(["a answer", "q quit"], 40) == [" a answer   q quit"]
    assert columns(["a answer", "q quit"], 14) == [" a answer", " q quit"]


def test_controls_and_turning_marks_never_reach_the_terminal():
    assert clean("a\x1b[31mb\u202ec\x07\x9bd\n") == "a[31mbcd\n"


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        (r"$2(N-1)/N \times \Psi$", "2(N-1)/N × Ψ"),
        (r"$\frac{p-1}{m+p-1}$", "(p-1)/(m+p-1)"),
        (r"$\nabla L$ と $\eta$", "∇L と η"),
        (r"$x^{2}$", "x²"),
        (r"$\sqrt{N}$", "√N"),
        (r"$\begin{pmatrix}1&2\end{pmatrix}$", r"$\begin{pmatrix}1&2\end{pmatrix}$"),
        ("costs $5", "costs $5"),
    ],
)
def test_mathematics_is_made_readable_only_where_nothing_is_lost(source, plain):
    assert readable(source) == plain


def test_names_stand_above_their_figures_where_they_would_be_cut_beside_them():
    rows = [["deck", "right"], ["パイプラインのスケジュール", "1 / 2"], ["all", "11 / 12"]]
    assert named(rows, 40) == [
        " deck                          right",
        " パイプラインのスケジュール    1 / 2",
        " all                         11 / 12",
    ]
    assert named([["", *row[1:]] if row[0] == "deck" else row for row in rows], 30) == [
        "    right",
        " パイプラインのスケジュール",
        "    1 / 2",
        " all",
        "  11 / 12",
    ]
