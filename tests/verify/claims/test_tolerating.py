"""Tolerances that let a lure pass, and the quick float reading, against hand arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from verify.claims import approximate, parse_claim, parse_expression, tolerates
from verify.claims.tree import Reference

GIVEN = {Reference(None, "ranks"): Fraction(4), Reference(None, "payload"): Fraction(2**20)}


@pytest.mark.parametrize(
    ("truth", "lure", "passes"),
    [
        # At 4 ranks 2·3/4 = 1.5: one third of the truth away from 1.
        ("sent == 2*(ranks-1)/ranks*payload ± 1%", "sent == payload", False),
        ("sent == 2*(ranks-1)/ranks*payload ± 33%", "sent == payload", False),
        ("sent == 2*(ranks-1)/ranks*payload ± 34%", "sent == payload", True),
        ("sent == 1.5*payload ± 512 KiB", "sent == payload", True),
        ("sent == 1.5*payload ± 511 KiB", "sent == payload", False),
        ("sent == 1.5*payload ± 50% of payload", "sent == payload", True),
        # At 4 ranks N/2 is √N.
        ("sent == ranks/2", "sent == sqrt(ranks)", True),
        ("sent == gradient ± 10%", "sent == 1.05*gradient", True),
        ("sent == gradient ± 10%", "sent == activations", False),
        ("sent == payload ± 90%", "received == payload", False),
        ("sent > payload", "sent == 2*payload", False),
        ("sent == payload/(ranks-4) ± 90%", "sent == payload", False),
    ],
)
def test_a_lure_within_the_tolerance(truth: str, lure: str, passes: bool) -> None:
    assert tolerates(parse_claim(truth), parse_claim(lure), GIVEN) is passes


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2*(x-1)/x", 1.5),
        ("-x**2 + max(x, 7)", -9.0),
        ("ceil(x/3) + floor(x/3) + abs(1-x)", 6.0),
        ("sqrt(x) + log2(x) + mean(x) + min(x, 1) + sum(x)", 13.0),
        ("1/(x-4)", math.nan),
        ("sqrt(1-x)", math.nan),
        ("x[0]", math.nan),
        ("1e18**16 * 1e18**16", math.nan),
    ],
)
def test_floats(text: str, value: float) -> None:
    found = approximate(parse_expression(text), lambda _: 4.0)
    assert found == value or (math.isnan(found) and math.isnan(value))
