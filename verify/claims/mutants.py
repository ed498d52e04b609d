"""Claims that are wrong on purpose: a truth is worth something where the runs tell them apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import blake2b

from verify.claims.arithmetic import Spread, Undecidable, exactly
from verify.claims.errors import ClaimError
from verify.claims.evaluate import Cells, Evaluator, broadcast
from verify.claims.judging import Verdict, judge
from verify.claims.printing import render
from verify.claims.scope import Scope
from verify.claims.tree import (
    Binary,
    Call,
    Claim,
    Element,
    Expression,
    Name,
    Negate,
    Number,
    roots,
    variants,
)
from verify.text import Text
from verify.units import ONE

COUNTS = ("ranks", "stages", "microbatches")
"""Names that count something, which a learner may take for one less."""

POINTS = 24  # at which two claims must agree to count as the same one
_WIDTH = 3  # ranks of an imagined world: enough for max(x) and min(x) to differ


@dataclass(frozen=True, slots=True)
class Mutant:
    """A claim that says something else than the original. `change` reads `× 2` and the like."""

    claim: Claim
    change: Text


def mutants(claim: Claim) -> tuple[Mutant, ...]:
    """The mutants of an equality: right side × 2 and × ½, n−1 for each count n, each term dropped.

    None for an inequality, for `!=`, and for a claim about zero, whose right side has no scale.
    Those that always say the same as the original, or as an earlier mutant, are left out.
    """
    if _without_scale(claim):
        return ()
    return tuple(_distinct(claim))


def _distinct(claim: Claim) -> Iterator[Mutant]:
    seen = [_Samples(claim)]
    for right, change in _changed(claim.right):
        mutant = replace(claim, right=right)
        samples = _Samples(mutant)
        if not any(samples.same(other) for other in seen):
            yield Mutant(mutant, change)
            seen.append(samples)


def needs_fault(claim: Claim) -> bool:
    """Whether mutants can't test this claim, so that a truth must name a fault that refutes it."""
    if claim.comparison == "==" and _is_positive(claim.left) and _is_positive(claim.right):
        return False  # twice the right side is another claim: no point has to be looked at
    return _without_scale(claim) or next(_distinct(claim), None) is None


def _is_positive(side: Expression) -> bool:
    """Whether its form alone shows that a side is exact and above 0 at every imagined point.

    Names are positive there, and counts at least 2. False where the form doesn't tell.
    """
    match side:
        case Number(value, _):
            return value > 0
        case Name() | Element():
            return True
        case Binary("-", Name(_, name), Number(value, _)):
            return name in COUNTS and value <= 1
        case Binary(operator, left, right):
            return operator != "-" and _is_positive(left) and _is_positive(right)
        case Call("min" | "max" | "sum" | "mean" | "ceil", arguments):
            return all(map(_is_positive, arguments))
        case _:
            return False


def _without_scale(claim: Claim) -> bool:
    return claim.comparison != "==" or _vanishes(claim.left) or _vanishes(claim.right)


def _vanishes(side: Expression) -> bool:
    """Whether a side is 0 whatever its names are: 0, 2-2, x-x."""
    samples = _Samples(side)
    found = (samples.at(point) for point in range(POINTS))
    return all(s is not None and all(x.exact and x.value == 0 for x in s[0]) for s in found)


def survivors(claim: Claim, scopes: Sequence[Scope]) -> tuple[Mutant, ...]:
    """The mutants that every run confirms: with any, the claim is too loose to teach anything.

    A mutant without a value in some run (ranks-1 = 0 as a divisor) isn't confirmed by it.
    """
    return tuple(
        m for m in mutants(claim) if scopes and all(_confirmed(m.claim, s) for s in scopes)
    )


def _confirmed(claim: Claim, scope: Scope) -> bool:
    try:
        return judge(claim, scope).verdict is Verdict.CONFIRMED
    except ClaimError:
        return False


def _changed(right: Expression) -> Iterator[tuple[Expression, Text]]:
    two, one = Number(Fraction(2), ONE), Number(Fraction(1), ONE)
    yield Binary("*", two, right), Text(ja="右辺を 2 倍", en="the right side × 2")
    yield Binary("/", right, two), Text(ja="右辺を半分", en="the right side × ½")

    def one_less(node: Expression) -> Iterator[Expression]:
        if isinstance(node, Name) and node.name in COUNTS:
            yield Binary("-", node, one)

    def dropped(node: Expression) -> Iterator[Expression]:
        if isinstance(node, Binary) and node.operator in "+-":
            yield from (_sum(terms) for terms in _without_one(list(_terms(node))))

    yield from ((v, _one_less_text(v)) for v in variants(right, one_less))
    yield from ((v, _dropped_text(v)) for v in variants(right, dropped))


