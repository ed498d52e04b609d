"""A name or a value of `vary` that changes nothing the learner sees.

A name that neither the question nor the result uses asks the same thing again; one that only the
result uses leaves the learner without a number; and two values of the same size are one.

Bad:

    ask: How much does each of {ranks} ranks send?
    vary: {ranks: [3, 4], payload: [1 MiB, 1024 KiB]}
    result: 2*(ranks-1)/ranks*4 MiB

Good:

    ask: How much does each of {ranks} ranks send of {payload}?
    vary: {ranks: [3, 4], payload: [1 MiB, 4 MiB]}
    result: 2*(ranks-1)/ranks*payload
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from quiz.deck.card import Card
from quiz.deck.problem import Problem
from quiz.lint.claims import names_of_expression
from quiz.lint.rule import Context
from verify.api import Text, Value, parse_size

id = "unused-vary"


def check(context: Context) -> Iterator[Problem]:
    for card in context.cards:
        if not card.vary:
            continue
        asked = [text for text in (card.ask.ja, card.ask.en) if text is not None]
        used = {reference.name for reference in names_of_expression(card.result or "")}
        for name, values in card.vary.items():
            shown = [f"{{{name}}}" in text for text in asked]
            if not all(shown) and (name in used or not any(shown)):
                yield _unused(context, card, name, in_result=name in used)
            yield from _same(context, card, name, values)


def _unused(context: Context, card: Card, name: str, *, in_result: bool) -> Problem:
    message = (
        Text(
            ja=f"結果は {name} によりますが、問題文に {{{name}}} がありません。",
            en=f"The result depends on {name}, but the question doesn't show {{{name}}}.",
        )
        if in_result
        else Text(
            ja=f"{name} は問題文にも結果にも使われていません。",
            en=f"Neither the question nor the result uses {name}.",
        )
    )
    return context.problem(
        id,
        card,
        ("vary", name),
        message,
        Text(
            ja=f"問題文に {{{name}}} を書くか、vary から消してください。",
            en=f"Write {{{name}}} in the question, or delete it from vary.",
        ),
        severity="warning",
    )


def _same(context: Context, card: Card, name: str, values: tuple[Value, ...]) -> Iterator[Problem]:
    seen: dict[Fraction | Value, Value] = {}
    if len(set(map(_amount, values))) == len(values):
        return
    for number, value in enumerate(values):
        key = _amount(value)
        if key in seen:
            yield context.problem(
                id,
                card,
                ("vary", name, number),
                Text(
                    ja=f"{value} は {seen[key]} と同じ値です。",
                    en=f"{value} is the same as {seen[key]}.",
                ),
                Text(ja="一方を消してください。", en="Delete one of them."),
                part=(str(value), 0, len(str(value))),
                severity="warning",
            )
        seen.setdefault(key, value)


@lru_cache(maxsize=4096)
def _amount(value: Value) -> Fraction | Value:
    if not isinstance(value, str):
        return value
    try:
        return Fraction(parse_size(value))
    except ValueError:
        return value
