"""The JSON Schema of a deck (draft 2020-12), from the loader's own tables of keys.

It says what the loader and the rules about experiments say, except for what no such schema can: see
`LOADER_ALONE`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from quiz.deck import meanings, schema
from quiz.deck.card import Kind
from verify.api import BYTE, LANGUAGES, Text
from verify.api.experiments import Between, Experiment, OneOf, Parameter

FILE_NAME = "deck.schema.json"
"""What the schema is called where it lies beside decks."""
MODELINE = f"# yaml-language-server: $schema={FILE_NAME}\n"
"""The first line of a deck beside it: an editor then completes keys and marks errors."""

LOADER_ALONE = (
    "control-character",
    "duplicate-id",
    "duplicate-key",
    "latex-in-double-quotes",
    "yaml-error",
)
"""Rules of the loader about the text itself, which a schema never sees, and about names that
must differ; so too the names of beliefs and the number of combinations."""

Schema = dict[str, Any]


def text_of(experiments: Iterable[Experiment]) -> str:
    """The schema as a file: JSON, indented."""
    return json.dumps(deck_schema(experiments), ensure_ascii=False, indent=1) + "\n"


def deck_schema(experiments: Iterable[Experiment]) -> Schema:
    """The schema of a deck whose proofs use these experiments."""
    known = tuple(experiments)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "proofdeck: a deck of cards",
        **_record(
            schema.DECK_KEYS,
            schema.DECK_KEYS,
            meanings.DECK,
            {"deck": _ref("id"), "title": _ref("text"), "cards": _list(_ref("card"))},
        ),
        "$defs": {
            "id": _matching(schema.ID),
            "text": _text(),
            "code": _string(),
            "card": _card(),
            "choice": _choice(),
            "lure": _record(
                schema.LURE_KEYS,
                schema.LURE_REQUIRED,
                meanings.LURE,
                {"result": _ref("code"), "belief": _ref("belief"), "why": _ref("text")},
            ),
            "belief": _matching(schema.ID) | {"not": {"const": "truth"}},
            "value": {"type": ["number", "string"], "pattern": r"\S"},
            "vary": {
                "type": "object",
                "minProperties": 1,
                "propertyNames": _matching(schema.NAME) | {"not": {"enum": [*schema.RESERVED]}},
                "additionalProperties": _list(_ref("value")) | {"uniqueItems": True},
            },
            "proof": _proof(),
            "run": _record(schema.RUN_KEYS, schema.RUN_REQUIRED, meanings.PROOF, _run())
            | _ref("of-experiment"),
            "truth": _record(schema.TRUTH_KEYS, schema.TRUTH_REQUIRED, meanings.TRUTH, _statement())
            | {"type": ["string", "object"], "pattern": r"\S"},
            "experiment": {
                "enum": [experiment.name for experiment in known],
                "enumDescriptions": [_both(experiment.title) for experiment in known],
            },
            "fault": {"enum": sorted({f.name for e in known for f in e.faults})},
            "of-experiment": {"allOf": [_of_experiment(experiment) for experiment in known]},
        },
    }


# Parts of a deck


def _card() -> Schema:
    """Keys that belong to one kind are known where the card is of that kind, or of none yet."""
    types: Mapping[str, Schema] = {
        "id": _ref("id"),
        "kind": {"enum": [kind.value for kind in Kind]},
        "ask": _ref("text"),
        "topic": _string(),
        "source": _string(),
        "explain": _ref("text"),
        "hint": _ref("text"),
        "after": _list(_matching(schema.PREREQUISITE)),
        "idea": _ref("id"),
        "proof": _ref("proof"),
        "answer": _ref("text"),
        "choices": _choices(),
        "vary": _ref("vary"),
        "result": _ref("code"),
        "lures": _list(_ref("lure")),
        "unit": _string(),
    }
    fields = {name: _described(types[name], meanings.CARD[name]) for name in schema.CARD_KEYS}
    own = [name for name in fields if name not in schema.COMMON]
    cases = [
        _where(
            "kind",
            {"const": kind.value},
            {
                "required": list(required),
                "properties": {name: fields[name] for name in (*required, *optional)},
            },
        )
        for kind, (required, optional) in schema.OF_KIND.items()
    ]
    unclear = {"not": {"required": ["kind"], "properties": {"kind": {"enum": list(Kind)}}}}
    return {
        "type": "object",
        "required": list(schema.REQUIRED),
        "properties": {name: fields[name] for name in schema.COMMON},
        "allOf": [
            *cases,
            {"if": unclear, "then": {"properties": {name: fields[name] for name in own}}},
        ],
        "unevaluatedProperties": False,
    }


def _choices() -> Schema:
    """Two or more; exactly one without belief."""
    return _list(_ref("choice")) | {
        "minItems": 2,
        "maxItems": schema.MOST_CHOICES,
        "contains": {"type": "object", "not": {"required": ["belief"]}},
        "minContains": 1,
        "maxContains": 1,
    }


def _choice() -> Schema:
    types = _statement() | {"text": _ref("text"), "belief": _ref("belief"), "why": _ref("text")}
    return _record(schema.CHOICE_KEYS, schema.CHOICE_REQUIRED, meanings.CHOICE, types)


def _statement() -> dict[str, Schema]:
    return {"claim": _ref("code"), "unless": _ref("fault")}


def _proof() -> Schema:
    runs: Schema = {
        "type": "object",
        "minProperties": 1,
        "maxProperties": schema.MOST_RUNS,
        "propertyNames": _matching(schema.NAME),
        "additionalProperties": _ref("run"),
    }
    types = _run() | {"runs": runs, "truth": _list(_ref("truth"))}
    return _record(schema.PROOF_KEYS, (), meanings.PROOF, types) | {
        "if": {"required": ["runs"]},
        "then": {"properties": dict.fromkeys(schema.RUN_KEYS, False)},
        "else": {"required": list(schema.RUN_REQUIRED)} | _ref("of-experiment"),
    }


def _run() -> dict[str, Schema]:
    return {
        "experiment": _ref("experiment"),
        "with": {"type": "object"},
        "fault": _ref("id"),
    }


def _of_experiment(experiment: Experiment) -> Schema:
    """The parameters and faults of one experiment, where a run names it."""
    parameters: Schema = {
        "properties": {p.name: _parameter(p) for p in experiment.parameters()},
        "additionalProperties": False,
    }
    faults: Schema | bool = False
    if experiment.faults:
        faults = {
            "enum": [fault.name for fault in experiment.faults],
            "enumDescriptions": [_both(fault.meaning) for fault in experiment.faults],
        }
    then = {"properties": {"with": parameters, "fault": faults}}
    return _where("experiment", {"const": experiment.name}, then)


def _parameter(parameter: Parameter) -> Schema:
    """What the experiment accepts. A number may be text too, whose bounds aren't looked at."""
    limits = parameter.bounds
    if parameter.kind is bool:
        allowed: Schema = {"enum": [True, False, "true", "false", "yes", "no"]}
    elif isinstance(limits, OneOf):
        allowed = {"enum": list(limits.choices)}
    elif parameter.unit == BYTE:
        allowed = {
            "type": ["integer", "string"],
            "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*[kKMGiB]*\s*$",
        }
    else:
        number = "integer" if parameter.kind is int else "number"
        allowed = {"type": [number, "string"], "pattern": r"^\s*[-+0-9.eE]+\s*$"}
    if isinstance(limits, Between):
        allowed |= {"minimum": limits.low, "maximum": limits.high}
    default = Text(
        ja=f"使える値: {parameter.allowed()}。既定値: {parameter.default}。",
        en=f"Possible: {parameter.allowed()}. Default: {parameter.default}.",
    )
    return allowed | {"description": f"{_both(parameter.meaning)}\n\n{_both(default)}"}


