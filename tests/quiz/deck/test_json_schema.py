"""The schema and the loader are two judges of one format: they must agree."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.deck import meanings, schema
from quiz.deck.json_schema import FILE_NAME, LOADER_ALONE, MODELINE, deck_schema, text_of
from quiz.deck.library import shipped_decks
from quiz.deck.load import parse
from quiz.lint.rule import Context
from quiz.lint.rules import unknown_experiment, unknown_fault, unknown_parameter
from verify.api.experiments import Experiment, experiment_names, find_experiment

BUILT_IN = [e for e in map(find_experiment, experiment_names()) if e.origin == "proofdeck"]
SCHEMA = deck_schema(BUILT_IN)
JUDGE = jsonschema.Draft202012Validator(SCHEMA)
DECK: dict[str, Any] = {
    "deck": "mine",
    "title": {"ja": "自作", "en": "My own"},
    "cards": [
        {
            "id": "say", "kind": "recall", "ask": "Which?", "topic": "traffic", "source": "a book",
            "explain": {"en": "Because."}, "hint": "Think.", "after": ["which", "other/card"],
            "idea": "ring", "answer": "That.",
            "proof": {
                "runs": {
                    "three": {"experiment": "all-reduce-bytes", "with": {"ranks": 3}},
                    "four": {"experiment": "all-reduce-bytes", "fault": "one-element"},
                },
                "truth": ["three.wire_sent > 0", {"claim": "four.wire_sent == 0 ± 1 B",
                                                  "unless": "skip-all-reduce"}],
            },
        },
        {
            "id": "which", "kind": "trap", "ask": {"ja": "どれか", "en": "Which?"},
            "choices": [
                {"text": "half", "claim": "wire_sent == payload/2", "belief": "half", "why": "x"},
                {"text": "more", "claim": "wire_sent == 3/2*payload", "unless": "one-element"},
                {"text": "none", "claim": "wire_sent == 0", "belief": "none"},
            ],
            "proof": {"experiment": "all-reduce-bytes", "with": {"ranks": 4, "payload": "4 MiB"}},
        },
        {
            "id": "much", "kind": "compute", "ask": "How much?", "unit": "MiB",
            "vary": {"ranks": [3, 4], "payload": ["1 MiB", "4 MiB"]},
            "result": "2*(ranks-1)/ranks*payload",
            "lures": [{"result": "payload", "belief": "all", "why": {"ja": "違う"}}],
        },
    ],
}  # fmt: skip
SAMPLES = st.sampled_from(
    ["", " ", "x", "No", "a b", "UPPER", "truth", "half", "recall", "wish", "card/other", "a/b/c",
     "x" * 65, "4 MiB", "all-reduce-bytes", "skip-all-reduce", 0, 3, 4.5, True, None, [], {},
     ["x"], ["x", "x"], [3, 3], [True], {"ja": "x"}, {"fr": "x"}, {"ja": 3}, {"x": [1]},
     {"a b": [1]}, {"claim": "x"}, {"text": "x", "claim": "y"}, [{"claim": "x", "text": "y"}]]
)  # fmt: skip
KEYS = st.sampled_from(
    [*schema.CARD_KEYS, *schema.PROOF_KEYS, *schema.CHOICE_KEYS, "ja", "en", "fr", "Kind", "a b"]
)


def places(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to everything below the root."""
    below = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in below:
        yield (*here, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*here, key))


def changed(deck: Any, way: tuple[Any, ...], change: str, key: str, value: Any) -> Any:
    result = copy.deepcopy(deck)
    holder = result
    for step in way[:-1]:
        holder = holder[step]
    last = way[-1]
    match change:
        case "set":
            holder[last] = value
        case "drop":
            del holder[last]
        case "add" if isinstance(holder, dict):
            holder[key] = value
        case "rename" if isinstance(holder, dict):
            holder[key] = holder.pop(last)
        case "repeat" if isinstance(holder, list):
            holder.append(copy.deepcopy(holder[last]))
    return result


def refused_by_loader(deck: Any) -> bool | None:
    """Whether the loader and the rules about experiments refuse it; None where a schema can't."""
    text = yaml.safe_dump(deck, allow_unicode=True, sort_keys=False)
    loaded = parse(text.encode(), Path("mine.yaml"))
    context = Context(loaded, lambda _: None)
    found = {problem.rule for problem in loaded.problems}
    for rule in (unknown_experiment, unknown_fault, unknown_parameter):
        found |= {problem.rule for problem in rule.check(context)}
    alone = any("already taken" in (p.message.en or "") for p in loaded.problems)
    if alone or found & set(LOADER_ALONE):
        return None
    return bool(found)


def test_the_sample_is_accepted_by_both() -> None:
    assert refused_by_loader(DECK) is False
    assert JUDGE.is_valid(DECK)


@settings(max_examples=300, deadline=None)
@given(
    way=st.sampled_from(list(places(DECK))),
    change=st.sampled_from(["set", "drop", "add", "rename", "repeat"]),
    key=KEYS,
    value=SAMPLES,
)
def test_one_change_is_refused_by_both_or_by_neither(way, change, key, value) -> None:
    deck = changed(DECK, way, change, key, value)
    refused = refused_by_loader(deck)
    if refused is not None:
        assert refused is not JUDGE.is_valid(deck), (way, change, key, value)


def test_every_key_has_a_meaning_and_no_meaning_is_left_over() -> None:
    assert set(meanings.DECK) == set(schema.DECK_KEYS)
    assert set(meanings.CARD) == set(schema.CARD_KEYS)
    assert set(meanings.CHOICE) == set(schema.CHOICE_KEYS)
    assert set(meanings.LURE) == set(schema.LURE_KEYS)
    assert set(meanings.PROOF) == set(schema.PROOF_KEYS)
    assert set(meanings.TRUTH) == set(schema.TRUTH_KEYS)
    for table in (meanings.DECK, meanings.CARD, meanings.CHOICE, meanings.LURE, meanings.PROOF):
        assert all(text.ja and text.en for text in table.values())


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_shipped_file_is_up_to_date() -> None:
    shipped = (shipped_decks() / FILE_NAME).read_text(encoding="utf-8")
    assert shipped == text_of(BUILT_IN), "run: quiz deck schema > decks/deck.schema.json"


def test_every_shipped_deck_names_the_schema_and_obeys_it() -> None:
    decks = sorted(shipped_decks().glob("*.yaml"))
    assert decks
    for path in decks:
        text = path.read_text(encoding="utf-8")
        assert text.startswith(MODELINE), path
        JUDGE.validate(yaml.safe_load(text))


@pytest.mark.parametrize("experiment", BUILT_IN, ids=lambda e: e.name)
def test_an_experiment_s_own_defaults_and_names_are_accepted(experiment: Experiment) -> None:
    given = {p.name: p.default for p in experiment.parameters()}
    card = copy.deepcopy(DECK["cards"][0])
    run = {"experiment": experiment.name, "with": given, "fault": experiment.faults[0].name}
    card["proof"] = run | {"truth": ["x == 1"]}
    JUDGE.validate(DECK | {"cards": [card]})
    card["proof"] = run | {"fault": "no-such-fault", "truth": ["x == 1"]}
    assert not JUDGE.is_valid(DECK | {"cards": [card]})
    assert json.dumps(given)
