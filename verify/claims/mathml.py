"""A claim as MathML Core: fractions, powers and roots as a book sets them.

Names stay as they stand in the claim, so that a reader finds them in its text; the run of a name
becomes its subscript.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

from verify.claims.printing import ATOM, Printer, decimal, literal
from verify.claims.tree import (
    REDUCTIONS,
    Binary,
    Call,
    Claim,
    Element,
    Expression,
    Name,
    Number,
    Within,
    WithinPercent,
)

_COMPARISONS = {"==": "=", "!=": "≠", "<": "<", "<=": "≤", ">": ">", ">=": "≥"}
_FENCES = {"ceil": ("⌈", "⌉"), "floor": ("⌊", "⌋"), "abs": ("|", "|")}
_SINGLE = re.compile(r"<(m[in])>[^<]*</\1>")
_TIGHTER_THAN_A_PRODUCT = ATOM - 1  # a fraction needs no bracket, except as the base of a power


def formula_mathml(tree: Claim | Expression) -> str:
    """One `<math>` element for a line of text; everything escaped."""
    printer = _MathML()
    if not isinstance(tree, Claim):
        return _math(printer.expression(tree))
    left, right = printer.expression(tree.left), printer.expression(tree.right)
    formula = left + _operator(_COMPARISONS[tree.comparison]) + right
    match tree.tolerance:
        case Within(amount):
            formula += _operator("±") + printer.at_least(amount, _TIGHTER_THAN_A_PRODUCT)
        case WithinPercent(percent, of):
            formula += _operator("±") + printer.scientific(decimal(percent)) + _text("\u00a0%")
            if of is not None:
                formula += _operator("·") + printer.at_least(of, _TIGHTER_THAN_A_PRODUCT)
    return _math(formula)


def _math(inside: str) -> str:
    return f"<math>{_row(inside)}</math>"


def _operator(sign: str) -> str:
    return f"<mo>{escape(sign)}</mo>"


def _text(text: str) -> str:
    return f"<mtext>{escape(text)}</mtext>"


def _identifier(name: str) -> str:
    return f"<mi>{escape(name)}</mi>"


def _row(inside: str) -> str:
    return f"<mrow>{inside}</mrow>"


def _one(inside: str) -> str:
    """One element, as the parts of a fraction have to be."""
    return inside if _SINGLE.fullmatch(inside) else _row(inside)


def _fenced(left: str, inside: str, right: str) -> str:
    return _row(f"{_operator(left)}{inside}{_operator(right)}")


class _MathML(Printer):
    symbols: Mapping[str, str] = {
        "+": _operator("+"),
        "-": _operator("−"),
        "*": _operator("·"),
        "negative": '<mo form="prefix">−</mo>',
    }

    def expression(self, node: Expression) -> str:
        if isinstance(node, Binary) and node.operator == "/":
            above, below = self.expression(node.left), self.expression(node.right)
            return f"<mfrac>{_one(above)}{_one(below)}</mfrac>"
        return super().expression(node)

    def level(self, node: Expression) -> int:
        if isinstance(node, Binary) and node.operator == "/":
            return _TIGHTER_THAN_A_PRODUCT
        return super().level(node)

    def bracketed(self, text: str) -> str:
        return _fenced("(", text, ")")

    def number(self, node: Number) -> str:
        figure, _, unit = literal(node).partition(" ")
        return self.scientific(figure) + (_text(f"\u00a0{unit}") if unit else "")

    def scientific(self, figure: str) -> str:
        """`1e-12` as a power of ten, anything else as it is."""
        digits, exponential, exponent = figure.partition("e")
        if not exponential:
            return f"<mn>{escape(figure)}</mn>"
        power = f"<msup><mn>10</mn><mn>{escape(exponent.replace('-', '−'))}</mn></msup>"
        return power if digits == "1" else _row(f"<mn>{escape(digits)}</mn>{_operator('·')}{power}")

    def name(self, node: Name) -> str:
        name = _identifier(node.name)
        return name if node.run is None else f"<msub>{name}{_text(node.run)}</msub>"

    def element(self, node: Element) -> str:
        places = _operator(",").join(map(self.expression, node.indices))
        return _row(self.name(node.target) + _fenced("[", places, "]"))

    def power(self, base: str, exponent: int) -> str:
        return f"<msup>{_one(base)}<mn>{str(exponent).replace('-', '−')}</mn></msup>"

    def call(self, node: Call) -> str:
        inside = _operator(",").join(map(self.expression, node.arguments))
        if node.function in _FENCES:
            left, right = _FENCES[node.function]
            return _fenced(left, inside, right)
        if node.function == "sqrt":
            return f"<msqrt>{inside}</msqrt>"
        name = _identifier(node.function)
        if node.function == "log2":
            name = f"<msub>{_identifier('log')}<mn>2</mn></msub>"
        elif node.function in REDUCTIONS and len(node.arguments) == 1:
            name = f"<msub>{name}{_text('rank')}</msub>"  # over all ranks, unlike max(a, b)
        return _row(name + _fenced("(", inside, ")"))
