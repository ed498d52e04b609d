"""Outcomes and fates as JSON: the same on the other side, to the bit; anything else is refused."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.evidence import Span
from verify.quantities import Reading, Source, Unmeasured
from verify.text import Text
from verify.worlds.failure import Fate
from verify.worlds.outcome import Outcome, outcome_from_json, outcome_json
from verify.worlds.torchrun import _told

finite = st.floats(allow_nan=False, allow_infinity=False)
numbers = st.integers() | finite | st.fractions()
readings = st.builds(
    Reading, numbers | st.lists(numbers).map(tuple), st.sampled_from(Source)
) | st.builds(Unmeasured, st.builds(Text, ja=st.text(), en=st.text()))
spans = st.builds(Span, st.integers(), st.text(), st.integers(), st.integers(), finite, finite)
outcomes = st.builds(
    Outcome, st.dictionaries(st.text(), readings), st.lists(spans, max_size=4).map(tuple)
)


def crossed(value):
    return json.loads(json.dumps(value))


def with_types(value):
    """Numbers beside their types, since 1 == 1.0 == Fraction(1)."""
    row = value if isinstance(value, tuple) else (value,)
    return [(type(number), number) for number in row]


@given(outcomes)
def test_an_outcome_arrives_as_it_left(outcome):
    arrived = outcome_from_json(crossed(outcome_json(outcome)))
    assert arrived == outcome
    for name, reading in outcome.readings.items():
        if isinstance(reading, Reading):
            assert with_types(arrived.readings[name].value) == with_types(reading.value)


@given(st.none() | st.lists(outcomes, max_size=2), st.none() | st.text(), st.integers(0))
def test_a_fate_arrives_as_it_left(held, summary, steps):
    fate = Fate(3, steps, "running", held, summary, "traceback", failed_at=1.5, log="log")
    assert Fate.from_json(3, crossed(fate.to_json())) == fate


def test_what_is_no_reading_arrives_as_text_for_the_gathering_to_refuse():
    outcome = Outcome({"x": "forty-two", "y": Reading(object(), Source.COUNTED)})
    arrived = outcome_from_json(crossed(outcome_json(outcome)))
    assert arrived.readings["x"] == "forty-two"
    assert arrived.readings["y"].startswith("Reading(value=<object")


@pytest.mark.parametrize(
    "reading",
    [
        [],
        None,
        {},
        {"value": 1},
        {"value": 1, "source": "guessed"},
        {"value": True, "source": "counted"},
        {"value": "1e999999999", "source": "counted"},
        {"value": "1/0", "source": "counted"},
        {"value": "9" * 401, "source": "counted"},
        {"row": 1, "source": "counted"},
        {"row": [[1]], "source": "counted"},
        {"ja": 1, "en": "x"},
    ],
)
def test_a_reading_of_another_form_is_refused(reading):
    with pytest.raises(ValueError):
        outcome_from_json({"readings": {"x": reading}, "spans": []})


@pytest.mark.parametrize("row", [[], [0, "F", 0, 0, 0.0], [0, "F", 0, 0, "0", 1.0], 7])
def test_a_span_of_another_form_is_refused(row):
    with pytest.raises(ValueError):
        outcome_from_json({"readings": {}, "spans": [row]})


@pytest.mark.parametrize(
    "record",
    [
        pickle.dumps(Fate(1)),
        b"",
        b"[]",
        b"{}",
        b"null",
        b"[" * 100_000,
        json.dumps(Fate(1, outcomes=[]).to_json()).encode(),
    ],
)
def test_a_rank_whose_account_is_of_another_form_has_failed(record):
    fate = _told(1, record, times=1)
    assert fate.failed
    assert fate.outcomes is None
