"""How the tests of experiments read evidence and judge laws."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from verify.catalogue import find_experiment
from verify.evidence import Evidence
from verify.laws import judge_laws
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
        judged = judge_laws(find_experiment(evidence.experiment), evidence)
        return {one.law.claim: one.judgement.verdict.value for one in judged}

    return read