def _one_less_text(right: Expression) -> Text:
    shown = render(right)
    return Text(
        ja=f"右辺を {shown}（個数が 1 少ない）", en=f"the right side {shown} (a count less 1)"
    )


def _dropped_text(right: Expression) -> Text:
    shown = render(right)
    return Text(
        ja=f"右辺を {shown}（項が一つ少ない）", en=f"the right side {shown} (a term dropped)"
    )


_Term = tuple[bool, Expression]  # whether it is subtracted


def _terms(node: Expression, negative: bool = False) -> Iterator[_Term]:
    if isinstance(node, Binary) and node.operator in "+-":
        yield from _terms(node.left, negative)
        yield from _terms(node.right, negative ^ (node.operator == "-"))
    else:
        yield negative, node


def _without_one(terms: list[_Term]) -> Iterator[list[_Term]]:
    yield from (terms[:i] + terms[i + 1 :] for i in range(len(terms)))


def _sum(terms: Iterable[_Term]) -> Expression:
    (negative, first), *rest = terms
    result: Expression = Negate(first) if negative else first
    for subtracted, term in rest:
        result = Binary("-" if subtracted else "+", result, term)
    return result


# -- equivalence ---------------------------------------------------------------------------------
# Two formulas that agree at random points are the same one: for a difference of polynomials of
# degree d that isn't zero, a random point from n values is a root with probability at most d/n
# (Schwartz 1980, Zippel 1979).

_Sample = tuple[Cells, ...] | None


class _Samples:
    """The sides and the tolerance of a claim, or an expression, at the points.

    None where they have no value there.
    """

    def __init__(self, tree: Claim | Expression) -> None:
        self.tree = tree
        self.taken: list[_Sample] = []

    def at(self, point: int) -> _Sample:
        while len(self.taken) <= point:
            evaluator = Imagined(len(self.taken))
            try:
                sample = tuple(evaluator.cells(root) for root in roots(self.tree))
            except (ClaimError, Undecidable):
                sample = None
            self.taken.append(sample)
        return self.taken[point]

    def same(self, other: _Samples) -> bool:
        """Whether the claims agree at every point, and have a value at one at least."""
        agree = all(_agree(self.at(point), other.at(point)) for point in range(POINTS))
        return agree and any(sample is not None for sample in self.taken)


def _agree(one: _Sample, other: _Sample) -> bool:
    if one is None or other is None:
        return one is other
    return all(
        meet(x, y)
        for a, b in zip(one, other, strict=True)
        for x, y in zip(*broadcast(NOWHERE, a, b), strict=True)
    )


def meet(a: Spread, b: Spread) -> bool:
    """Whether two values may be the same."""
    return a.low <= b.high and b.low <= a.high


class Imagined(Evaluator):
    """A world in which every name has a random value: counts are whole, the others rational."""

    def __init__(self, point: int) -> None:
        super().__init__(Scope())
        self.point = point

    def draw(self, *key: object) -> int:
        """A number of 64 bits, the same for the same key in every process."""
        text = f"{self.point} {key}".encode()
        return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")

    def rational(self, *key: object) -> Spread:
        drawn = self.draw(*key)
        return exactly(Fraction(drawn % 10**6 + 1, (drawn >> 32) % 10**3 + 1))

    def count(self, *key: object) -> Spread:
        return exactly(self.draw(*key) % 10**6 + 2)

    def rank(self, node: Name) -> Cells:
        return tuple(self.count("rank", place) for place in range(_WIDTH))

    def name(self, node: Name) -> Cells:
        if node.name in COUNTS:
            return (self.count(str(node.reference)),)
        return tuple(self.rational(str(node.reference), place) for place in range(_WIDTH))

    def element(self, node: Element, target: Name, indices: tuple[Expression, ...]) -> Cells:
        columns = broadcast(node, *(self.cells(index) for index in indices))
        name = str(target.reference)
        return tuple(
            self.rational(name, *(str(index.value) for index in row))
            for row in zip(*columns, strict=True)
        )


NOWHERE = Number(Fraction(0), ONE)
