"""pipeline-memory: bytes by hand, laws that hold on real ranks, and faults that refute them.

One stage is a linear layer and a tanh in float64: it saves its input and its output, each
microbatch × hidden × 8 B.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from verify.claims import Verdict
from verify.errors import UsageError
from verify.evidence import Evidence
from verify.experiments.pipeline_memory import experiment
from verify.laws import judge_laws
from verify.worlds.local import LocalWorld
from verify.worlds.request import Request

Run = Callable[..., Evidence]
ONE = 2 * 4 * 8 * 8  # of microbatch=4, hidden=8


@pytest.fixture
def run(world: LocalWorld) -> Run:
    def one(fault: str | None = None, **given: object) -> Evidence:
        parameters = experiment.bind({"microbatch": 4, "hidden": 8, **given})
        return world.run(Request(experiment, parameters, fault=fault))

    return one


@pytest.mark.parametrize(
    ("schedule", "held", "peak"),
    [
        # Counts of half stages at p = 4, m = 8, v = 2 as measured by torch's own schedules; the
        # last column in units of one stage's activations of one microbatch.
        ("gpipe", [8, 8, 8, 8], [8, 8, 8, 8]),
        ("1f1b", [4, 3, 2, 1], [4, 3, 2, 1]),
        ("interleaved-1f1b", [11, 9, 7, 5], [11, 9, 7, 5]),
        ("looped-bfs", [16, 16, 16, 16], [16, 16, 16, 16]),
        ("interleaved-zero-bubble", [8, 8, 8, 8], [8, 7.5, 7, 6.5]),
        ("zbv", [8, 8, 8, 8], [8, 8, 8, 6.5]),
        ("dualpipev", [9, 9, 9, 9], [9, 9, 9, 7]),
    ],
)
def test_what_four_ranks_hold(run, numbers, schedule, held, peak) -> None:
    evidence = run(schedule=schedule)
    assert numbers(evidence, "activation_of_one") == [ONE]
    assert numbers(evidence, "held_most") == held
    assert numbers(evidence, "activation_peak") == [ONE * count for count in peak]
    assert numbers(evidence, "activation_end") == [0] * 4
    found = {j.law.claim: j.judgement.verdict for j in judge_laws(experiment, evidence)}
    assert len(found) >= 4
    assert set(found.values()) == {Verdict.CONFIRMED}, found


def test_the_series_rises_to_the_peak_and_falls_to_nothing(run, numbers) -> None:
    evidence = run(schedule="gpipe", stages=2, microbatches=3)
    assert evidence.curves == {"activation": ((ONE, 2 * ONE, 3 * ONE, 2 * ONE, ONE, 0),) * 2}
    assert Evidence.from_json(evidence.to_json()).curves == evidence.curves


@pytest.mark.parametrize("fault", ["keep-everything", "serial"])
@pytest.mark.parametrize("schedule", ["gpipe", "1f1b", "interleaved-zero-bubble"])
def test_a_fault_refutes_every_law_that_names_it(run, schedule, fault) -> None:
    laws = judge_laws(experiment, run(schedule=schedule, stages=2, microbatches=4, fault=fault))
    naming = [j for j in laws if j.law.fault == fault]
    assert naming
    assert {j.judgement.verdict for j in naming} == {Verdict.REFUTED}


@pytest.mark.parametrize(
    "given",
    [
        {"schedule": "1f1b", "microbatches": 3},
        {"schedule": "dualpipev", "microbatches": 7},
        {"schedule": "pipedream"},
        {"stages": 1},
        {"microbatch": 0},
        {"microbatch": 1024, "microbatches": 64, "hidden": 512},  # 32 GiB on eight ranks
    ],
)
def test_what_cannot_run_is_refused_before_a_rank_starts(given) -> None:
    with pytest.raises(UsageError):
        experiment.bind(given)
