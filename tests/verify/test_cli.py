"""Settings of a run, as they are typed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest
from typer.testing import CliRunner

from verify import cli
from verify.catalogue import find_experiment
from verify.cli import Surroundings, app, expand
from verify.errors import RunFailed, UsageError
from verify.evidence import Evidence
from verify.experiment import Experiment
from verify.text import verbatim
from verify.worlds.request import Request

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


def test_a_setting_given_twice_is_refused_and_not_overruled() -> None:
    with pytest.raises(UsageError, match="ranks is given twice") as caught:
        [*expand(RING, ["ranks=2", "ranks=3"])]
    assert caught.value.hint is not None
    assert "ranks=A,B" in caught.value.hint.en


def test_a_sweep_of_too_many_runs_is_refused_before_they_are_listed() -> None:
    many = ",".join(["2"] * 1000)  # 10**12 combinations would fill the memory
    settings = [f"{name}={many}" for name in ("stages", "microbatches", "batch", "hidden")]
    with pytest.raises(UsageError, match="1,000,000,000,000 is over the limit of 256"):
        next(expand(find_experiment("pipeline-bubble"), settings))
    assert len([*expand(RING, ["ranks=" + ",".join(["2"] * 256)])]) == 256
    assert len([*expand(RING, ["ranks=" + ",".join(["2"] * 257)], allow_large=True)]) == 257


# A size longer than any number needs to be must not be cut to one that is possible.
@pytest.mark.parametrize("value", ["nan", "inf", "0.1" + "0" * 40 + "e9", "0x1", ""])
def test_what_is_no_number_is_refused(value: str) -> None:
    with pytest.raises(UsageError, match="is not possible"):
        find_experiment("data-parallel-step").bind({"learning_rate": value})


@pytest.mark.parametrize(
    ("experiment", "options", "kept"),
    [
        ("throughput wait=1", "--repeat 1", 0),  # a proof repeats it five times
        ("throughput wait=1", "--repeat 5", 1),
        ("throughput wait=1", "", 1),
        ("token-mean", "--repeat 1", 1),  # and this once
    ],
)
def test_what_a_proof_would_repeat_more_often_is_not_kept_for_it(
    run_verify: Callable[[str], list[Evidence]], experiment: str, options: str, kept: int
) -> None:
    assert len(run_verify(f"run {experiment} {options}")) == kept


def test_what_a_sweep_measured_before_it_broke_is_kept(
    monkeypatch: pytest.MonkeyPatch, run_verify: Callable[[str], list[Evidence]]
) -> None:
    def breaking(requests: Sequence[Request]) -> Iterator[Evidence]:
        yield from before(requests[:1])
        raise RunFailed(verbatim("rank 1 is gone"))

    before = cli._evidence
    monkeypatch.setattr(cli, "_evidence", breaking)
    assert len(run_verify("run all-reduce-bytes ranks=2,3", code=1)) == 1


@pytest.fixture
def run_verify() -> Callable[[str], list[Evidence]]:
    """Run a command line; what was kept of it."""

    def call(line: str, code: int = 0) -> list[Evidence]:
        kept: list[Evidence] = []

        def keep(_: Request, evidence: Evidence) -> None:
            kept.append(evidence)

        assert app(line.split(), standalone_mode=False, obj=Surroundings(keep=keep)) == code
        return kept

    return call


def test_a_broken_experiment_of_a_package_hides_no_other_from_the_list(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def find(name: str) -> Experiment:
        if name == "theirs":
            raise UsageError(verbatim("theirs can't be loaded"))
        return RING

    monkeypatch.setattr(cli, "experiment_names", lambda: ("theirs", "all-reduce-bytes"))
    monkeypatch.setattr(cli, "find_experiment", find)
    told = CliRunner().invoke(app, ["list", "--json"])
    assert told.exit_code == 2
    assert "all-reduce-bytes" in told.stdout
    assert "theirs" not in told.stdout
    assert told.stderr == "theirs can't be loaded\n"
