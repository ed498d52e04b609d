"""Units: the one place that knows what bytes and seconds are and how sizes are written.

A unit is the pair of exponents of the two base units. Counts, ratios and losses have none.
Binary prefixes follow IEC 80000-13 (1 MiB = 2**20 B), decimal ones the SI (1 MB = 10**6 B).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from typing import NewType

Bytes = NewType("Bytes", int)

KiB = 2**10
MiB = 2**20
GiB = 2**30
PREFIXES: dict[str, int] = {
    "B": 1,
    "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9,
    "KiB": KiB, "MiB": MiB, "GiB": GiB,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unit:
    """Exponents of bytes and of seconds: `Unit(1, -1)` is bytes per second."""

    bytes: int = 0
    seconds: int = 0

    def __mul__(self, other: Unit) -> Unit:
        return Unit(self.bytes + other.bytes, self.seconds + other.seconds)

    def __truediv__(self, other: Unit) -> Unit:
        return Unit(self.bytes - other.bytes, self.seconds - other.seconds)

    def __pow__(self, exponent: int) -> Unit:
        return Unit(self.bytes * exponent, self.seconds * exponent)

    def __str__(self) -> str:
        """`B`, `s`, `B/s`, `B^2`, and `1` for a plain number."""

        def factor(symbol: str, exponent: int) -> str:
            return symbol if exponent == 1 else f"{symbol}^{exponent}"

        pairs = (("B", self.bytes), ("s", self.seconds))
        above = [factor(s, e) for s, e in pairs if e > 0]
        below = [factor(s, -e) for s, e in pairs if e < 0]
        return ("·".join(above) or "1") + ("/" + "·".join(below) if below else "")


ONE = Unit()
BYTE = Unit(bytes=1)
SECOND = Unit(seconds=1)

_SIZE = re.compile(r"\s*([0-9]{1,15}(?:\.[0-9]{1,9})?)\s*([A-Za-z]+)?\s*", re.ASCII)


def parse_size(text: str) -> int:
    """A whole number of bytes from `4 MiB`, `4MiB`, `512 kB` or `4096`.

    Raises ValueError where it is not a size or not a whole number of bytes.
    """
    match = _SIZE.fullmatch(unicodedata.normalize("NFKC", text))
    if match is None or (match[2] or "B") not in PREFIXES:
        raise ValueError(f"not a size: {text!r}; write it like 4 MiB, 512 kB or 4096")
    size = Fraction(match[1]) * PREFIXES[match[2] or "B"]
    if size.denominator != 1:
        raise ValueError(f"not a whole number of bytes: {text!r}")
    return int(size)


def format_size(size: Fraction | float, *, digits: int = 2) -> str:
    """`6.00 MiB`, `48 B`: the largest binary prefix that leaves at least 1."""
    for prefix in ("GiB", "MiB", "KiB"):
        if abs(float(size)) >= PREFIXES[prefix]:
            return f"{float(size) / PREFIXES[prefix]:.{digits}f} {prefix}"
    return f"{int(size)} B" if float(size).is_integer() else f"{float(size):.{digits}f} B"
