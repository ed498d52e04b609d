"""An expression in floats: quick, and good to tell two values apart that differ by a percent."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from verify.claims.tree import Binary, Call, Expression, Name, Negate, Number, Power

_REDUCTIONS: dict[str, Callable[[Sequence[float]], float]] = {
    "min": min,
    "max": max,
    "sum": sum,
    "mean": math.fsum,  # of the only value
    "ceil": lambda values: math.ceil(values[0]),
    "floor": lambda values: math.floor(values[0]),
    "abs": lambda values: abs(values[0]),
    "sqrt": lambda values: math.sqrt(values[0]),
    "log2": lambda values: math.log2(values[0]),
}


def approximate(node: Expression, value: Callable[[Name], float]) -> float:
    """The value with every name a scalar. NaN where it has none, or can't be had this way."""
    try:
        found = _value(node, value)
        return found if math.isfinite(found) else math.nan
    except (ArithmeticError, ValueError):
        return math.nan


def _value(node: Expression, value: Callable[[Name], float]) -> float:  # noqa: PLR0911 # as in evaluate
    match node:
        case Number(number, _):
            return float(number)
        case Name():
            return value(node)
        case Binary(operator, left, right):
            one, other = _value(left, value), _value(right, value)
            if operator == "*":
                return one * other
            if operator == "/":
                return one / other
            return one + other if operator == "+" else one - other
        case Call(function, arguments):
            return _REDUCTIONS[function]([_value(argument, value) for argument in arguments])
        case Negate(operand):
            return -_value(operand, value)
        case Power(base, exponent):
            return float(_value(base, value) ** exponent)
        case _:
            return math.nan
