"""Text with one record a line. Right values by hand; quotes as in RFC 4180."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.exchange.delimited import read, records
from verify.api import UsageError


def sides(text: str) -> list[tuple[str, str]]:
    return [(card.ask, card.answer) for card in read(text, "words.csv").cards]


def bad(text: str) -> list[tuple[int, str]]:
    return [(line.line, line.message.pick("en")) for line in read(text, "words.csv").bad]


@pytest.mark.parametrize("separator", [",", "\t", ";", "|"])
def test_the_separator_is_guessed(separator):
    text = f"one{separator}1\ntwo{separator}2\n"
    assert sides(text) == [("one", "1"), ("two", "2")]


def test_the_most_alike_separator_wins():
    assert sides("a; b, c\nd; e\nf; g\n") == [("a", "b, c"), ("d", "e"), ("f", "g")]


def test_quotes_hold_separators_quotes_and_lines():
    assert sides('"a,b","say ""x"""\n"two\nlines",c\n') == [
        ("a,b", 'say "x"'),
        ("two\nlines", "c"),
    ]


def test_a_bad_line_is_named_and_shifts_nothing():
    text = "a,1\nb,2,3\n,4\nc,5\n\nd\na,1\ne,6\n"
    assert sides(text) == [("a", "1"), ("c", "5"), ("e", "6")]
    assert bad(text) == [
        (2, "3 fields, where others have 2"),
        (3, "the question or the answer is empty"),
        (6, "1 fields, where others have 2"),
        (7, "line 1 has the same question"),
    ]


def test_an_open_quote_costs_its_own_line_only():
    text = 'a,1\n"b,2\nc,3\nd,4\n'
    assert sides(text) == [("a", "1"), ("c", "3"), ("d", "4")]
    assert bad(text) == [(2, "a quote is left open")]


def test_what_follows_a_closing_quote_is_named():
    text = 'a,1\n"b"x,2\nc,3\n'
    assert bad(text) == [(2, "something follows a closing quote")]
    assert sides(text) == [("a", "1"), ("c", "3")]


def test_headings_name_the_columns():
    text = "answer,topic,question\n1,numbers,one\n2,,two\n"
    (one, two) = read(text, "words.csv").cards
    assert (one.ask, one.answer, one.topic) == ("one", "1", "numbers")
    assert two.topic is None


def test_ankis_headers_are_obeyed():
    text = (
        "#separator:Semicolon\n#html:true\n#deck:Words\n#guid column:1\n#tags column:4\n"
        'g1;"a &lt; b";<b>x</b>;t1 t2\n# a comment\ng2;c;\\(y\\);\n'
    )
    one, two = read(text, "words.txt").cards
    assert (one.ask, one.answer, one.group) == ("a < b", "x", "Words")
    assert two.answer == "$y$"
    again = read(text.replace("a &lt; b", "edited"), "words.txt").cards
    assert [card.id for card in again] == [one.id, two.id]


def test_without_html_a_tag_is_text():
    assert sides("<b>,x < y\nc,d") == [("<b>", "x < y"), ("c", "d")]


@pytest.mark.parametrize("text", ["", "\n\n", "one word\n", "#separator:Tab\n", ",,\n,,\n"])
def test_nothing_to_take(text):
    with pytest.raises(UsageError, match="nothing was imported"):
        read(text, "words.csv")


FIELD = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=20)


@settings(deadline=None)
@given(st.lists(st.lists(FIELD, min_size=2, max_size=4), min_size=1, max_size=8))
def test_it_reads_what_python_writes(rows):
    """The csv module is the peer: whatever it writes comes back, but for lines left out on
    purpose (empty ones and comments)."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    found = list(records(out.getvalue(), ","))
    assert [list(record.fields) for record in found] == rows
    assert not any(record.bad for record in found)


@settings(deadline=None)
@given(st.text(alphabet='ab,"\n;\t#:', max_size=80))
def test_any_text_is_read_or_refused(text):
    try:
        found = read(text, "words.csv")
    except UsageError:
        return
    assert found.cards
