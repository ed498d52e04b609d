"""What one asks of a world, and what it says while it works."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from verify.experiment import Experiment, values_of


@dataclass(frozen=True)
class Request:
    """One run: an experiment with checked parameters, a fresh seed and perhaps a fault."""

    experiment: Experiment
    parameters: Any  # an instance of experiment.Parameters
    fault: str | None = None
    repeats: int | None = None  # None: what the experiment asks for
    seed: int = field(default_factory=lambda: secrets.randbits(31))

    @property
    def ranks(self) -> int:
        return self.experiment.world_size(self.parameters)

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


@dataclass(frozen=True, slots=True)
class Progress:
    """What a rank has just reached, for whoever waits."""

    rank: int
    ranks: int
    step: str


OnProgress = Callable[[Progress], None]


def ignore(_: Progress) -> None:
    """For callers who don't show progress."""
