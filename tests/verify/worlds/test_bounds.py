"""What is refused before any process starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest

from verify.errors import UsageError
from verify.experiment import Experiment
from verify.units import Bytes, GiB
from verify.worlds.bounds import check_bounds, check_runs
from verify.worlds.request import Request


@dataclass(frozen=True)
class Parameters:
    ranks: Annotated[int, "of the world"] = 4
    payload: Bytes = Bytes(1)  # noqa: RUF009 # a NewType calls nothing
    seconds: float = 1.0


EXPERIMENT = Experiment(
    "made-up", Parameters, lambda *_: {}, quantities=(), expected_seconds=lambda p: p.seconds
)


@pytest.fixture(autouse=True)
def free(monkeypatch):
    monkeypatch.setattr("verify.worlds.bounds.free_memory", lambda: 8 * GiB)


@pytest.mark.parametrize(
    ("parameters", "limit"),
    [
        (Parameters(ranks=17), "ranks: 17 is over the limit of 16."),
        (Parameters(payload=Bytes(GiB + 1)), "payload: 1.00 GiB is over the limit of 1.00 GiB."),
        (Parameters(ranks=5, payload=Bytes(GiB)), "5.00 GiB is over the limit of 4.00 GiB."),
        (Parameters(seconds=121), "expected time: 121 s is over the limit of 120 s."),
    ],
)
def test_each_limit_is_named(parameters, limit):
    request = Request(EXPERIMENT, parameters)
    with pytest.raises(UsageError) as caught:
        check_bounds(request)
    assert str(caught.value).endswith(limit)
    assert "--allow-large" in caught.value.hint.en
    assert "--allow-large" in caught.value.hint.ja
    check_bounds(request, allow_large=True)


def test_up_to_the_limits_is_fine():
    check_bounds(Request(EXPERIMENT, Parameters(ranks=4, payload=Bytes(GiB), seconds=120)))
    check_bounds(Request(EXPERIMENT, Parameters(ranks=16, payload=Bytes(GiB // 4))))


def test_repeats_count_towards_the_expected_time():
    with pytest.raises(UsageError, match="expected time: 150 s"):
        check_bounds(Request(EXPERIMENT, Parameters(seconds=30), repeats=5))


def test_where_memory_is_unknown_the_other_limits_hold(monkeypatch):
    monkeypatch.setattr("verify.worlds.bounds.free_memory", lambda: None)
    check_bounds(Request(EXPERIMENT, Parameters(ranks=16, payload=Bytes(GiB))))


def test_a_sweep_is_bounded_too():
    check_runs(256)
    with pytest.raises(UsageError, match="runs: 257 is over the limit of 256"):
        check_runs(257)
    check_runs(257, allow_large=True)
