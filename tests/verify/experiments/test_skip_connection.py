"""skip-connection: 8 × 128 × 256 float32 are 1 MiB, with 96 B of header and 48 B of answer each."""

from __future__ import annotations

import pytest

from verify.catalogue import find_experiment
from verify.errors import UsageError

MiB = 2**20


@pytest.mark.parametrize(
    ("route", "rows"),
    [
        ("direct", [[0, 1, 1], [1, 0, 1], [1, 1, 0]]),
        ("relayed", [[0, 1, 0], [1, 0, 2], [0, 2, 0]]),
        ("none", [[0, 1, 0], [1, 0, 1], [0, 1, 0]]),
    ],
)
def test_who_sends_whom_how_many_tensors(route, rows, measure, numbers):
    evidence = measure("skip-connection", route=route)
    wanted = [n * (MiB + 96 + 48) for row in rows for n in row]
    assert numbers(evidence, "wire_matrix") == wanted
    assert numbers(evidence, "boundary") == [MiB]
    assert max(numbers(evidence, "gradient_difference")) < 1e-6


@pytest.mark.parametrize("fault", ["no-skip", "skip-gradient", "one-element"])
def test_faults_of_a_relayed_skip(fault, measure, verdicts):
    found = verdicts(measure("skip-connection", fault, route="relayed"))
    naming = {law.claim for law in find_experiment("skip-connection").laws if law.fault == fault}
    assert {found[claim] for claim in naming & set(found)} == {"refuted"}


@pytest.mark.parametrize(
    "given", [{"route": "scenic"}, {"batch": 256, "sequence": 4096, "hidden": 2048}]
)
def test_what_cannot_be_is_refused(given):
    with pytest.raises(UsageError, match=next(iter(given))):
        find_experiment("skip-connection").bind(given)
