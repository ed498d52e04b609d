"""Quantities: named values with a unit, a source and, where repeated, an interval.

Exact values (counts, byte counts, the replayed bubble) are ints and Fractions and stay so; measured
continuous ones are floats. No module of the claims ever turns the first kind into the second.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from verify.text import Text
from verify.units import ONE, Unit

Number = Fraction | float
Value = int | float | str | bool
"""A parameter's value: a count, a size in bytes, a number, a choice or a switch."""


_EXACT = re.compile(r"(-?[0-9]{1,400})(?:/([1-9][0-9]{0,399}))?", re.ASCII)


def exact_fraction(text: str) -> Fraction:
    """`3/11` or `-7` as a rational. Raises ValueError on any other text.

    `Fraction` itself also takes `1e999999999`, and would compute it.
    """
    if (found := _EXACT.fullmatch(text)) is None:
        raise ValueError(f"not a rational: {text[:40]}")
    return Fraction(int(found[1]), int(found[2] or 1))


class Source(StrEnum):
    """How a value came to be; stamped by the probe that produced it."""

    MEASURED = "measured"  # read from the kernel, the clock or the tensors of the run
    COUNTED = "counted"  # counted by us while the run went on, or replayed from what ran
    DERIVED = "derived"  # computed from logical sizes, since nothing here can measure it


class Shape(StrEnum):
    """How many values a quantity has."""

    SCALAR = "scalar"
    PER_RANK = "per rank"
    MATRIX = "matrix"  # sender × receiver


@dataclass(frozen=True, slots=True)
class Quantity:
    """What an experiment declares to yield: a name, a unit, a shape and a meaning."""

    name: str
    unit: Unit
    shape: Shape
    meaning: Text
    timed: bool = False  # read from a clock: repeated, and judged by its interval
    # A scalar drawn by chance: each reading is a tuple of two or more independent samples, judged
    # by the interval of their mean.
    sampled: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """One rank's value of a quantity: a number, its row of a matrix, or the samples it drew."""

    value: int | Fraction | float | tuple[int | Fraction | float, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """A quantity that can't be had here; claims about it are undecided for this reason."""

    reason: Text


Readings = dict[str, Reading | Unmeasured]


@dataclass(frozen=True, slots=True)
class Interval:
    """A value and the bounds that repeats gave it; a single exact reading has all three equal."""

    low: Number
    value: Number
    high: Number

    @classmethod
    def point(cls, value: int | Number) -> Interval:
        number = Fraction(value) if isinstance(value, int) else value
        return cls(number, number, number)

    @property
    def exact(self) -> bool:
        """Whether this is one rational number and nothing else."""
        return isinstance(self.value, Fraction) and self.low == self.high


@dataclass(frozen=True, slots=True)
class Measured:
    """A quantity's value in one piece of evidence.

    `values` holds one interval for a scalar, N for a per-rank quantity of N ranks, and N rows of N
    for a matrix, flattened row by row.
    """

    unit: Unit
    shape: Shape
    source: Source
    values: tuple[Interval, ...]

    @property
    def ranks(self) -> int:
        """The length of one row."""
        count = len(self.values)
        return math.isqrt(count) if self.shape is Shape.MATRIX else count

    def at(self, row: int, column: int) -> Interval:
        """One cell of a matrix: what `row` sent to `column`."""
        return self.values[row * self.ranks + column]


def scalar(value: int | Number, unit: Unit = ONE, source: Source = Source.COUNTED) -> Measured:
    """A scalar with no spread."""
    return Measured(unit, Shape.SCALAR, source, (Interval.point(value),))


def per_rank(
    values: Sequence[int | Number], unit: Unit = ONE, source: Source = Source.COUNTED
) -> Measured:
    """One value per rank with no spread."""
    return Measured(unit, Shape.PER_RANK, source, tuple(map(Interval.point, values)))
