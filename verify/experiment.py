"""What an experiment is: parameters, quantities, laws, faults and the function each rank runs.

Torch-free: an experiment's `run` makes one deferred import from `verify.parallel`.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

from verify.errors import UnknownName, UsageError
from verify.quantities import Quantity, Readings, Value
from verify.text import Language, Text, verbatim
from verify.units import BYTE, ONE, Unit, format_size, parse_size

if TYPE_CHECKING:
    from verify.worlds.rank import Rank


@dataclass(frozen=True, slots=True)
class Between:
    """Inclusive bounds of a number."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class OneOf:
    """The values a text parameter may take."""

    choices: tuple[str, ...]

    def __init__(self, *choices: str) -> None:
        object.__setattr__(self, "choices", choices)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an experiment, read from its `Parameters` dataclass."""

    name: str
    kind: type
    unit: Unit
    default: Value
    meaning: Text
    bounds: Between | OneOf | None

    def parse(self, given: object) -> Value:
        """Check a value from a deck or a command line (text or already typed).

        Raises UsageError naming the parameter, the value and what is allowed.
        """
        try:
            value = self._convert(given)
        except (ValueError, OverflowError, TypeError, KeyError) as error:
            raise self._refused(given) from error
        if isinstance(self.bounds, OneOf) and value not in self.bounds.choices:
            raise self._refused(given)
        if isinstance(self.bounds, Between) and not (
            self.bounds.low <= value <= self.bounds.high  # type: ignore[operator] # only numbers have Between
        ):
            raise self._refused(given)
        return value

    def _convert(self, given: object) -> Value:
        text = given.strip() if isinstance(given, str) else given
        if self.kind is bool:
            if isinstance(text, bool):
                return text
            return {"true": True, "yes": True, "false": False, "no": False}[str(text).lower()]
        if isinstance(text, bool):
            raise ValueError("a switch where a number is meant")
        if self.unit == BYTE:
            return parse_size(str(text))
        if self.kind is int:
            number = float(str(text)) if len(str(text)) <= 20 else float("inf")
            if not number.is_integer():
                raise ValueError("not a whole number")
            return int(number)
        if self.kind is float:
            value = float(str(text)) if len(str(text)) <= 40 else math.inf
            if not math.isfinite(value):
                raise ValueError("not a finite number")
            return value
        return str(text)

    def allowed(self) -> str:
        """What may be given, for messages: `2 to 16`, `gpipe, 1f1b`."""
        if isinstance(self.bounds, OneOf):
            return ", ".join(self.bounds.choices)
        if isinstance(self.bounds, Between):
            low, high = (
                format_size(b) if self.unit == BYTE else f"{b:g}"
                for b in (self.bounds.low, self.bounds.high)
            )
            return f"{low} – {high}"
        return "true, false" if self.kind is bool else self.kind.__name__

    def _refused(self, given: object) -> UsageError:
        shown = str(given)[:60]
        return UsageError(
            Text(
                ja=f"{self.name}={shown} は使えません。",
                en=f"{self.name}={shown} is not possible.",
            ),
            Text(ja=f"使える値: {self.allowed()}", en=f"Possible: {self.allowed()}"),
        )


@dataclass(frozen=True, slots=True)
class Law:
    """A textbook statement in the grammar of claims.

    `when` is a claim about numeric parameters alone, and `only` lists the values that choices and
    switches may have; where either doesn't hold the law says nothing. `fault` names a fault under
    which this law is refuted.
    """

    claim: str
    meaning: Text
    when: str | None = None
    fault: str | None = None
    only: Mapping[str, Collection[Value]] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fault:
    """A declared way to break the experiment on purpose, so that a claim can be seen to fail."""

    name: str
    meaning: Text


def _no_objection(_: Any) -> Text | None:
    return None


def _nothing_to_add(_: Any, __: Sequence[Mapping[str, Any]]) -> Readings:
    return {}


def _once(_: Any) -> int:
    return 1


def _quick(_: Any) -> float:
    return 1.0


@dataclass(frozen=True)
class Experiment:
    """A real distributed run that yields quantities.

    `run(rank, parameters)` returns this rank's readings. `conclude(parameters, readings of every
    rank)` may add scalar readings that need all ranks (a replay, a spread); it runs once, in the
    process that gathered them, and must not import torch.
    """

    name: str
    Parameters: type
    run: Callable[[Rank, Any], Readings]
    quantities: tuple[Quantity, ...]
    laws: tuple[Law, ...] = ()
    faults: tuple[Fault, ...] = ()
    title: Text = dataclasses.field(default_factory=lambda: Text(en=""))
    world_size: Callable[[Any], int] = lambda parameters: int(parameters.ranks)
    refuse: Callable[[Any], Text | None] = _no_objection  # why these parameters can't run
    conclude: Callable[[Any, Sequence[Mapping[str, Any]]], Readings] = _nothing_to_add
    repeats: Callable[[Any], int] = _once  # at least 5 where a timed quantity is of use
    expected_seconds: Callable[[Any], float] = _quick  # one repeat, warm; bounds and deadlines
    on_device: bool = False  # its run puts every tensor on rank.device, a GPU where there are some
    origin: str = "proofdeck"  # the distribution that brings it

    def description(self, language: Language) -> str:
        """The docstring of the file that holds the experiment, in the words a learner reads.

        It is English, then a line `---`, then Japanese; without that line it serves both.
        """
        english, _, japanese = (inspect.getdoc(inspect.getmodule(self.run)) or "").partition(
            "\n---\n"
        )
        return (japanese if language == "ja" and japanese else english).strip()

    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters with their bounds, in the order of the dataclass."""
        hints = get_type_hints(self.Parameters, include_extras=True)
        return tuple(
            _parameter(field.name, hints[field.name], field.default)
            for field in dataclasses.fields(self.Parameters)
        )

    def quantity(self, name: str) -> Quantity | None:
        return next((q for q in self.quantities if q.name == name), None)

    def laws_for(self, parameters: Any) -> tuple[Law, ...]:
        """The laws that speak of runs with such text parameters; `when` is the judge's to check."""
        values = values_of(parameters)
        return tuple(
            law
            for law in self.laws
            if all(values[name] in allowed for name, allowed in law.only.items())
        )

    def bind(self, given: Mapping[str, object]) -> Any:
        """A checked `Parameters` from text or YAML values; defaults fill what is missing.

        Raises UnknownName, or UsageError where a value is out of bounds or refused.
        """
        known = {p.name: p for p in self.parameters()}
        for name in given:
            if name not in known:
                raise UnknownName(
                    Text(
                        ja=f"{self.name} にパラメータ {name[:60]} はありません。",
                        en=f"{self.name} has no parameter {name[:60]}.",
                    ),
                    verbatim(", ".join(known)),
                )
        values = {name: known[name].parse(value) for name, value in given.items()}
        parameters = self.Parameters(**values)
        if (reason := self.refuse(parameters)) is not None:
            raise UsageError(reason)
        return parameters

    def check_fault(self, fault: str | None) -> None:
        """Raises UnknownName unless `fault` is None or declared."""
        if fault is not None and fault not in {f.name for f in self.faults}:
            raise UnknownName(
                Text(
                    ja=f"{self.name} に故障 {fault[:60]} はありません。",
                    en=f"{self.name} has no fault {fault[:60]}.",
                ),
                verbatim(", ".join(f.name for f in self.faults)),
            )


def values_of(parameters: Any) -> dict[str, Value]:
    """A `Parameters` instance as a plain mapping, for evidence and claims."""
    return dataclasses.asdict(parameters)


def as_number(value: Value) -> Fraction | None:
    """A parameter as an exact number, or None for a choice. A float is read as it is written."""
    if isinstance(value, bool | str):
        return None
    return Fraction(value) if isinstance(value, int) else Fraction(repr(value))


def _parameter(name: str, hint: Any, default: Any) -> Parameter:
    kind, *extras = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    unit = next((e for e in extras if isinstance(e, Unit)), ONE)
    if getattr(kind, "__name__", "") == "Bytes":  # the NewType of verify.units
        kind, unit = int, BYTE
    return Parameter(
        name=name,
        kind=kind,
        unit=unit,
        default=default,
        meaning=next((e for e in extras if isinstance(e, Text)), verbatim(name)),
        bounds=next((e for e in extras if isinstance(e, Between | OneOf)), None),
    )
