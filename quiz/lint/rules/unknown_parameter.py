"""A proof sets a parameter that its experiment doesn't have, or to a value that it can't take.

The values of `vary` are checked too, each alone and all of them together.

Bad:

    proof: {experiment: all-reduce-bytes, with: {rank: 4}}

Good:

    proof: {experiment: all-reduce-bytes, with: {ranks: 4}}
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterator

from quiz.deck.card import Card, Place, Run
from quiz.deck.problem import Problem
from quiz.lint.claims import experiment, place_of
from quiz.lint.rule import Context
from verify.api import Text, UsageError, Value
from verify.api.experiments import Experiment

id = "unknown-parameter"

_MOST_COMBINATIONS = 256

Given = tuple[tuple[str, Value], ...]
Varied = tuple[tuple[str, tuple[Value, ...]], ...]
Objection = tuple[Place, Text, Text | None]  # the place below the run's, or from the card's root

_KEPT: dict[tuple[str, str, str], tuple[Objection, ...]] = {}
_MOST_KEPT = 4096


def check(context: Context) -> Iterator[Problem]:
    for card in context.cards:
        for run in card.proof.runs if card.proof else ():
            yield from _check(context, card, run)


def _check(context: Context, card: Card, run: Run) -> Iterator[Problem]:
    # As text, since `True == 1` and `1.0 == 1` would share what is kept.
    key = (run.experiment, repr(run.given), repr(card.vary) if card.vary else "")
    objections = _KEPT.get(key)
    if objections is None:
        if len(_KEPT) == _MOST_KEPT:
            _KEPT.clear()
        objections = _KEPT[key] = _objections(
            run.experiment, tuple(run.given.items()), tuple(card.vary.items())
        )
    for place, message, hint in objections:
        absolute = place if place[:1] == ("vary",) else (*place_of(run), *place)
        yield context.problem(id, card, absolute, message, hint)


def _objections(name: str, given: Given, varied: Varied) -> tuple[Objection, ...]:
    found = experiment(name)
    return tuple(_find(found, given, varied)) if isinstance(found, Experiment) else ()


def _find(found: Experiment, given: Given, varied: Varied) -> Iterator[Objection]:
    parameters = {parameter.name: parameter for parameter in found.parameters()}
    sound = True
    for parameter in dict(given):
        if parameter not in parameters:
            sound = False
            yield ("with", parameter), *_unknown(found, parameter, tuple(parameters))
    values: list[tuple[Place, str, Value]] = [(("with", n), n, value) for n, value in given]
    values += [
        (("vary", n, number), n, value) for n, vs in varied for number, value in enumerate(vs)
    ]
    for place, parameter, value in values:
        if parameter in parameters:
            try:
                parameters[parameter].parse(value)
            except UsageError as error:
                sound = False
                yield place, error.message, error.hint
    if sound:
        yield from _together(found, given, [(n, vs) for n, vs in varied if n in parameters])


def _together(
    found: Experiment, given: Given, varied: list[tuple[str, tuple[Value, ...]]]
) -> Iterator[Objection]:
    """The first combination that the experiment refuses to run."""
    combinations = itertools.product(*([(name, v) for v in values] for name, values in varied))
    for combination in itertools.islice(combinations, _MOST_COMBINATIONS):
        try:
            found.bind({**dict(given), **dict(combination)})
        except UsageError as error:
            values = ", ".join(f"{name}={value}" for name, value in combination)
            yield (
                (),
                error.message,
                Text(ja=f"この組み合わせです: {values}", en=f"With {values}.")
                if values
                else error.hint,
            )
            return


def _unknown(found: Experiment, name: str, known: tuple[str, ...]) -> tuple[Text, Text]:
    close = difflib.get_close_matches(name[:64], known, n=1)
    names = ", ".join(known)
    return (
        Text(
            ja=f"{found.name} にパラメータ {name[:60]} はありません。",
            en=f"{found.name} has no parameter {name[:60]}.",
        ),
        Text(ja=f"{close[0]} のことですか。", en=f"Did you mean {close[0]}?")
        if close
        else Text(ja=f"使える名前: {names}", en=f"Possible: {names}"),
    )
