"""Mutants: which are made, which are the same claim in disguise, and which a run tells apart."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from verify.claims import Scope, mutants, needs_fault, parse_claim, render, survivors
from verify.quantities import per_rank, scalar
from verify.units import BYTE, MiB


def rights(text: str) -> list[str]:
    return [render(m.claim.right) for m in mutants(parse_claim(text))]


def test_mutants_of_the_ring() -> None:
    """Dropping the term 1 gives 2·S, as does dividing by ranks-1: it is counted once."""
    assert rights("wire_sent == 2*(ranks-1)/ranks*gradient ± 1%") == [
        "2*(2*(ranks-1)/ranks*gradient)",
        "2*(ranks-1)/ranks*gradient/2",
        "2*(ranks-1-1)/ranks*gradient",
        "2*(ranks-1)/(ranks-1)*gradient",
        "2*(-1)/ranks*gradient",
    ]


def test_terms_of_a_sum_are_dropped_one_at_a_time() -> None:
    assert rights("x == a + b - (c + d)")[2:] == ["b-c-d", "a-c-d", "a+b-d", "a+b-c"]


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("x == ranks*y/ranks", "(ranks-1)*y/(ranks-1)"),
        ("x == y + 0*z", "y"),
        ("x == y + ranks - ranks", None),
        ("x == max(y) + y[ranks-1]", "max(y)+y[ranks-1-1]"),  # another rank, not a looser formula
    ],
)
def test_equivalent_ones_are_left_out(text: str, absent: str | None) -> None:
    found = rights(text)
    assert absent not in found
    assert text.split(" == ")[1].replace(" ", "") not in found
    if text == "x == y + ranks - ranks":
        assert "y" not in found
        assert "y+ranks" in found


def test_a_maximum_is_no_mean() -> None:
    """max(x) - min(x) isn't zero, though it is for a single rank."""
    assert "max(x)" in rights("y == max(x) - min(x)")
    assert not needs_fault(parse_claim("y == max(x) - min(x)"))


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("x == 0", True),
        ("x == 2-2", True),
        ("0 == x", True),
        ("x == y - y", True),
        ("x <= 1e-12", True),
        ("x > y", True),
        ("x != y", True),
        ("x == y", False),
        ("x == 3", False),
    ],
)
def test_what_needs_a_fault(text: str, needed: bool) -> None:
    claim = parse_claim(text)
    assert needs_fault(claim) is needed
    assert (mutants(claim) == ()) is needed


def test_a_loose_claim_is_told(make_scope: Callable[..., Scope]) -> None:
    def world(ranks: int) -> Scope:
        sent = 2 * (ranks - 1) * 4 * MiB // ranks
        held = {
            "ranks": scalar(ranks),
            "gradient": scalar(4 * MiB, BYTE),
            "wire_sent": per_rank([sent] * ranks, BYTE),
        }
        return make_scope(held, ranks)

    tight = parse_claim("wire_sent == 2*(ranks-1)/ranks*gradient ± 1%")
    assert survivors(tight, [world(4)]) == ()
    loose = parse_claim("wire_sent == 2*(ranks-1)/ranks*gradient ± 60%")
    assert {render(m.claim.right) for m in survivors(loose, [world(4)])} == {
        "2*(2*(ranks-1)/ranks*gradient)",
        "2*(ranks-1-1)/ranks*gradient",
        "2*(ranks-1)/(ranks-1)*gradient",
    }
    assert survivors(loose, []) == ()


def test_a_mutant_without_a_value_is_not_confirmed(make_scope: Callable[..., Scope]) -> None:
    """At 1 rank, ranks-1 divides by zero."""
    scope = make_scope({"ranks": scalar(1), "x": scalar(6)})
    assert survivors(parse_claim("x == 6/ranks"), [scope]) == ()


def test_mutants_are_the_same_every_time() -> None:
    claim = parse_claim("x == min(microbatches, stages-rank)")
    assert mutants(claim) == mutants(claim)
    assert [m.change.pick("ja") for m in mutants(claim)][:2] == ["右辺を 2 倍", "右辺を半分"]
    assert "min(microbatches-1, stages-rank)" in rights("x == min(microbatches, stages-rank)")
