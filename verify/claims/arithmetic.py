"""Exact interval arithmetic.

Every bound is a Fraction, floats included: a finite float is a rational, and kept as one it can't
overflow, round or hide a difference. What is lost with it is remembered instead: `exact` says
whether a value came from counts and literals alone, and so can be equal to another.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from verify.quantities import Interval
from verify.text import Text

MAX_BITS = 8192  # of a numerator or denominator: more is no figure that anyone measured
MAX_MAGNITUDE = 1000  # in powers of two, so that every result has a finite float
_ROOT_BITS = 128  # bits after the point of a square root that isn't rational
_ULP = Fraction(1, 2**50)  # a float's rounding, with two bits to spare


class Impossible(Exception):
    """An operation without a result: the author's mistake."""

    def __init__(self, message: Text) -> None:
        super().__init__(message.pick("en"))
        self.message = message


class Undecidable(Exception):
    """A value that can't be had from these readings: nobody's mistake."""

    def __init__(self, reason: Text) -> None:
        super().__init__(reason.pick("en"))
        self.reason = reason


DIVISION_BY_ZERO = Text(ja="0 で割っています。", en="Division by zero.")
TOO_NOISY = Text(
    ja="測定のばらつきが大きく、判定できません。",
    en="The readings spread too widely to decide.",
)


@dataclass(frozen=True, slots=True)
class Spread:
    """A value, the bounds within which it lies, and whether it is exact."""

    low: Fraction
    value: Fraction
    high: Fraction
    exact: bool

    def interval(self) -> Interval:
        """As a quantity: Fractions where exact, else floats."""
        if self.exact:
            return Interval.point(self.value)
        return Interval(float(self.low), float(self.value), float(self.high))


def exactly(value: Fraction | int) -> Spread:
    """An exact value."""
    number = Fraction(value)
    return Spread(number, number, number, True)


def spread_of(interval: Interval) -> Spread:
    """A reading. Raises Impossible where it isn't finite."""
    if not all(math.isfinite(n) for n in (interval.low, interval.value, interval.high)):
        _refuse(
            "値が有限ではありません（NaN か無限大）。", "The value isn't finite (NaN or infinite)."
        )
    return Spread(
        Fraction(interval.low), Fraction(interval.value), Fraction(interval.high), interval.exact
    )


def negate(a: Spread) -> Spread:
    return Spread(-a.high, -a.value, -a.low, a.exact)


def add(a: Spread, b: Spread) -> Spread:
    return _made(a.low + b.low, a.value + b.value, a.high + b.high, a.exact and b.exact)


def subtract(a: Spread, b: Spread) -> Spread:
    return add(a, negate(b))


def multiply(a: Spread, b: Spread) -> Spread:
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return _made(min(corners), a.value * b.value, max(corners), a.exact and b.exact)


def divide(a: Spread, b: Spread) -> Spread:
    """Raises Impossible on a divisor of 0, Undecidable on one that noise may make 0."""
    if b.value == 0:
        raise Impossible(DIVISION_BY_ZERO)
    if b.low <= 0 <= b.high:
        raise Undecidable(TOO_NOISY)
    return multiply(a, Spread(1 / b.high, 1 / b.value, 1 / b.low, b.exact))


def power(a: Spread, exponent: int) -> Spread:
    """Raises Impossible where the result has too many digits, and as `divide` does."""
    if exponent < 0:
        return divide(exactly(1), power(a, -exponent))
    if exponent and max(map(_bits, (a.low, a.value, a.high))) * exponent > 2 * MAX_BITS:
        _too_large()
    ends = [a.low**exponent, a.high**exponent]
    crosses = exponent % 2 == 0 and a.low < 0 < a.high
    return _made(Fraction(0) if crosses else min(ends), a.value**exponent, max(ends), a.exact)


def absolute(a: Spread) -> Spread:
    low = Fraction(0) if a.low < 0 < a.high else min(abs(a.low), abs(a.high))
    return Spread(low, abs(a.value), max(abs(a.low), abs(a.high)), a.exact)


