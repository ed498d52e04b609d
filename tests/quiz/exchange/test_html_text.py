"""HTML to deck text; the right values are what a browser shows."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.deck.fill import MATHEMATICS
from quiz.deck.problem import CONTROL
from quiz.exchange.html_text import Seen, deck_text, plain_text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"),
        ("x<y and y>z", "x<y and y>z"),
        ("if a < b: 3 <5", "if a < b: 3 <5"),
        ("x<", "x<"),
        ("one<div>two</div><div><br></div>three", "one\ntwo\n\nthree"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<ul><li>one</li><li>two</li></ul>", "- one\n- two"),
        ("<ol><li>one<li>two</ol>", "1. one\n2. two"),
        ("<table><tr><th>a<th>b<tr><td>1<td>2</table>", "a | b\n1 | 2"),
        ("A<sub>1</sub> B<sup>i,j</sup>", "A_1 B^{i,j}"),
        ("<script>alert(1)</script>x<style>b{}</style>", "x"),
        ("<b>bold</b> <i style='x'>text</i>", "bold text"),
        ("a &nbsp; b\n c", "a b c"),
        ("<pre>a\n  b</pre>", "a\n  b"),
        ("cost $5 and $6", r"cost \$5 and \$6"),
        (r"\(a &lt; b\)", "$a < b$"),
        (r"\[a<br>b\]", "$$a b$$"),
        ("[$]a<b>b</b>[/$]", "$ab$"),
        ("[$$]x[/$$]", "$$x$$"),
        ("[latex]$x$ is[/latex]", "$x$ is"),
        (r"[latex]\begin{displaymath}x^2\end{displaymath}[/latex]", "$$x^2$$"),
        (r"[latex]\alpha[/latex]", r"$\alpha$"),
        ("[latex]plain[/latex]", "plain"),
        ("[$]open", r"[\$]open"),
        (r"\(\)", ""),
        ("[sound:a.mp3]", "[sound: a.mp3]"),
        ('<img src="a.png">', "[image: a.png]"),
        ("<!-- hidden -->shown", "shown"),
        ("&#0;\x1b[31mred", "\ufffd[U+001B][31mred"),
        ("a\u202eb\u2066c", "a[U+202E]b[U+2066]c"),
    ],
)
def test_text(html, text):
    assert deck_text(html, Seen()) == text


def test_what_is_missing_is_counted():
    seen = Seen()
    deck_text("<img src=a><img src=b>[sound:c]\u202e", seen)
    assert (seen.pictures, seen.sounds, seen.steering) == (2, 1, 1)


def test_dollars_are_mathematics_in_plain_text_only():
    assert plain_text("$x$ < 5", Seen(), dollars=True) == "$x$ < 5"
    assert plain_text("$x$ < 5", Seen()) == r"\$x\$ < 5"


@settings(deadline=None)
@given(st.text())
def test_nothing_steers_and_nothing_fails(html):
    assert not CONTROL.search(deck_text(html, Seen()))


@settings(deadline=None)
@given(st.text(alphabet="ab<>&$\\()[]/latex;", max_size=60))
def test_what_is_no_formula_stays_none(html):
    """No `$` of the source becomes mathematics without a delimiter of Anki around it."""
    text = deck_text(html, Seen())
    if not any(sign in html for sign in ("\\(", "\\[", "[$", "[latex]")) and "&" not in html:
        assert not MATHEMATICS.search(text)


@pytest.mark.parametrize(
    "piece",
    [
        "<",
        "\\(",
        "[latex]",
        "<sub>",
        "<!--",
        "<![CDATA[",
        "<a ",
        "<a '",
        "&#",
        '<a "<a" ',
        "<a '\"<a' \"",
        "<img src=",
        "$",
        "<li>",
    ],
)
def test_a_hostile_field_takes_no_time(piece):
    began = time.process_time()
    deck_text(piece * (50_000 // len(piece)), Seen())
    assert time.process_time() - began < 1.5
