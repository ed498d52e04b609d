"""What the names of a claim stand for: of one run, or of several compared ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from verify.claims.tree import Reference
from verify.evidence import Evidence
from verify.experiment import Experiment, as_number
from verify.quantities import Measured, Shape, Unmeasured, Value, scalar
from verify.text import Text
from verify.units import BYTE, ONE, Unit, parse_size


@dataclass(frozen=True, slots=True)
class Declared:
    """What is known of a name before any run."""

    unit: Unit = ONE
    shape: Shape = Shape.SCALAR
    timed: bool = False  # read from a clock or drawn by chance, so never exact
    number: bool = True  # False for a choice or a switch, which a claim can't compute with
    given: bool = False  # a parameter, or what a card brings: no run measures it


Signature = Mapping[Reference, Declared]
"""The names that a claim may use, with what is known of each."""

WORD = Declared(number=False, given=True)
_NOT_A_NUMBER = Unmeasured(Text(ja="数ではありません。", en="Not a number."))


@dataclass(frozen=True)
class Scope:
    """The values behind the names of a claim. `ranks` holds the number of ranks of each run.

    The only run of a proof has the name None; `join` puts named runs together.
    """

    known: Signature = field(default_factory=dict)
    held: Mapping[Reference, Measured | Unmeasured] = field(default_factory=dict)
    ranks: Mapping[str | None, int] = field(default_factory=dict)

    def with_names(self, extra: Mapping[str, Measured | Unmeasured | Fraction | Value]) -> Scope:
        """This scope and some names without a run: a compute card's `result` and `vary`.

        Text is a size (`4 MiB`) where it reads as one. A name that this scope knows already, such
        as a parameter that a card varies, is replaced but keeps its unit when given as a number.
        """
        known, held = dict(self.known), dict(self.held)
        for name, value in extra.items():
            reference = Reference(None, name)
            before = known.get(reference, Declared())
            known[reference], held[reference] = _entry(value, before)
        return Scope(known, held, self.ranks)


def join(*scopes: Scope) -> Scope:
    """One scope of several, made with different run names."""
    known: dict[Reference, Declared] = {}
    held: dict[Reference, Measured | Unmeasured] = {}
    ranks: dict[str | None, int] = {}
    for scope in scopes:
        known |= scope.known
        held |= scope.held
        ranks |= scope.ranks
    return Scope(known, held, ranks)


def signature(experiment: Experiment, run: str | None = None) -> dict[Reference, Declared]:
    """The names that an experiment brings: its parameters and its quantities."""
    return parameter_signature(experiment, run) | {
        Reference(run, q.name): Declared(q.unit, q.shape, q.timed or q.sampled)
        for q in experiment.quantities
    }


def parameter_signature(
    experiment: Experiment, run: str | None = None
) -> dict[Reference, Declared]:
    """The parameters alone: what the condition of a law, or a result to compute, may use."""
    return {
        Reference(run, p.name): Declared(p.unit, number=p.kind not in (bool, str), given=True)
        for p in experiment.parameters()
    }


def parameter_scope(
    experiment: Experiment, parameters: Mapping[str, Value], run: str | None = None
) -> Scope:
    """The parameters of a run alone, with the units that the experiment declares."""
    known = parameter_signature(experiment, run)
    held = {
        Reference(run, name): _entry(value, known[Reference(run, name)])[1]
        for name, value in parameters.items()
        if Reference(run, name) in known
    }
    return Scope({reference: known[reference] for reference in held}, held)


def scope_of(evidence: Evidence, experiment: Experiment, run: str | None = None) -> Scope:
    """One run's names: the parameters and the quantities of its evidence."""
    declared = signature(experiment, run)
    held: dict[Reference, Measured | Unmeasured] = {}
    known: dict[Reference, Declared] = {}
    for name, quantity in evidence.quantities.items():
        reference = Reference(run, name)
        held[reference] = quantity
        known[reference] = declared.get(reference, Declared())
        if isinstance(quantity, Measured):
            timed = known[reference].timed
            known[reference] = Declared(quantity.unit, quantity.shape, timed)
    here = Scope(known, held, {run: evidence.world.ranks})
    return join(parameter_scope(experiment, evidence.parameters, run), here)


def _entry(
    value: Measured | Unmeasured | Fraction | Value, before: Declared
) -> tuple[Declared, Measured | Unmeasured]:
    if isinstance(value, Measured):
        return Declared(value.unit, value.shape), value
    if isinstance(value, Unmeasured):
        return before, value
    if isinstance(value, str) and before.number:
        try:
            return Declared(BYTE, given=True), scalar(parse_size(value), BYTE)
        except ValueError:
            return WORD, _NOT_A_NUMBER
    number = value if isinstance(value, Fraction) else as_number(value)
    if number is None:
        return WORD, _NOT_A_NUMBER
    return Declared(before.unit, given=True), scalar(number, before.unit)
