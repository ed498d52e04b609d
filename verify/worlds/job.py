"""A run as it is handed to the processes that do it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from verify.errors import UsageError
from verify.experiment import Experiment
from verify.quantities import Value
from verify.text import Text
from verify.worlds.request import Request


@dataclass(frozen=True)
class Job:
    """All that a worker must know."""

    experiment: str  # module:attribute
    parameters: Mapping[str, Value]
    ranks: int  # processes, each of them a rank
    repeats: int
    seed: int
    fault: str | None
    deadline: float  # seconds from launch; whoever launched it breaks it off then
    folder: str  # private (0700): the rendezvous file and one log per rank
    path: tuple[str, ...]  # sys.path of the parent
    pretended: int | None = None  # the ranks of a fake world, for which one process counts

    @property
    def rendezvous(self) -> Path:
        return Path(self.folder) / "rendezvous"

    def log(self, rank: int) -> Path:
        """Where a rank's standard output and error go."""
        return Path(self.folder) / f"rank-{rank}.log"


def job_of(request: Request, folder: str) -> Job:
    """Raises UsageError where a worker couldn't find the experiment."""
    return Job(
        experiment=reference(request.experiment),
        parameters=request.values,
        ranks=request.processes,
        repeats=request.times,
        seed=request.seed,
        fault=request.fault,
        deadline=request.allowed_seconds,
        folder=folder,
        path=tuple(sys.path),
        pretended=request.ranks if request.counts_only else None,
    )


def reference(experiment: Experiment) -> str:
    """The `module:attribute` under which another process finds the experiment: beside its `run`.

    Raises UsageError where it isn't there.
    """
    module = experiment.run.__module__
    for attribute, value in vars(sys.modules[module]).items():
        same = isinstance(value, Experiment) and value.run is experiment.run
        if same and value.name == experiment.name and module != "__main__":
            return f"{module}:{attribute}"
    raise UsageError(
        Text(
            ja=f"実験 {experiment.name} は、その run と同じモジュール ({module}) にありません。",
            en=f"The experiment {experiment.name} isn't in the module of its run ({module}).",
        ),
        Text(
            ja="import できる一つのファイルに、実験と run を並べて書いてください。",
            en="Keep an experiment and its run together in one file that can be imported.",
        ),
    )


def load(reference: str) -> Experiment:
    """The experiment behind `module:attribute`. Raises TypeError where there is something else."""
    module, _, attribute = reference.partition(":")
    experiment = getattr(importlib.import_module(module), attribute)
    if not isinstance(experiment, Experiment):
        raise TypeError(f"{reference} is not an Experiment")
    return experiment
