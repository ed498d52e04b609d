"""What an experiment is, in words: its file's docstring, parameters, quantities, laws, faults."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from verify.claims import parse_claim
from verify.experiment import Experiment, Law, OneOf, Parameter
from verify.laws import words_of
from verify.report.columns import cells, listing, wrap
from verify.report.run import Look
from verify.text import LANGUAGES, Language, Text
from verify.units import BYTE, format_size

_PARAMETERS = Text(ja="パラメータ", en="parameters")
_QUANTITIES = Text(ja="量", en="quantities")
_LAWS = Text(ja="法則", en="laws")
_FAULTS = Text(ja="故障(--fault)", en="faults (--fault)")
_WHERE = Text(ja="条件: {condition}", en="where {condition}")
_FROM = Text(ja="提供元: {origin}", en="from: {origin}")


def _default(parameter: Parameter) -> str:
    value = parameter.default
    return format_size(int(value)) if parameter.unit == BYTE else str(value)


def _joined(paragraph: str) -> str:
    """Its lines as one: a space where each ended, but none beside Japanese, which needs none."""
    whole = ""
    for line in map(str.strip, paragraph.split("\n")):
        beside_japanese = 2 in (cells(whole[-1:]), cells(line[:1]))
        whole += line if beside_japanese or not whole else f" {line}"
    return whole


def _condition(law: Law, experiment: Experiment) -> str:
    """Of which runs the law speaks, in the names that one types; empty where of all."""
    choices = {
        p.name: p.bounds.choices if isinstance(p.bounds, OneOf) else (True, False)
        for p in experiment.parameters()
    }
    chosen = [
        f"{name}={' | '.join(map(str, values))}"
        for name, values in law.only.items()
        if set(values) != set(choices[name])
    ]
    return "; ".join([*chosen, *filter(None, [law.when])])


def to_json(experiment: Experiment) -> dict[str, Any]:
    """The same as one record, as `verify/schema/experiment.json` describes it."""

    def both(text: Callable[[Language], str]) -> dict[str, str]:
        return {language: text(language) for language in LANGUAGES}

    def words(law: Law) -> Callable[[Language], str]:
        return partial(words_of, parse_claim(law.claim), experiments={None: experiment})

    return {
        "experiment": experiment.name,
        "origin": experiment.origin,
        "title": both(experiment.title.pick),
        "description": both(experiment.description),
        "parameters": [
            {
                "name": parameter.name,
                "default": parameter.default,
                "allowed": parameter.allowed(),
                "meaning": both(parameter.meaning.pick),
            }
            for parameter in experiment.parameters()
        ],
        "quantities": [
            {
                "name": quantity.name,
                "unit": str(quantity.unit),
                "shape": quantity.shape.value,
                "timed": quantity.timed,
                "meaning": both(quantity.meaning.pick),
            }
            for quantity in experiment.quantities
        ],
        "laws": [
            {
                "text": law.claim,
                "where": _condition(law, experiment),
                "fault": law.fault,
                "words": both(words(law)),
            }
            for law in experiment.laws
        ],
        "faults": [
            {"name": fault.name, "meaning": both(fault.meaning.pick)} for fault in experiment.faults
        ],
    }


def draw(experiment: Experiment, look: Look) -> list[str]:
    """Lines of at most `look.width` cells."""
    language = look.language
    lines = wrap(f"{experiment.name}   {experiment.title.pick(language)}", look.width, indent=" ")
    if experiment.origin != "proofdeck":
        lines += wrap(_FROM.pick(language).format(origin=experiment.origin), look.width, indent=" ")
    for paragraph in experiment.description(language).split("\n\n"):
        lines += ["", *wrap(_joined(paragraph), look.width, indent=" ")]
    lines += ["", f" {_PARAMETERS.pick(language)}"]
    lines += listing(
        [
            [f"{p.name}={_default(p)}", f"{p.meaning.pick(language)}: {p.allowed()}"]
            for p in experiment.parameters()
        ],
        look.width,
        indent="   ",
    )
    lines += ["", f" {_QUANTITIES.pick(language)}"]
    lines += listing(
        [[q.name, str(q.unit), q.shape, q.meaning.pick(language)] for q in experiment.quantities],
        look.width,
        indent="   ",
    )
    if experiment.laws:
        lines += ["", f" {_LAWS.pick(language)}"]
        for law in experiment.laws:
            words = words_of(parse_claim(law.claim), language, {None: experiment})
            lines += wrap(law.claim, look.width, indent="   ")
            lines += wrap(words, look.width, indent="     ")
            if condition := _condition(law, experiment):
                where = _WHERE.pick(language).format(condition=condition)
                lines += wrap(where, look.width, indent="     ")
    if experiment.faults:
        lines += ["", f" {_FAULTS.pick(language)}"]
        lines += listing(
            [[f.name, f.meaning.pick(language)] for f in experiment.faults],
            look.width,
            indent="   ",
        )
    return lines
