"""What one rank brought back, and its JSON: outcomes of ranks on other hosts are data, not objects.

Exact values cross as they are: integers as integers, Fractions as text, floats by their shortest
form that reads back the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, field
from fractions import Fraction
from typing import Any

from verify.evidence import Span
from verify.quantities import Reading, Readings, Source, Unmeasured, exact_fraction
from verify.text import Text

Number = int | Fraction | float


@dataclass(frozen=True)
class Outcome:
    """What one rank brought back from one repeat."""

    readings: Readings
    spans: tuple[Span, ...] = field(default=())


def outcome_json(outcome: Outcome) -> dict[str, Any]:
    """A reading that isn't one crosses as the text that shows it, for `gather` to refuse."""
    return {
        "readings": {str(name): _reading_json(r) for name, r in outcome.readings.items()},
        "spans": [list(astuple(span)) for span in outcome.spans],
    }


def outcome_from_json(data: object) -> Outcome:
    """The inverse of `outcome_json`. Raises ValueError where the data isn't of that form."""
    record = _mapping(data, "readings", "spans")
    readings = _mapping(record["readings"])
    return Outcome(
        {name: _reading(reading) for name, reading in readings.items()},
        tuple(_span(row) for row in items(record["spans"])),
    )


def _reading_json(reading: object) -> Any:
    match reading:
        case Unmeasured(reason):
            return {"ja": reason.ja, "en": reason.en}
        case Reading(tuple() as row, source) if all(map(_is_number, row)):
            return {"row": [_number_json(value) for value in row], "source": source.value}
        case Reading(value, source) if _is_number(value):
            return {"value": _number_json(value), "source": source.value}
    return str(reading)[:1000]


def _reading(data: object) -> Any:
    if isinstance(data, str):
        return data
    record = _mapping(data)
    match sorted(record):
        case ["en", "ja"]:
            return Unmeasured(Text(ja=text(record["ja"]), en=text(record["en"])))
        case ["row", "source"]:
            row = tuple(_number(value) for value in items(record["row"]))
            return Reading(row, Source(record["source"]))
        case ["source", "value"]:
            return Reading(_number(record["value"]), Source(record["source"]))
    raise ValueError(f"no reading: {sorted(record)}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | Fraction)


def _number_json(value: Any) -> int | float | str:
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    return int(value) if isinstance(value, int) else float(value)


def _number(data: object) -> Number:
    found: Number = exact_fraction(data) if isinstance(data, str) else number(data)
    return found


def _span(data: object) -> Span:
    rank, kind, stage, microbatch, start, end = items(data)
    return Span(
        whole(rank), text(kind), whole(stage), whole(microbatch),
        float(number(start)), float(number(end)),
    )  # fmt: skip


def _checked(kinds: type | tuple[type, ...], name: str) -> Callable[[object], Any]:
    def check(data: object) -> Any:
        if not isinstance(data, kinds) or isinstance(data, bool):
            raise ValueError(f"{name} expected: {str(data)[:80]}")
        return data

    return check


text, whole = _checked(str, "text"), _checked(int, "a whole number")
number, items = _checked((int, float), "a number"), _checked(list, "a list")


def _mapping(data: object, *names: str) -> Mapping[str, Any]:
    if not isinstance(data, dict) or (names and set(data) != set(names)):
        raise ValueError(f"not of the form expected: {str(data)[:80]}")
    return data
