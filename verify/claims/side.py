"""One side of a claim after a run: its numbers, for JSON and for people."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from verify.evidence import number_json
from verify.quantities import Interval, Measured, Number, Shape, Source
from verify.units import BYTE, ONE, SECOND, Unit, format_size

_LARGEST_DENOMINATOR = 9999  # 3/11 says more than 0.2727; 7864320/7340033 says less


@dataclass(frozen=True, slots=True)
class Side:
    """One interval, or one per rank. Its text is short: `6.00 MiB`, `3/11 = 0.2727`."""

    values: tuple[Interval, ...]
    unit: Unit = ONE
    shape: Shape = Shape.SCALAR

    def to_json(self) -> int | float | list[int | float]:
        """A number, or a list of one per rank."""
        numbers = [number_json(interval.value) for interval in self.values]
        return numbers if self.shape is Shape.PER_RANK else numbers[0]

    def exact_json(self) -> str | list[str] | None:
        """`"3/11"`, or a list of one per rank; None where a value isn't exact."""
        if not all(interval.exact for interval in self.values):
            return None
        numbers = [str(interval.value) for interval in self.values]
        return numbers if self.shape is Shape.PER_RANK else numbers[0]

    def measured(self) -> Measured:
        """As a counted quantity, for a scope: the result of a compute card."""
        return Measured(self.unit, self.shape, Source.COUNTED, self.values)

    def __str__(self) -> str:
        return self.show()

    def show(self) -> str:
        """`6.00 MiB`, `3/11 = 0.2727`; per rank `r0–r2: 11, r3: 5`, equal neighbours together."""
        if self.shape is Shape.SCALAR:
            return _one(self.values[0], self.unit)
        texts = enumerate(_one(interval, self.unit) for interval in self.values)
        groups = [
            (text, [rank for rank, _ in group]) for text, group in groupby(texts, lambda t: t[1])
        ]
        return ", ".join(
            f"r{ranks[0]}: {text}" if len(ranks) == 1 else f"r{ranks[0]}–r{ranks[-1]}: {text}"
            for text, ranks in groups
        )


def _one(interval: Interval, unit: Unit) -> str:
    value, low, high = (
        format_number(n, unit) for n in (interval.value, interval.low, interval.high)
    )
    return value if low == high else f"{value} ({low} – {high})"


def format_number(value: Number, unit: Unit) -> str:
    """One figure with its unit, short."""
    if unit == BYTE:
        return format_size(value)
    if unit == SECOND:
        seconds = float(value)
        return f"{seconds:.3g} s" if abs(seconds) >= 1 or not seconds else f"{seconds * 1e3:.3g} ms"
    symbol = "" if unit == ONE else f" {unit}"
    if isinstance(value, Fraction) and value.denominator == 1 and abs(value) < 10**12:
        return f"{value}{symbol}"
    if isinstance(value, Fraction) and 1 < value.denominator <= _LARGEST_DENOMINATOR:
        return f"{value} = {float(value):.4g}{symbol}"
    return f"{float(value):.4g}{symbol}"
