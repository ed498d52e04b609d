"""Claims as canonical text, and the precedence rules that every other notation shares."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from verify.claims.tree import (
    TIMES,
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
from verify.units import BYTE, ONE, PREFIXES, SECOND

_SUM, _PRODUCT, _SIGN, _POWER, ATOM = range(1, 6)
_BINARY = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT}
_SIZES = ("GiB", "MiB", "KiB", "GB", "MB", "kB", "B")


def render(tree: Claim | Expression) -> str:
    """Canonical text: what parses to the same tree, with no bracket that isn't needed."""
    printer = Printer()
    if not isinstance(tree, Claim):
        return printer.expression(tree)
    sides = f"{printer.expression(tree.left)} {tree.comparison} {printer.expression(tree.right)}"
    match tree.tolerance:
        case None:
            return sides
        case Within(amount):
            return f"{sides} ± {printer.expression(amount)}"
        case WithinPercent(percent, of):
            base = "" if of is None else f" of {printer.expression(of)}"
            return f"{sides} ± {decimal(percent)}%{base}"


class Printer:
    """Writes an expression with the fewest brackets. Another notation overrides the parts."""

    symbols: Mapping[str, str] = {"+": "+", "-": "-", "*": "*", "/": "/", "negative": "-"}

    def expression(self, node: Expression) -> str:  # noqa: PLR0911 # one for each kind of node
        match node:
            case Number():
                return self.number(node)
            case Name():
                return self.name(node)
            case Element():
                return self.element(node)
            case Negate(operand):
                return self.symbols["negative"] + self.at_least(operand, _SIGN)
            case Binary(operator, left, right):
                level = _BINARY[operator]
                first = self.at_least(left, level)
                return f"{first}{self.symbols[operator]}{self.right(right, level + 1)}"
            case Power(base, exponent):
                return self.power(self.at_least(base, ATOM), exponent)
        return self.call(node)

    def level(self, node: Expression) -> int:
        """How tightly a node binds."""
        match node:
            case Binary(operator, _, _):
                return _BINARY[operator]
            case Negate():
                return _SIGN
            case Power():
                return _POWER
            case _:
                return ATOM

    def at_least(self, node: Expression, level: int) -> str:
        """The node, bracketed where it binds more loosely than `level`."""
        text = self.expression(node)
        return text if self.level(node) >= level else self.bracketed(text)

    def right(self, node: Expression, level: int) -> str:
        """A right operand; one that begins with a sign is bracketed for the reader."""
        text = self.at_least(node, level)
        return self.bracketed(text) if text.startswith(self.symbols["negative"]) else text

    def bracketed(self, text: str) -> str:
        return f"({text})"

    def number(self, node: Number) -> str:
        return literal(node)

    def name(self, node: Name) -> str:
        return str(node.reference)

    def element(self, node: Element) -> str:
        return f"{self.name(node.target)}[{', '.join(map(self.expression, node.indices))}]"

    def power(self, base: str, exponent: int) -> str:
        return f"{base}**{exponent}"

    def call(self, node: Call) -> str:
        return f"{node.function}({', '.join(map(self.expression, node.arguments))})"


def literal(node: Number) -> str:
    """`4 MiB`, `50 ms`, `0.5`, `1e-12`: the largest unit of which it is a whole multiple."""
    if node.unit == ONE:
        return decimal(node.value)
    sizes = {name: Fraction(PREFIXES[name]) for name in _SIZES}
    factors = {BYTE: sizes, SECOND: TIMES}[node.unit]
    base = "B" if node.unit == BYTE else "s"
    whole = (n for n, factor in factors.items() if node.value and node.value % factor == 0)
    name = next(whole, base)
    return f"{decimal(node.value / factors[name])} {name}"


def decimal(value: Fraction) -> str:
    """A terminating decimal written exactly; with an exponent where that is shorter."""
    digits, exponent = value.numerator, 0
    denominator = value.denominator
    while denominator != 1:  # of the form 2**a * 5**b: literals are decimals times powers of two
        digits, exponent = digits * 10, exponent - 1
        value *= 10
        digits, denominator = value.numerator, value.denominator
    while digits and digits % 10 == 0:
        digits, exponent = digits // 10, exponent + 1
    if exponent >= 0:
        plain = f"{digits}{'0' * exponent}"
    else:
        padded = str(digits).rjust(1 - exponent, "0")
        plain = f"{padded[:exponent]}.{padded[exponent:]}"
    return plain if len(plain) <= 8 else min(plain, f"{digits}e{exponent}", key=len)