def ceiling(a: Spread) -> Spread:
    return _each(a, lambda x: Fraction(math.ceil(x)))


def floor(a: Spread) -> Spread:
    return _each(a, lambda x: Fraction(math.floor(x)))


def least(values: Sequence[Spread]) -> Spread:
    return Spread(
        min(v.low for v in values),
        min(v.value for v in values),
        min(v.high for v in values),
        all(v.exact for v in values),
    )


def greatest(values: Sequence[Spread]) -> Spread:
    return negate(least([negate(v) for v in values]))


def total(values: Sequence[Spread]) -> Spread:
    result = values[0]
    for value in values[1:]:
        result = add(result, value)
    return result


def mean(values: Sequence[Spread]) -> Spread:
    return divide(total(values), exactly(len(values)))


def square_root(a: Spread) -> Spread:
    """Exact where the value is the square of a rational, else enclosed within 2**-128.

    Raises Impossible below 0, Undecidable where noise may lead there.
    """
    if a.value < 0:
        _refuse("負の数の平方根です。", "The square root of a negative number.")
    if a.low < 0:
        raise Undecidable(TOO_NOISY)
    if a.exact and (root := _rational_root(a.value)) is not None:
        return exactly(root)
    low, high = _root_below(a.low), _root_below(a.high)
    margin = Fraction(1, 2**_ROOT_BITS)
    return Spread(low, _root_below(a.value), high + margin, False)


def logarithm(a: Spread) -> Spread:
    """log2: exact for powers of two, else enclosed within the rounding of a float.

    Raises Impossible at 0 and below, Undecidable where noise may lead there.
    """
    if a.value <= 0:
        _refuse("0 以下の数の対数です。", "The logarithm of a number that isn't positive.")
    if a.low <= 0:
        raise Undecidable(TOO_NOISY)
    n, d = a.value.numerator, a.value.denominator
    if a.exact and n & (n - 1) == 0 and d & (d - 1) == 0:
        return exactly(n.bit_length() - d.bit_length())
    (low, _), (value, _), (high, _) = ends = [_log2(x) for x in (a.low, a.value, a.high)]
    margin = max(error for _, error in ends)
    return Spread(low - margin, value, high + margin, False)


def _root_below(x: Fraction) -> Fraction:
    scaled = (x.numerator << (2 * _ROOT_BITS)) // x.denominator
    return Fraction(math.isqrt(scaled), 2**_ROOT_BITS)


def _rational_root(x: Fraction) -> Fraction | None:
    above, below = math.isqrt(x.numerator), math.isqrt(x.denominator)
    exact = above * above == x.numerator and below * below == x.denominator
    return Fraction(above, below) if exact else None


def _log2(x: Fraction) -> tuple[Fraction, Fraction]:
    above, below = math.log2(x.numerator), math.log2(x.denominator)
    return Fraction(above) - Fraction(below), _ULP * (Fraction(above) + Fraction(below) + 1)


def _each(a: Spread, change: Callable[[Fraction], Fraction]) -> Spread:
    return Spread(change(a.low), change(a.value), change(a.high), a.exact)


def _bits(x: Fraction) -> int:
    return max(x.numerator.bit_length(), x.denominator.bit_length())


def _made(low: Fraction, value: Fraction, high: Fraction, exact: bool) -> Spread:
    for x in (low, value, high):
        n, d = x.numerator.bit_length(), x.denominator.bit_length()
        if max(n, d) > MAX_BITS or n - d > MAX_MAGNITUDE:
            _too_large()
    return Spread(low, value, high, exact)


def _too_large() -> NoReturn:
    _refuse("値が大きすぎるか、細かすぎます。", "The value is too large or too fine.")


def _refuse(ja: str, en: str) -> NoReturn:
    raise Impossible(Text(ja=ja, en=en))
