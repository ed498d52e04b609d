"""What is read, what is refused, and where."""

from __future__ import annotations

import time
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from verify.claims import ClaimError, Reference, names, parse_claim, parse_expression, render
from verify.claims.tree import Binary, Claim, Name, Negate, Number, Power, Within, WithinPercent
from verify.units import BYTE, ONE, SECOND


@pytest.mark.parametrize(
    "text",
    [
        "wire_sent == 2*(ranks-1)/ranks*gradient ± 1%",
        "wire_sent==2*(ranks-1)/ranks*gradient+/-1%",
        "parameters_held == parameters_total",
        "doubled.wire_sent[0] == 2*base.wire_sent[0] ± 0.5%",
        "wire_matrix[0, ranks-1] >= 0",
        "held == min(microbatches, stages-rank)",
        "x == y ± 1% of gradient",
        "x != y ± 2 KiB",
        "gradient_difference <= 1e-12",
        "result == 4MiB",
        "t < 50 ms",
        "log2(ranks) == 2",
        "x == -y**2",
        "x == 2**-3",
    ],
)
def test_reads_and_writes_back(text: str) -> None:
    claim = parse_claim(text)
    assert parse_claim(render(claim)) == claim


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", ""),
        ("x", ""),
        ("x ==", ""),
        ("x = 2", "="),
        ("x == 2 3", "3"),
        ("x == y == z", "=="),
        ("a.b.c == 1", "."),
        ("f(x).y == 1", "f"),
        ("max(x).y == 1", "."),
        ("(a).b == 1", "."),
        ("max(x)[0] == 1", "["),
        ("rank[0] == 1", "["),
        ("x[0][1] == 1", "["),
        ("x[0,1,2] == 1", ","),
        ("base.rank == 1", "rank"),
        ("__import__('x') == 1", "_"),
        ("x == 'y'", "'"),
        ("foo(1) == 1", "foo"),
        ("max == 1", "max"),
        ("sum(x, y) == 1", ","),
        ("max() == 1", ")"),
        ("x == 9**9**9", "**"),
        ("x == 9**17", "17"),
        ("x == 9**y", "y"),
        ("x == 9**0.5", "0.5"),
        ("x == 2**(1+1)", "("),
        ("x == 1e19", "1e19"),
        ("x == 1e-31", "1e-31"),
        ("x == 1e-999999999", "1e-999999999"),
        ("x == 1000000000 GiB", "1000000000"),
        ("x == 1.000000000000000000000000000000000000000001", None),
        ("x == 4 miles", "miles"),
        ("x == ４", "４"),
        ("x == 4　MiB", "　"),
        ("ｘ == 4", "ｘ"),
        ("x ≤ 4", "≤"),
        ("x == 2 × y", "×"),
        ("x == y − 1", "−"),
        ("x == 50%", "%"),
        ("x < y ± 1%", "±"),
        ("x == y ± 0%", "0"),
        ("x == y ± 0", "0"),
        ("x == y ± 2 KiB%", "2 KiB"),
        ("x == y ± (1+1)%", None),
        ("x == y ± 1% of", ""),
        ("x == (y", ""),
        ("x == y)", ")"),
        ("x == \x07", "\x07"),
        ("x == .5", "."),
    ],
)
def test_refused_in_place(text: str, fault: str | None) -> None:
    with pytest.raises(ClaimError) as caught:
        parse_claim(text)
    error = caught.value
    assert 0 <= error.start <= error.end <= len(text)
    if fault is not None:
        assert text[error.start : error.end] == fault
    for message in (error.message, error.hint):
        assert message is None or (message.ja and message.en)
    assert "\x07" not in error.render("en") + error.render("ja")


@pytest.mark.parametrize(
    "text",
    [
        "+".join(["1"] * 10_000) + " == 1",
        "(" * 240 + "x" + ")" * 240 + " == 1",
        "-" * 400 + "x == 1",
        "x == " + "+".join(["1"] * 200),
        "x == " + "abs(" * 90 + "1" + ")" * 90,
        "x == " + "9" * 490,
    ],
)
def test_too_much_is_refused_at_once(text: str) -> None:
    started = time.perf_counter()
    with pytest.raises(ClaimError):
        parse_claim(text)
    assert time.perf_counter() - started < 1


def test_tree_and_positions() -> None:
    text = "a + 2 KiB*b == -c**2 ± 1.5% of d"
    claim = parse_claim(text)
    size = Number(Fraction(2048), BYTE)
    assert claim == Claim(
        Binary("+", Name(None, "a"), Binary("*", size, Name(None, "b"))),
        "==",
        Negate(Power(Name(None, "c"), 2)),
        WithinPercent(Fraction(3, 2), Name(None, "d")),
    )
    assert isinstance(claim.left, Binary)
    assert text[claim.left.right.start : claim.left.right.end] == "2 KiB*b"
    assert text[claim.right.start : claim.right.end] == "-c**2"
    assert claim.tolerance is not None
    assert text[claim.tolerance.start : claim.tolerance.end] == "± 1.5% of d"


def test_literals_are_exact() -> None:
    assert parse_expression("1e-12") == Number(Fraction(1, 10**12), ONE)
    assert parse_expression("0.1") == Number(Fraction(1, 10), ONE)
    assert parse_expression("50 ms") == Number(Fraction(1, 20), SECOND)
    assert parse_expression("4 MB") == Number(Fraction(4_000_000), BYTE)
    assert parse_claim("x == y ± 2 KiB").tolerance == Within(Number(Fraction(2048), BYTE))


@pytest.mark.parametrize(
    ("text", "tree"),
    [("a-b-c", "a-b-c"), ("a-(b-c)", "a-(b-c)"), ("a/(b*c)", "a/(b*c)"), ("(a*b)+c", "a*b+c")],
)
def test_only_needed_brackets_remain(text: str, tree: str) -> None:
    assert render(parse_expression(text)) == tree


def test_names_leave_rank_out() -> None:
    claim = parse_claim("base.x[ranks-1] == rank*y ± 1% of z")
    expected = {Reference("base", "x"), *(Reference(None, n) for n in ("ranks", "y", "z"))}
    assert names(claim) == expected


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_parsing_what_was_written_gives_the_same_tree(
    claims: st.SearchStrategy[Claim], data: st.DataObject
) -> None:
    claim = data.draw(claims)
    assert parse_claim(render(claim)) == claim


@settings(deadline=None)
@given(st.text(max_size=60) | st.text("ab12 .+-*/()[],%±=<>e", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(ClaimError):
        parse_claim(text)
