r"""Deck text as HTML. What the converter would pass on as it stands is what these tests try."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.report.latex import inline, paragraphs

HARMLESS = {
    "p", "var", "code", "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "msup", "msub",
    "msubsup", "mover", "munder", "munderover", "mfrac", "msqrt", "mroot", "mtable", "mtr", "mtd",
    "mstyle", "mpadded", "mphantom",
}  # fmt: skip


class Tags(HTMLParser):
    def __init__(self, source: str) -> None:
        super().__init__()
        self.found: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.text = ""
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, attrs))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_formulas_are_set_and_text_is_escaped() -> None:
    made = inline(r"a < b, $\frac{1}{N}$, 5 \$")
    assert made.startswith("a &lt; b, <math")
    assert "<mfrac><mrow><mn>1</mn></mrow><mrow><mi>N</mi></mrow></mfrac>" in made
    assert made.endswith(", 5 $")


def test_variables_stand_out_but_not_inside_formulas() -> None:
    made = inline("{ranks} and {other} and $x_{ranks}$", frozenset({"ranks"}))
    assert made.startswith("<var>ranks</var> and {other} and <math")
    assert made.count("<var>") == 1


def test_lines_are_paragraphs() -> None:
    assert paragraphs("one\n\n<two>") == "<p>one</p><p>&lt;two&gt;</p>"


@pytest.mark.parametrize(
    "source",
    [
        r"$\frac{$",  # incomplete
        r"$\text{<img src=x onerror=alert(1)>}$",
        r"$\nosuchcommand{x}$",
        "$" + "x+" * 2000 + "x$",  # too long to be a formula
        "$" + "{" * 900 + "}" * 900 + "$",
    ],
)
def test_what_is_no_formula_is_shown_as_text(source: str) -> None:
    tags = Tags(inline(source))
    assert {tag for tag, _ in tags.found} <= HARMLESS
    if tags.found[0][0] == "code":
        assert tags.text == source


@pytest.mark.parametrize(
    "formula",
    [
        r"\text{<script>alert(1)</script>}",
        r"\text{</math><script>alert(1)</script>}",
        r"\text{&lt;script&gt;}",
        r"\href{javascript:alert(1)}{x}",
        r"\style{color:red}{x}",
        r"\class{a}{x}",
        r"\color{url(//x)}{x}",
        r"<script>alert(1)</script>",
    ],
)
def test_formulas_bring_no_markup_of_their_own(formula: str) -> None:
    tags = Tags(inline(f"${formula}$"))
    assert {tag for tag, _ in tags.found} <= HARMLESS
    allowed = {"display", "stretchy", "form", "fence", "mathvariant", "accent", "linethickness"}
    assert {name for _, attributes in tags.found for name, _ in attributes} <= allowed


@given(st.text(alphabet="$\\{}<>&\"'/abc _^&#x;|\n\u202e", max_size=60))
def test_no_text_escapes(text: str) -> None:
    for made in (inline(text), inline(f"${text}$")):
        assert {tag for tag, _ in Tags(made).found} <= HARMLESS
        assert "\u202e" not in made
