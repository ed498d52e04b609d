"""Claims as MathML."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.claims import Claim, parse_claim, parse_expression
from verify.claims.mathml import formula_mathml


def inside(text: str) -> str:
    made = formula_mathml(parse_expression(text))
    return made.removeprefix("<math><mrow>").removesuffix("</mrow></math>")


def test_a_quotient_is_a_fraction_and_needs_no_bracket() -> None:
    assert inside("2*(ranks-1)/ranks") == (
        "<mfrac><mrow><mn>2</mn><mo>·</mo><mrow><mo>(</mo><mi>ranks</mi><mo>−</mo><mn>1</mn>"
        "<mo>)</mo></mrow></mrow><mi>ranks</mi></mfrac>"
    )
    assert "(" not in inside("a*(b/c)")
    assert "(" in inside("(b/c)**2")
    assert "(" in inside("a-(b-c)")


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("base.sent", "<msub><mi>sent</mi><mtext>base</mtext></msub>"),
        ("4 MiB", "<mn>4</mn><mtext>\u00a0MiB</mtext>"),
        ("1e-12", "<msup><mn>10</mn><mn>−12</mn></msup>"),
        ("x**3", "<msup><mi>x</mi><mn>3</mn></msup>"),
        ("ceil(x)", "<mrow><mo>⌈</mo><mi>x</mi><mo>⌉</mo></mrow>"),
        ("sqrt(x)", "<msqrt><mi>x</mi></msqrt>"),
        (
            "max(x)",
            "<mrow><msub><mi>max</mi><mtext>rank</mtext></msub>"
            "<mrow><mo>(</mo><mi>x</mi><mo>)</mo></mrow></mrow>",
        ),
        (
            "max(x, y)",
            "<mrow><mi>max</mi><mrow><mo>(</mo><mi>x</mi><mo>,</mo><mi>y</mi><mo>)</mo></mrow></mrow>",
        ),
        (
            "m[0, 1]",
            "<mrow><mi>m</mi><mrow><mo>[</mo><mn>0</mn><mo>,</mo><mn>1</mn><mo>]</mo></mrow></mrow>",
        ),
    ],
)
def test_notation(text: str, made: str) -> None:
    assert inside(text) == made


def test_a_claim_says_how_it_compares_and_how_closely() -> None:
    assert formula_mathml(parse_claim("x <= 2")).endswith("<mo>≤</mo><mn>2</mn></mrow></math>")
    close = "<mo>±</mo><mn>1</mn><mtext>\u00a0%</mtext></mrow></math>"
    assert formula_mathml(parse_claim("x == y ± 1%")).endswith(close)
    assert "<mo>&lt;</mo>" in formula_mathml(parse_claim("x < 2"))


@given(st.data())
def test_every_claim_is_well_formed(claims: st.SearchStrategy[Claim], data: st.DataObject) -> None:
    ElementTree.fromstring(formula_mathml(data.draw(claims)))
