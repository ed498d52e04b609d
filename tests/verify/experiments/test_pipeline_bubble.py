"""pipeline-bubble: refusals, laws that hold on real ranks, and faults that refute them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from verify.claims import Verdict
from verify.errors import UsageError
from verify.evidence import Evidence
from verify.experiments.pipeline_bubble import experiment
from verify.laws import judge_laws
from verify.pipelines import SCHEDULES
from verify.probes.replay import operations_of, replay
from verify.quantities import Measured, Unmeasured
from verify.worlds.local import LocalWorld
from verify.worlds.request import Request

Run = Callable[..., Evidence]


@pytest.fixture
def run(world: LocalWorld) -> Run:
    def one(fault: str | None = None, repeats: int | None = None, **given: object) -> Evidence:
        parameters = experiment.bind({"wait": 0, **given})
        return world.run(Request(experiment, parameters, fault=fault, repeats=repeats))

    return one


def exact(evidence: Evidence, name: str) -> list[object]:
    quantity = evidence.quantities[name]
    assert isinstance(quantity, Measured)
    assert all(interval.exact for interval in quantity.values)
    return [interval.value for interval in quantity.values]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"microbatches": 7}, "batch=960 can't be divided into microbatches=7"),
        ({"microbatches": 8, "batch": 4}, "batch=4 can't be divided into microbatches=8"),
        ({"schedule": "1f1b", "microbatches": 3}, "1f1b needs microbatches ≥ stages"),
        ({"schedule": "interleaved-1f1b", "microbatches": 2}, "interleaved-1f1b needs"),
        ({"schedule": "pipedream"}, "schedule=pipedream is not possible"),
        ({"stages": 1}, "stages=1 is not possible"),
    ],
)
def test_what_cannot_run_is_refused_before_a_rank_starts(
    given: dict[str, object], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        experiment.bind(given)


@pytest.mark.parametrize(
    ("schedule", "bubble", "length", "held"),
    [
        ("gpipe", Fraction(3, 11), 33, [8, 8, 8, 8]),
        ("1f1b", Fraction(3, 11), 33, [4, 3, 2, 1]),
        ("interleaved-1f1b", Fraction(3, 19), 57, [11, 9, 7, 5]),
        ("looped-bfs", Fraction(3, 19), 57, [16, 16, 16, 16]),
        ("interleaved-zero-bubble", Fraction(3, 51), 51, [8, 8, 8, 8]),
        ("zbv", Fraction(3, 51), 51, [8, 8, 8, 8]),
        ("dualpipev", Fraction(3, 51), 51, [9, 9, 9, 9]),
    ],
)
def test_what_ran_on_four_ranks_obeys_its_laws(
    run: Run, schedule: str, bubble: Fraction, length: int, held: list[int]
) -> None:
    evidence = run(schedule=schedule)
    assert exact(evidence, "bubble_replay") == [bubble]
    assert exact(evidence, "replay_length") == [length]
    assert exact(evidence, "held") == held
    laws = judge_laws(experiment, evidence)
    assert len(laws) >= 7
    assert {
        law.law.claim for law in laws if law.judgement.verdict is not Verdict.CONFIRMED
    } == set()
    # The timeline alone tells the same story.
    lists = [operations_of(s for s in evidence.timeline if s.rank == rank) for rank in range(4)]
    assert replay(lists).bubble == bubble


@pytest.mark.parametrize("fault", ["serial", "stale"])
@pytest.mark.parametrize("schedule", ["gpipe", "1f1b", "zbv"])
def test_a_fault_refutes_every_law_that_names_it(run: Run, schedule: str, fault: str) -> None:
    evidence = run(schedule=schedule, stages=3, microbatches=6, fault=fault)
    laws = judge_laws(experiment, evidence)
    named = {law.law.claim for law in laws if law.law.fault == fault}
    assert named
    assert named == {j.law.claim for j in laws if j.judgement.verdict is Verdict.REFUTED}


def test_stale_parameters_stay_near_the_true_ones_however_many_microbatches(run: Run) -> None:
    evidence = run(schedule="looped-bfs", stages=4, microbatches=64, batch=64, fault="stale")
    difference = evidence.quantities["gradient_difference"]
    assert isinstance(difference, Measured)
    # Updates add up to a step of at most rate .1 along the mean gradient: no multiple of it.
    assert 1e-6 < max(float(i.value) for i in difference.values) < 2


def test_summed_gradients_differ_by_the_number_of_microbatches(run: Run) -> None:
    evidence = run(stages=2, microbatches=4, fault="sum-not-mean")
    difference = evidence.quantities["gradient_difference"]
    assert isinstance(difference, Measured)
    # ‖m·g − g‖ / ‖g‖ = m − 1
    assert [float(i.value) for i in difference.values] == pytest.approx([3, 3])


def test_one_microbatch_alone_keeps_one_rank_busy(run: Run) -> None:
    evidence = run(microbatches=1, schedule="gpipe", stages=3)
    assert exact(evidence, "bubble_replay") == [Fraction(2, 3)]
    assert exact(evidence, "busy_ranks") == [1]


def test_the_clock_needs_work_that_takes_time(run: Run) -> None:
    assert isinstance(run(stages=2).quantities["bubble_wall"], Unmeasured)


def test_the_clock_tells_a_pipeline_from_a_queue(run: Run) -> None:
    small = {"stages": 2, "microbatches": 4, "wait": 10}
    pipelined = run(**small, repeats=2).quantities["bubble_wall"]
    serial = run(**small, repeats=2, fault="serial").quantities["bubble_wall"]
    assert isinstance(pipelined, Measured)
    assert isinstance(serial, Measured)
    # 1/5 and 1/2 on an idle machine
    assert pipelined.values[0].value < 0.4 < serial.values[0].value


def test_real_products_can_take_the_place_of_waits(run: Run) -> None:
    evidence = run(stages=2, microbatches=2, wait=2, compute="real", repeats=1)
    assert isinstance(evidence.quantities["bubble_wall"], Measured)
    assert exact(evidence, "bubble_replay") == [Fraction(1, 3)]


def test_every_schedule_of_the_catalogue_can_be_asked_for() -> None:
    for name in SCHEDULES:
        assert experiment.bind({"schedule": name}).schedule == name


def test_products_count_towards_the_expected_time() -> None:
    """Measured on two cores: 30 s, most of it in each rank's own run of the whole model."""
    largest = {"stages": 8, "microbatches": 64, "schedule": "zbv", "batch": 4096, "hidden": 512}
    assert 15 < experiment.expected_seconds(experiment.bind({**largest, "wait": 0})) < 60
