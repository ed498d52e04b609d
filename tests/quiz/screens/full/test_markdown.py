"""Deck text as styled lines."""

from hypothesis import given
from hypothesis import strategies as st

from quiz.screens.full.markdown import render
from verify.api import cells


def styles(line):
    return [(line[span.start : span.end], str(span.style)) for span in line.content.spans]


def test_marks_become_styles():
    [line] = render("**all** of `wire_sent`, *each* ~~not~~", 60)
    assert line == " all of wire_sent, each not"
    assert styles(line) == [
        ("all", "bold"), ("wire_sent", "bold"), ("each", "italic"), ("not", "strike"),
    ]  # fmt: skip


def test_lists_code_and_quotes_keep_their_shape():
    source = "- one\n- two two two two\n\n```\nx = 1  # $x$\n```\n\n2. b\n3. c\n\n> said"
    assert [*render(source, 14)] == [
        " • one",
        " • two two two",
        "   two",
        "",
        " │ x = 1  #",
        " │ $x$",
        "",
        " 2. b",
        " 3. c",
        "",
        " │ said",
    ]


def test_products_and_names_are_no_emphasis():
    assert [*render("2*(ranks-1)/ranks*payload, 4*5*6, wire_sent_x", 80)] == [
        " 2*(ranks-1)/ranks*payload, 4*5*6, wire_sent_x"
    ]


def test_mathematics_is_safe_from_marks_and_code_from_mathematics():
    [line] = render(r"$a_b * c_d$ and **$\theta$** and `$x^2$`", 60)
    assert line == " a_b * c_d and θ and $x^2$"
    assert styles(line) == [("θ", "bold"), ("$x^2$", "bold")]


def test_what_could_act_is_shown_as_text():
    source = "[here](http://x/y) <b>no</b> ![i](j) &lt; <http://z> [red]r[/red] \x1b[1mq\ue000"
    [line] = render(source, 120)
    assert line == (
        " here (http://x/y) <b>no</b> !i (j) &lt; http://z (http://z) [red]r[/red] [1mq"
    )
    assert all("link" not in style and "@" not in style for _, style in styles(line))


def test_the_first_line_has_its_own_beginning():
    assert [*render("多くの 勾配を送る", 12, first=" a  ")] == [
        " a  多くの",
        "    勾配を送",
        "    る",
    ]
    assert [*render("", 12, first=" a  ")] == [" a"]


@given(st.text(alphabet="ab *_`~-#>1.[](!)$\\{}\n あ、。<&", max_size=60), st.integers(8, 40))
def test_no_text_raises_or_is_wider_than_its_page(source, width):
    for line in render(source, width):
        assert cells(line) <= max(width, 20)
        assert line.content.plain == line
