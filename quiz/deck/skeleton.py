"""A first card about an experiment: what an author typed, and a proof that runs as it stands.

The claims are a law of the experiment and, for lures, that law with something in it changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import yaml

from quiz.deck.card import Deck
from quiz.deck.json_schema import MODELINE
from verify.api import BYTE, Text, UsageError, Value, format_size
from verify.api.claims import (
    Claim,
    mutants,
    names,
    needs_fault,
    parse_claim,
    parse_expression,
    render,
)
from verify.api.experiments import Between, Experiment, Law, Parameter, laws_about

Words = str | dict[str, str]
"""A text of a deck: one string, or one per language."""
Fields = dict[str, Any]
"""A card, a choice or a proof as the file has it."""

_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def recall(experiment: Experiment, answer: Words) -> Fields:
    """The fields of a recall card after `ask`."""
    law = _law(experiment)
    truth: Any = law.claim if law.fault is None else {"claim": law.claim, "unless": law.fault}
    return {
        "answer": answer,
        "proof": {"experiment": experiment.name, "truth": [truth]},
    }


def trap(experiment: Experiment, truth: Words, lure: Words, belief: str, why: Words) -> Fields:
    """The fields of a trap after `ask`, with one lure."""
    law = _law(experiment)
    right: Fields = {"text": truth, "claim": law.claim}
    if law.fault is not None:
        right["unless"] = law.fault
    wrong = render(_lure(parse_claim(law.claim)))
    return {
        "choices": [right, {"text": lure, "claim": wrong, "belief": belief, "why": why}],
        "proof": {"experiment": experiment.name},
    }


def compute(experiment: Experiment, belief: str, why: Words) -> Fields:
    """The fields of a compute card after `ask`. Raises UsageError where no law gives a number."""
    found = next(_numbers(experiment), None)
    if found is None:
        raise UsageError(
            Text(
                ja=f"{experiment.name} の法則からは計算問題を作れません。",
                en=f"No law of {experiment.name} makes a number to compute.",
            ),
            Text(ja="recall か trap を選んでください。", en="Choose recall or trap."),
        )
    claim, varied = found
    lure = next(iter(mutants(claim))).claim.right
    measured = replace(claim, right=parse_expression("result"))
    return {
        "vary": varied,
        "result": render(claim.right),
        "lures": [{"result": render(lure), "belief": belief, "why": why}],
        "proof": {"experiment": experiment.name, "truth": [render(measured)]},
    }


def computable(experiment: Experiment) -> bool:
    """Whether `compute` can make a card."""
    return next(_numbers(experiment), None) is not None


def new_deck(deck: str, title: Words, card: Fields) -> str:
    """The text of a file with this one card."""
    head = dump({"deck": deck, "title": title})
    return f"{MODELINE}{head}cards:\n{_item(card, 2)}"


def appended(text: str, deck: Deck, card: Fields) -> str:
    """The file's text with the card at its end, indented as its other cards are."""
    indent = max(0, deck.cards[0].at().column - 3) if deck.cards else 2
    gap = "\n" if text.endswith("\n") else "\n\n"
    return f"{text}{gap}{_item(card, indent)}"


def _item(card: Fields, indent: int) -> str:
    lines = dump(card).splitlines()
    margin = " " * indent
    return "".join(
        f"{margin}{'- ' if number == 0 else '  '}{line}\n" for number, line in enumerate(lines)
    )


def dump(fields: Fields) -> str:
    """As YAML, key by key, so that the outermost mapping is in block style whatever it holds."""
    parts: list[str] = [
        yaml.dump(
            {name: value},
            Dumper=_Dumper,
            allow_unicode=True,
            default_flow_style=False if name == "choices" else None,
            sort_keys=False,
            width=10_000,
        )
        for name, value in fields.items()
    ]
    return "".join(part[1:-2] + "\n" if part.startswith("{") else part for part in parts)


class _Dumper(yaml.SafeDumper):
    """Lists indented below their key."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


# Laws


def _laws(experiment: Experiment) -> tuple[Law, ...]:
    """Laws about a run with default parameters that a proof can be seen to test."""
    usual = laws_about(experiment, experiment.bind({}))
    by_formula = [law for law in usual if not needs_fault(parse_claim(law.claim))]
    by_fault = [law for law in usual if law not in by_formula and law.fault is not None]
    return (*(replace(law, fault=None) for law in by_formula), *by_fault)


def _law(experiment: Experiment) -> Law:
    found = _laws(experiment)
    if not found:
        raise UsageError(
            Text(
                ja=f"{experiment.name} には、既定のパラメータで試せる法則がありません。",
                en=f"{experiment.name} has no law to test with its default parameters.",
            ),
            Text(ja="別の実験を選んでください。", en="Choose another experiment."),
        )
    return found[0]


def _lure(claim: Claim) -> Claim:
    """What a wrong belief might claim: the law with its right side changed, else its opposite."""
    changed = mutants(claim)
    return changed[0].claim if changed else replace(claim, comparison=_OPPOSITE[claim.comparison])


def _numbers(experiment: Experiment) -> Iterator[tuple[Claim, dict[str, list[Value]]]]:
    """Equalities whose right side is made of parameters alone, with values to vary these by."""
    parameters = {p.name: p for p in experiment.parameters()}
    for law in _laws(experiment):
        claim = parse_claim(law.claim)
        used = [reference.name for reference in names(claim.right)]
        numeric = all(
            name in parameters and isinstance(parameters[name].bounds, Between) for name in used
        )
        if not (used and numeric and claim.comparison == "==" and mutants(claim)):
            continue
        varied = {name: _values(parameters[name]) for name in parameters if name in used}
        if _holds_throughout(experiment, law, varied):
            yield claim, varied


def _values(parameter: Parameter) -> list[Value]:
    """The default and one that is twice as large, or half where that is too large."""
    default = parameter.default
    limits = parameter.bounds
    assert isinstance(limits, Between)
    assert isinstance(default, int | float)
    kind = type(default)
    other = 2 * default if 2 * default <= limits.high else kind(default / 2)
    if parameter.unit == BYTE:
        return [format_size(int(value), digits=0) for value in (default, other)]
    return [default, other]


def _holds_throughout(experiment: Experiment, law: Law, varied: Mapping[str, list[Value]]) -> bool:
    """Whether each value alone makes a run of which the law speaks."""
    for name, values in varied.items():
        for value in values:
            try:
                parameters = experiment.bind({name: value})
            except UsageError:
                return False
            if law.claim not in [found.claim for found in laws_about(experiment, parameters)]:
                return False
    return True
