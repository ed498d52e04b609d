"""Parameters of a compute card: which are asked, what the answer is worth, when a number is right.

The one place where the study side evaluates an expression.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from quiz.deck.card import Card, NumberLure
from verify.api import ONE, Text, Unit, UsageError, Value

TOLERANCE = Fraction(5, 1000)
"""An answer is right within 0.5 % of the result, enough for three significant digits; a plain
whole number (a count) must be equal. MB and MiB differ by 4.9 %, kB and KiB by 2.4 %."""

MOST_COMBINATIONS = 256  # looked at when drawing; more are sampled


@dataclass(frozen=True, slots=True)
class Worth:
    """What an expression comes to, in the base unit (B, s or 1)."""

    value: Fraction | float
    unit: Unit


def worth(expression: str, parameters: Mapping[str, Value]) -> Worth:
    """The value of a deck's expression for these parameters; sizes may be text such as `4 MiB`.

    Raises UsageError where it can't be parsed, names something unknown or isn't one number.
    """
    from verify.api.claims import Scope, evaluate, parse_expression  # only compute cards need them

    side = evaluate(parse_expression(expression), Scope().with_names(parameters))
    if side is None or len(side.values) != 1:
        raise UsageError(
            Text(
                ja=f"式 {expression} の値が一つに定まりません。",
                en=f"The expression {expression} doesn't come to one number.",
            )
        )
    return Worth(side.values[0].value, side.unit)


def is_right(given: Fraction, expected: Worth) -> bool:
    """Whether a typed number, in the base unit, counts as this value."""
    value = Fraction(expected.value)
    if expected.unit == ONE and value.denominator == 1:
        return given == value
    return abs(given - value) <= TOLERANCE * abs(value)


def combinations(card: Card) -> int:
    """How many combinations `vary` spans."""
    return math.prod(len(values) for values in card.vary.values())


def combination(card: Card, index: int) -> dict[str, Value]:
    """The combination of that index, 0 to combinations - 1; the last parameter varies fastest."""
    chosen: dict[str, Value] = {}
    for name, values in reversed(list(card.vary.items())):
        index, digit = divmod(index, len(values))
        chosen[name] = values[digit]
    return dict(reversed(list(chosen.items())))


def collision(card: Card, parameters: Mapping[str, Value]) -> NumberLure | None:
    """The lure that can't be told from the result with these parameters, if there is one."""
    result = worth(card.result or "", parameters)
    for lure in card.lures:
        tempting = worth(lure.result, parameters)
        if tempting.unit == result.unit and is_right(Fraction(tempting.value), result):
            return lure
    return None


def drawable(card: Card, seed: int = 0) -> Iterator[dict[str, Value]]:
    """The combinations in which no lure collides with the result, in an order set by the seed."""
    total = combinations(card)
    order = random.Random(f"{card.key}#{seed}").sample(range(total), min(total, MOST_COMBINATIONS))
    for index in order:
        parameters = combination(card, index)
        if collision(card, parameters) is None:
            yield parameters


def draw(card: Card, repetition: int) -> dict[str, Value]:
    """The parameters that this card asks at this repetition, the same on every machine.

    Each combination comes once before any comes again. Raises UsageError where every one collides.
    """
    usable = list(drawable(card))
    if not usable:
        raise UsageError(
            Text(
                ja=f"{card.key}: どの組み合わせでも、正解と誤答の値が区別できません。",
                en=f"{card.key}: in every combination a lure equals the result.",
            )
        )
    return usable[repetition % len(usable)]
