"""Settings of a run, as they are typed."""

from __future__ import annotations

import pytest

from verify.catalogue import find_experiment
from verify.cli import expand
from verify.errors import UsageError

RING = find_experiment("all-reduce-bytes")


def test_values_separated_by_commas_run_in_turn() -> None:
    assert [*expand(RING, ["ranks=2,4", "payload=1 MiB"])] == [
        {"ranks": "2", "payload": "1 MiB"},
        {"ranks": "4", "payload": "1 MiB"},
    ]
    assert [*expand(RING, [])] == [{}]


def test_a_local_world_may_be_said_to_any_experiment() -> None:
    assert [*expand(RING, ["world=local", "ranks=2"])] == [{"ranks": "2"}]
    counted = find_experiment("model-traffic")
    assert [*expand(counted, ["world=fake"])] == [{"world": "fake"}]
    assert counted.bind({"world": "fake"}).world == "fake"


@pytest.mark.parametrize("kind", ["fake", "", "local,fake", "\x1b[2J"])
def test_another_world_only_to_one_that_counts(kind: str) -> None:
    with pytest.raises(UsageError, match="world=local"):
        [*expand(RING, [f"world={kind}"])]


@pytest.mark.parametrize("setting", ["ranks", "=4", ""])
def test_what_is_no_setting_is_refused(setting: str) -> None:
    with pytest.raises(UsageError, match="key=value"):
        [*expand(RING, [setting])]
