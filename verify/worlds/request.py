"""What one asks of a world, and what it says while it works."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from verify.environment import describe, evidence_key, installed_torch
from verify.experiment import Experiment, values_of
from verify.text import Text

_SPARE_SECONDS = 30.0  # of a deadline, beside what the run is expected to take


@dataclass(frozen=True)
class Request:
    """One run: an experiment with checked parameters, a fresh seed and perhaps a fault."""

    experiment: Experiment
    parameters: Any  # an instance of experiment.Parameters
    fault: str | None = None
    repeats: int | None = None  # None: what the experiment asks for
    seed: int = field(default_factory=lambda: secrets.randbits(31))
    deadline: float | None = None  # seconds; None: from what the run is expected to take

    @property
    def ranks(self) -> int:
        return self.experiment.world_size(self.parameters)

    @property
    def counts_only(self) -> bool:
        """Whether one process stands for a world that is far too large for this machine."""
        return self.values.get("world") == "fake"

    @property
    def processes(self) -> int:
        """How many processes of this machine take part."""
        return 1 if self.counts_only else self.ranks

    @property
    def times(self) -> int:
        return self.repeats or self.experiment.repeats(self.parameters)

    @property
    def values(self) -> Mapping[str, Any]:
        return values_of(self.parameters)

    @property
    def expected_seconds(self) -> float:
        """A rough bound of what the run takes, warm."""
        return self.experiment.expected_seconds(self.parameters) * self.times

    @property
    def allowed_seconds(self) -> float:
        """The deadline: a run that takes longer is broken off."""
        return self.deadline or _SPARE_SECONDS + 4 * self.expected_seconds


@dataclass(frozen=True, slots=True)
class Progress:
    """What a rank has just reached, for whoever waits."""

    rank: int
    ranks: int
    step: str  # what perform and the worlds say; LOADING and STARTING come before any rank
    run: Text | None = None  # of several: `run 3 of 12: pipeline-bubble microbatches=8`


LOADING, STARTING = "loading", "starting"

OnProgress = Callable[[Progress], None]


def ignore(_: Progress) -> None:
    """For callers who don't show progress."""


def request_key(request: Request) -> str:
    """The key under which evidence that answers this request is kept, known before running."""
    environment = describe(installed_torch(), request.experiment)
    return evidence_key(request.experiment.name, request.values, request.fault, environment)
