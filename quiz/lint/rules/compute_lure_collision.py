"""A combination of parameters in which a lure can't be told from the result.

Such a combination is never drawn, since a right answer would look like the wrong belief: at 2 ranks
a ring all-reduce sends exactly the payload. It is a warning while others remain, an error where
none does.

Bad:

    vary: {ranks: [2]}
    result: 2*(ranks-1)/ranks*4 MiB
    lures: [{result: 4 MiB, belief: once}]

Good:

    vary: {ranks: [3, 4]}
    result: 2*(ranks-1)/ranks*4 MiB
    lures: [{result: 4 MiB, belief: once}]
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from quiz.deck.draw import MOST_COMBINATIONS, TOLERANCE, is_right, worth
from quiz.deck.problem import Problem
from quiz.lint.claims import parsed_expression
from quiz.lint.rule import Context
from verify.api import ProofdeckError, Text, Value, parse_size
from verify.api.claims import ClaimError, Name, approximate

id = "compute-lure-collision"

_SHOWN = 4  # combinations named in one message


@dataclass(frozen=True, slots=True)
class Collisions:
    """Of one lure: the combinations in which it equals the result."""

    lure: int
    combinations: tuple[str, ...]


def check(context: Context) -> Iterator[Problem]:
    for card in context.cards:
        if card.result is None or not card.lures or not card.vary:
            continue
        lures = tuple(lure.result for lure in card.lures)
        found, all_collide = _collisions(card.result, lures, tuple(card.vary.items()))
        for each in found:
            more = "" if len(each.combinations) <= _SHOWN else ", …"
            listed = ", ".join(each.combinations[:_SHOWN]) + more
            text = lures[each.lure]
            yield context.problem(
                id,
                card,
                ("lures", each.lure, "result"),
                Text(
                    ja=f"{listed} のとき、この誤答は正解と区別できません。",
                    en=f"With {listed} this lure can't be told from the result.",
                ),
                Text(
                    ja="どの組み合わせも出題できません。vary か lures を変えてください。",
                    en="No combination can be asked. Change vary or the lures.",
                )
                if all_collide
                else Text(
                    ja="この組み合わせは出題されません。", en="This combination is never asked."
                ),
                part=(text, 0, len(text)),
                severity="error" if all_collide else "warning",
            )


@lru_cache(maxsize=4096)
def _collisions(
    result: str, lures: tuple[str, ...], varied: tuple[tuple[str, tuple[Value, ...]], ...]
) -> tuple[tuple[Collisions, ...], bool]:
    """The collisions of each lure, and whether every combination has one.

    Expressions that have no value are left to the rules about claims.
    """
    named: dict[int, list[str]] = {}
    usable = False
    combinations = itertools.product(*([(name, v) for v in values] for name, values in varied))
    for combination in itertools.islice(combinations, MOST_COMBINATIONS):
        if _clearly_apart(result, lures, combination):
            usable = True
            continue
        try:
            right = worth(result, dict(combination))
            values = [worth(lure, dict(combination)) for lure in lures]
        except ProofdeckError:
            return (), False
        hits = [
            number
            for number, value in enumerate(values)
            if value.unit == right.unit and is_right(Fraction(value.value), right)
        ]
        usable = usable or not hits
        for number in hits:
            text = " ".join(f"{name}={value}" for name, value in combination)
            named.setdefault(number, []).append(text)
    found = tuple(Collisions(number, tuple(texts)) for number, texts in sorted(named.items()))
    return found, not usable


def _clearly_apart(
    result: str, lures: tuple[str, ...], combination: tuple[tuple[str, Value], ...]
) -> bool:
    """Whether floats show that no lure comes near the result: nearly always, and quickly."""
    sizes = {name: _size(value) for name, value in combination}

    def value(node: Name) -> float:
        return sizes.get(node.name, math.nan)

    trees = [parsed_expression(text) for text in (result, *lures)]
    right, *others = [
        math.nan if isinstance(tree, ClaimError) else approximate(tree, value) for tree in trees
    ]
    return all(abs(other - right) > 2 * float(TOLERANCE) * abs(right) for other in others)


@lru_cache(maxsize=4096)
def _size(value: Value) -> float:
    try:
        return float(parse_size(value) if isinstance(value, str) else value)
    except ValueError:
        return math.nan
