"""The record of one run: parameters, quantities, environment; and its JSON, both ways."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from verify.quantities import (
    Interval,
    Measured,
    Number,
    Shape,
    Source,
    Unmeasured,
    Value,
    exact_fraction,
)
from verify.text import Text
from verify.units import Unit


@dataclass(frozen=True, slots=True)
class WorldFacts:
    """Where the ranks lived."""

    ranks: int
    hosts: int
    backend: str
    device: str
    launcher: str  # local, torchrun or fake

    @property
    def only_counts(self) -> bool:
        """Whether nothing was sent, only counted: such a world proves nothing about the wire."""
        return self.launcher == "fake"


@dataclass(frozen=True, slots=True)
class Span:
    """One stretch of work on the timeline, in seconds since the start of the window.

    Kinds: F forward, B backward, I its input half, W its weight half; of communication, C a
    collective, R from asking for a message to the start of the operation that needs it, and X work
    in which torch computes and communicates at once. Pictures leave out kinds they don't know.
    """

    rank: int
    kind: str
    stage: int
    microbatch: int
    start: float
    end: float


@dataclass(frozen=True)
class Evidence:
    """What one experiment yielded with one set of parameters."""

    experiment: str
    parameters: Mapping[str, Value]
    quantities: Mapping[str, Measured | Unmeasured]
    world: WorldFacts
    environment: Mapping[str, str]
    seed: int
    seconds: float
    at: str  # ISO 8601, UTC
    fault: str | None = None
    timeline: tuple[Span, ...] = field(default=())
    # For pictures alone: a name, and one row of numbers per rank.
    curves: Mapping[str, tuple[tuple[float, ...], ...]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The shape that the commands promise, less `laws`, which the caller judges and adds."""
        return {
            "experiment": self.experiment,
            "parameters": dict(self.parameters),
            "fault": self.fault,
            "seed": self.seed,
            "world": {
                "ranks": self.world.ranks,
                "hosts": self.world.hosts,
                "backend": self.world.backend,
                "device": self.world.device,
                "launcher": self.world.launcher,
            },
            "quantities": {name: _quantity_json(q) for name, q in self.quantities.items()},
            "environment": dict(self.environment),
            "seconds": round(self.seconds, 3),
            "at": self.at,
            "timeline": [
                [s.rank, s.kind, s.stage, s.microbatch, round(s.start, 6), round(s.end, 6)]
                for s in self.timeline
            ],
            "curves": {name: [list(row) for row in rows] for name, rows in self.curves.items()},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Evidence:
        """The inverse of `to_json`. Raises ValueError, KeyError or TypeError on a broken record."""
        return cls(
            experiment=str(data["experiment"]),
            parameters=dict(data["parameters"]),
            quantities={n: _quantity_from_json(q) for n, q in data["quantities"].items()},
            world=WorldFacts(**data["world"]),
            environment=dict(data["environment"]),
            seed=int(data["seed"]),
            seconds=float(data["seconds"]),
            at=str(data["at"]),
            fault=data.get("fault"),
            timeline=tuple(Span(*row) for row in data.get("timeline", ())),
            curves={
                str(name): tuple(tuple(map(float, row)) for row in rows)
                for name, rows in data.get("curves", {}).items()
            },
        )


def number_json(value: Number) -> int | float:
    """A JSON number: whole rationals as integers, others rounded to a float."""
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    return value


def _exact_json(value: Number) -> str | None:
    """`3/11` for an exact value that is not whole; whole ones are exact as they stand."""
    return str(value) if isinstance(value, Fraction) else None


def _nest(values: list[Any], shape: Shape) -> Any:
    if shape is Shape.SCALAR:
        return values[0]
    if shape is Shape.PER_RANK:
        return values
    width = math.isqrt(len(values))
    return [values[i : i + width] for i in range(0, len(values), width)]


_KEY = {Shape.SCALAR: "value", Shape.PER_RANK: "per_rank", Shape.MATRIX: "matrix"}


def _quantity_json(quantity: Measured | Unmeasured) -> dict[str, Any]:
    if isinstance(quantity, Unmeasured):
        return {"value": None, "reason": {"ja": quantity.reason.ja, "en": quantity.reason.en}}

    def column(pick: Any) -> Any:
        return _nest([pick(interval) for interval in quantity.values], quantity.shape)

    record: dict[str, Any] = {
        _KEY[quantity.shape]: column(lambda i: number_json(i.value)),
        "unit": str(quantity.unit),
        "low": column(lambda i: number_json(i.low)),
        "high": column(lambda i: number_json(i.high)),
        "source": quantity.source.value,
    }
    if all(interval.exact for interval in quantity.values):
        record["exact"] = column(lambda i: _exact_json(i.value))
    return record


_UNIT_BY_NAME = {str(Unit(b, s)): Unit(b, s) for b in range(-3, 4) for s in range(-3, 4)}


def _flatten(nested: Any) -> list[Any]:
    if isinstance(nested, list):
        return [item for part in nested for item in _flatten(part)]
    return [nested]


def _quantity_from_json(data: Mapping[str, Any]) -> Measured | Unmeasured:
    if "reason" in data:
        return Unmeasured(Text(**data["reason"]))
    shape = next(shape for shape, key in _KEY.items() if key in data)
    if "exact" in data:
        values = tuple(Interval.point(exact_fraction(text)) for text in _flatten(data["exact"]))
    else:
        columns = (_flatten(data[key]) for key in ("low", _KEY[shape], "high"))
        values = tuple(Interval(*map(float, triple)) for triple in zip(*columns, strict=True))
    return Measured(_UNIT_BY_NAME[data["unit"]], shape, Source(data["source"]), values)
