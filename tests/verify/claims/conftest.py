"""A small scope with every kind of name, and strategies for expressions over it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

import pytest
from hypothesis import strategies as st

from verify.claims import Declared, Reference, Scope
from verify.claims.tree import (
    Binary,
    Call,
    Claim,
    Element,
    Expression,
    Name,
    Negate,
    Number,
    Power,
    Within,
    WithinPercent,
)
from verify.quantities import Interval, Measured, Shape, Source, Unmeasured, per_rank, scalar
from verify.text import Text
from verify.units import BYTE, ONE, SECOND, MiB

RING = 6 * MiB  # 2·(4−1)/4 · 4 MiB
MATRIX = Measured(
    BYTE,
    Shape.MATRIX,
    Source.MEASURED,
    tuple(Interval.point(RING if (i + 1) % 4 == j else 0) for i in range(4) for j in range(4)),
)
HELD: Mapping[str, Measured | Unmeasured] = {
    "ranks": scalar(4),
    "stages": scalar(4),
    "microbatches": scalar(8),
    "gradient": scalar(4 * MiB, BYTE),
    "wire_sent": per_rank([RING] * 4, BYTE, Source.MEASURED),
    "uneven": per_rank([11, 9, 7, 5]),
    "wire_matrix": MATRIX,
    "bubble_replay": scalar(Fraction(3, 11)),
    "replica_spread": scalar(0.0, source=Source.MEASURED),
    "gradient_difference": per_rank([1e-16, 2e-16, 0.0, 1e-16], source=Source.MEASURED),
    "bubble_wall": Measured(ONE, Shape.SCALAR, Source.MEASURED, (Interval(0.26, 0.28, 0.30),)),
    "busy": Measured(SECOND, Shape.SCALAR, Source.MEASURED, (Interval(0.9, 1.0, 1.1),)),
    "logical": scalar(RING, BYTE, Source.DERIVED),
    "peak": Unmeasured(Text(ja="ここでは測れません。", en="Not measurable here.")),
}
TIMED = {"bubble_wall", "busy"}


def scope_with(held: Mapping[str, Measured | Unmeasured], ranks: int = 4) -> Scope:
    known = {
        Reference(None, name): Declared(value.unit, value.shape, name in TIMED)
        if isinstance(value, Measured)
        else Declared(BYTE)
        for name, value in held.items()
    }
    known[Reference(None, "schedule")] = Declared(number=False)
    return Scope(known, {Reference(None, n): v for n, v in held.items()}, {None: ranks})


@pytest.fixture(scope="session")
def ring() -> Scope:
    """Four ranks after a ring all-reduce of 4 MiB, and other readings of every kind."""
    return scope_with(HELD)


@pytest.fixture(scope="session")
def make_scope() -> Callable[..., Scope]:
    return scope_with


def _literals() -> st.SearchStrategy[Number]:
    plain = st.builds(
        lambda n, places: Number(Fraction(n, 10**places), ONE),
        st.integers(0, 10**6),
        st.integers(0, 12),
    )
    sizes = st.builds(
        lambda n, unit: Number(Fraction(n * unit), BYTE),
        st.integers(0, 2000),
        st.sampled_from([1, 1000, 1024, 10**6, 2**20, 2**30]),
    )
    times = st.builds(lambda n: Number(Fraction(n, 10**6), SECOND), st.integers(0, 10**7))
    return plain | sizes | times


def _names() -> st.SearchStrategy[Name]:
    known = st.sampled_from([*HELD, "rank", "schedule", "nothing"]).map(lambda n: Name(None, n))
    return known | st.builds(Name, st.sampled_from(["base", "doubled"]), st.just("wire_sent"))


def _grow(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    targets = st.sampled_from(["wire_sent", "wire_matrix", "uneven"]).map(lambda n: Name(None, n))
    one = st.tuples(inner)
    return st.one_of(
        st.builds(Negate, inner),
        st.builds(Binary, st.sampled_from("+-*/"), inner, inner),
        st.builds(Power, inner, st.integers(-16, 16)),
        st.builds(Call, st.sampled_from(["min", "max"]), st.tuples(inner, inner)),
        st.builds(
            Call,
            st.sampled_from(["min", "max", "sum", "mean", "ceil", "floor", "log2", "sqrt", "abs"]),
            one,
        ),
        st.builds(Element, targets, one | st.tuples(inner, inner)),
    )


@pytest.fixture(scope="session")
def claims() -> st.SearchStrategy[Claim]:
    """Claims of every shape, most of them nonsense."""
    expressions = st.recursive(_literals() | _names(), _grow, max_leaves=8)
    inequalities = st.builds(
        Claim, expressions, st.sampled_from(["<", "<=", ">", ">="]), expressions
    )
    percents = st.integers(1, 400).map(lambda n: Fraction(n, 8))
    tolerances = st.one_of(
        st.none(),
        st.builds(Within, expressions.filter(lambda e: getattr(e, "value", 1) != 0)),
        st.builds(WithinPercent, percents, st.none() | expressions),
    )
    equalities = st.builds(
        Claim, expressions, st.sampled_from(["==", "!="]), expressions, tolerances
    )
    return equalities | inequalities
