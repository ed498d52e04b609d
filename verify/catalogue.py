"""Which experiments there are: the built-in ones by file, others by entry point.

An entry point is resolved from metadata and imported only when named, and can't shadow a built-in
name.
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from verify import EXPERIMENTS
from verify.errors import UnknownName, UsageError
from verify.experiment import Experiment
from verify.text import Text


@lru_cache
def _built_in() -> dict[str, str]:
    folder = Path(__file__).parent / "experiments"
    stems = (path.stem for path in sorted(folder.glob("*.py")))
    return {s.replace("_", "-"): f"verify.experiments.{s}" for s in stems if s != "__init__"}


def _brought() -> dict[str, EntryPoint]:
    return {e.name: e for e in entry_points(group=EXPERIMENTS) if e.name not in _built_in()}


def experiment_names() -> tuple[str, ...]:
    """Every name, built-in first. Imports no experiment."""
    return (*_built_in(), *sorted(_brought()))


def brought_by(name: str) -> str | None:
    """The package that brings an experiment; None for a built-in one. Imports no experiment."""
    entry = _brought().get(name)
    return None if entry is None else _origin(entry)


@lru_cache
def find_experiment(name: str) -> Experiment:
    """The experiment of that name. Raises UnknownName; UsageError where its package is broken."""
    if (module := _built_in().get(name)) is not None:
        found = importlib.import_module(module).experiment
    elif (entry := _brought().get(name)) is not None:
        found = _load(entry)
    else:
        close = difflib.get_close_matches(name, experiment_names(), n=1)
        raise UnknownName(
            Text(ja=f"実験 {name[:60]} はありません。", en=f"There is no experiment {name[:60]}."),
            Text(ja=f"{close[0]} のことですか。", en=f"Did you mean {close[0]}?")
            if close
            else Text(ja="一覧: quiz verify list", en="For a list: quiz verify list"),
        )
    assert isinstance(found, Experiment)
    return found


def _unfit(experiment: Experiment) -> Text | None:
    """What would break every run, or no run would show: it is told before any."""
    if not hasattr(experiment.Parameters, "__dataclass_fields__"):
        return Text(ja="Parameters は dataclass ではありません。", en="Parameters is no dataclass.")
    for parameter in experiment.parameters():
        if isinstance(parameter.default, type(dataclasses.MISSING)):
            return Text(
                ja=f"パラメータ {parameter.name} に既定値がありません。",
                en=f"the parameter {parameter.name} has no default.",
            )
    declared = {fault.name for fault in experiment.faults}
    for law in experiment.laws:
        if law.fault is not None and law.fault not in declared:
            return Text(
                ja=f"法則 {law.claim} の故障 {law.fault} が faults にありません。",
                en=f"the fault {law.fault} of the law {law.claim} is not among its faults.",
            )
    return None


def _origin(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.module


def _load(entry: EntryPoint) -> Experiment:
    origin = _origin(entry)
    try:
        found = entry.load()
    except Exception as error:  # third-party code may raise anything
        reason = f"{type(error).__name__}: {error}"
        raise UsageError(
            Text(
                ja=f"{origin} の実験 {entry.name} を読み込めません: {reason}",
                en=f"The experiment {entry.name} of {origin} can't be loaded: {reason}",
            )
        ) from error
    if not isinstance(found, Experiment) or found.name != entry.name:
        is_named = f" ({found.name})" if isinstance(found, Experiment) else ""
        raise UsageError(
            Text(
                ja=f"{origin} の {entry.value}{is_named} は名前 {entry.name} の Experiment では"
                "ありません。",
                en=f"{entry.value}{is_named} of {origin} is not an Experiment named {entry.name}.",
            )
        )
    if (fault := _unfit(found)) is not None:
        raise UsageError(
            Text(
                ja=f"{origin} の実験 {entry.name}: {fault.ja}",
                en=f"the experiment {entry.name} of {origin}: {fault.en}",
            )
        )
    return dataclasses.replace(found, origin=origin)
