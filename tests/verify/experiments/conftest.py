"""How the tests of experiments read evidence and judge laws."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from verify.catalogue import find_experiment
from verify.claims.grammar import parse_claim
from verify.claims.judging import holds, judge
from verify.claims.scope import parameter_scope, scope_of
from verify.evidence import Evidence
from verify.quantities import Measured


@pytest.fixture(scope="session")
def numbers() -> Callable[[Evidence, str], list[Any]]:
    """The values of a quantity, ranks or matrix rows in order; whole numbers as integers."""

    def read(evidence: Evidence, name: str) -> list[Any]:
        quantity = evidence.quantities[name]
        assert isinstance(quantity, Measured), quantity
        values = (interval.value for interval in quantity.values)
        return [int(v) if isinstance(v, Fraction) and v.denominator == 1 else v for v in values]

    return read


@pytest.fixture(scope="session")
def verdicts() -> Callable[[Evidence], dict[str, str]]:
    """The verdict on every law that has a say at the evidence's parameters, by its text."""

    def read(evidence: Evidence) -> dict[str, str]:
        experiment = find_experiment(evidence.experiment)
        scope = scope_of(evidence, experiment)
        conditions = parameter_scope(experiment, evidence.parameters)
        return {
            law.claim: judge(parse_claim(law.claim), scope).verdict.value
            for law in experiment.laws
            if law.when is None or holds(law.when, conditions)
        }

    return read
