"""Whether a truth's tolerance is so wide that it lets a lure pass, without any run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from zlib import crc32

from verify.claims.approximate import approximate
from verify.claims.arithmetic import Undecidable, exactly
from verify.claims.errors import ClaimError
from verify.claims.evaluate import Cells, broadcast
from verify.claims.mutants import NOWHERE, Imagined, meet
from verify.claims.tree import Claim, Name, Reference, Within

_POINTS = 4  # at which the lure must lie within the tolerance; one where it doesn't is enough


def tolerates(truth: Claim, lure: Claim, given: Mapping[Reference, Fraction]) -> bool:
    """Whether every reading that equals the lure's right side also confirms the truth.

    Both must be equalities of the same left side. `given` are the names whose values are known,
    parameters as a rule; whatever else the right sides name has random values. False where a side
    has no value.
    """
    if truth.comparison != "==" or lure.comparison != "==" or truth.left != lure.left:
        return False
    value = partial(_value, given)
    if clearly_apart(truth, lure, value, value):
        return False
    return all(_tolerates_at(point, truth, lure, given) for point in range(_POINTS))


def clearly_apart(
    truth: Claim, lure: Claim, value: Callable[[Name], float], of_lure: Callable[[Name], float]
) -> bool:
    """Whether floats show that the lure is outside the tolerance: nearly always, and quickly.

    `of_lure` gives the names of the lure's right side, where they stand for something else.
    """
    right, other = approximate(truth.right, value), approximate(lure.right, of_lure)
    tolerance = truth.tolerance
    if tolerance is None:
        margin = 0.0
    elif isinstance(tolerance, Within):
        margin = abs(approximate(tolerance.amount, value))
    else:
        base = right if tolerance.of is None else approximate(tolerance.of, value)
        margin = float(tolerance.percent) / 100 * abs(base)
    return abs(right - other) > margin * 1.001 + 1e-6 * abs(right)


def _value(given: Mapping[Reference, Fraction], node: Name) -> float:
    known = given.get(node.reference)
    return 1.0 + crc32(node.name.encode()) % 997 if known is None else float(known)


def _tolerates_at(
    point: int, truth: Claim, lure: Claim, given: Mapping[Reference, Fraction]
) -> bool:
    world, tolerance = _Given(point, given), truth.tolerance
    try:
        right, other = broadcast(NOWHERE, world.cells(truth.right), world.cells(lure.right))
        if tolerance is None:
            return all(meet(a, b) for a, b in zip(right, other, strict=True))
        if isinstance(tolerance, Within):
            share, base = Fraction(1), world.cells(tolerance.amount)
        else:
            share = tolerance.percent / 100
            base = right if tolerance.of is None else world.cells(tolerance.of)
        columns = broadcast(NOWHERE, right, other, base)
    except (ClaimError, Undecidable):
        return False
    return all(
        abs(a.value - b.value) <= share * abs(c.value) for a, b, c in zip(*columns, strict=True)
    )


class _Given(Imagined):
    """An imagined world with the true values of some names."""

    def __init__(self, point: int, given: Mapping[Reference, Fraction]) -> None:
        super().__init__(point)
        self.given = given

    def name(self, node: Name) -> Cells:
        value = self.given.get(node.reference)
        return super().name(node) if value is None else (exactly(value),)
