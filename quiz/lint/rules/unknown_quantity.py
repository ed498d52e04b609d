"""A claim uses a name that is neither a quantity nor a parameter of its experiment.

With several runs a name is written with its run: `base.wire_sent`. The expressions of a compute
card use the names of `vary` alone, since the learner sees nothing else.

Bad:

    truth: [wire_send == 2*(ranks-1)/ranks*payload ± 1%]

Good:

    truth: [wire_sent == 2*(ranks-1)/ranks*payload ± 1%]
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator

from quiz.deck.card import Card, Place
from quiz.deck.problem import Problem
from quiz.lint.claims import expressions, names_of_expression, unknown_names
from quiz.lint.rule import Context
from verify.api import Text
from verify.api.claims import Reference

id = "unknown-quantity"


def check(context: Context) -> Iterator[Problem]:
    for card, claim in context.doubtful:
        if claim.known is not None and (unknown := unknown_names(claim.claim, claim.known)):
            usable = claim.known.names
            yield from _unknown(context, card, claim.place, claim.claim, unknown, usable)
    for card in context.cards:
        if card.result is None:
            continue
        varied = {Reference(None, name) for name in card.vary}
        for place, text in expressions(card):
            if unknown := names_of_expression(text) - varied:
                yield from _unknown(context, card, place, text, unknown, varied)


def _unknown(
    context: Context,
    card: Card,
    place: Place,
    text: str,
    unknown: Iterable[Reference],
    usable: Collection[Reference],
) -> Iterator[Problem]:
    for reference in sorted(unknown, key=str):
        name = str(reference)
        match = re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text)
        first, last = match.span() if match else (0, len(text))
        possible = [str(each) for each in usable]
        of_runs = [each for each in possible if each.endswith(f".{name}")]
        close = of_runs or difflib.get_close_matches(name, possible, n=1)
        listed = ", ".join(close or possible)
        yield context.problem(
            id,
            card,
            place,
            Text(
                ja=f"{name} という量やパラメータはありません。",
                en=f"There is no quantity or parameter {name}.",
            ),
            Text(ja=f"{listed} のことですか。", en=f"Did you mean {' or '.join(close)}?")
            if close
            else Text(ja=f"使える名前: {listed}", en=f"Possible: {listed}"),
            part=(text, first, last),
        )