# Parts of a schema


def _record(
    keys: Collection[str],
    required: Collection[str],
    described: Mapping[str, Text],
    types: Mapping[str, Schema],
) -> Schema:
    """Keys and values whose keys are these alone."""
    return {
        "type": "object",
        "required": list(required),
        "properties": {name: _described(types[name], described[name]) for name in keys},
        "additionalProperties": False,
    }


def _text() -> Schema:
    """One string, or one per language."""
    properties = {name: _described(_string(), meanings.LANGUAGE[name]) for name in LANGUAGES}
    return {
        "type": ["string", "object"],
        "pattern": r"\S",
        "properties": properties,
        "additionalProperties": False,
        "minProperties": 1,
    }


def _where(key: str, value: Schema, then: Schema) -> Schema:
    return {"if": {"required": [key], "properties": {key: value}}, "then": then}


def _described(part: Schema, meaning: Text) -> Schema:
    return part | {"description": _both(meaning)}


def _both(text: Text) -> str:
    """English, then Japanese: a schema is one file for readers of both."""
    return "\n\n".join(dict.fromkeys((text.pick("en"), text.pick("ja"))))


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _list(items: Schema) -> Schema:
    return {"type": "array", "minItems": 1, "items": items}


def _string() -> Schema:
    return {"type": "string", "pattern": r"\S"}


def _matching(pattern: re.Pattern[str]) -> Schema:
    return {"type": "string", "pattern": f"^(?:{pattern.pattern})$"}
