"""What the tests of `verify` share: one warm world per session, and the runs made on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from verify.catalogue import find_experiment
from verify.evidence import Evidence
from verify.worlds.local import LocalWorld
from verify.worlds.request import Request

Measure = Callable[..., Evidence]


@pytest.fixture(scope="session")
def world() -> Iterator[LocalWorld]:
    """A local world with a warm server, started on first use."""
    with LocalWorld() as world:
        yield world


@pytest.fixture(scope="session")
def measure(world: LocalWorld) -> Measure:
    """`measure(name, fault=None, **parameters)`: the evidence of one run, made once per session."""

    @cache
    def run(name: str, fault: str | None = None, **parameters: object) -> Evidence:
        experiment = find_experiment(name)
        experiment.check_fault(fault)
        return world.run(Request(experiment, experiment.bind(parameters), fault=fault))

    return run
