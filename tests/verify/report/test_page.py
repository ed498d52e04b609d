"""The page of plain runs, from handmade evidence, and how it says to make it again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from verify.catalogue import find_experiment
from verify.evidence import Evidence, WorldFacts
from verify.experiment import values_of
from verify.laws import judge_laws
from verify.quantities import Source, Unmeasured, per_rank, scalar
from verify.report.html import command_of
from verify.report.page import draw
from verify.text import Text
from verify.units import BYTE, MiB

EXPERIMENT = find_experiment("all-reduce-bytes")


@pytest.fixture
def evidence() -> Evidence:
    quantities = {q.name: scalar(0, q.unit) for q in EXPERIMENT.quantities}
    return Evidence(
        "all-reduce-bytes",
        values_of(EXPERIMENT.bind({"ranks": 4, "payload": "4 MiB"})),
        quantities
        | {
            "wire_sent": per_rank([6 * MiB] * 4, BYTE, Source.MEASURED),
            "wire_received": Unmeasured(Text(ja="ここでは <無理>", en="<not> here")),
        },
        WorldFacts(4, 1, "gloo", "cpu", "local"),
        {"torch": "2.13.0"},
        1,
        0.1,
        "2026-01-01T00:00:00+00:00",
    )


def page(*runs: Evidence) -> str:
    judged = [(run, judge_laws(EXPERIMENT, run)) for run in runs]
    return draw(judged, EXPERIMENT, "en", ["ranks=4", "payload=4 MiB"], repeat=3)


def test_laws_quantities_and_reasons_are_there(evidence: Evidence) -> None:
    made = page(evidence)
    for text in ("wire_sent", "6.00 MiB", "measured", "&lt;not&gt; here", "<mfrac>", "confirmed"):
        assert text in made, text
    assert "<nav" not in made  # one run needs no index
    assert "quiz verify run all-reduce-bytes ranks=4 &#39;payload=4 MiB&#39; --repeat 3" in made


def test_several_runs_have_an_index(evidence: Evidence) -> None:
    made = page(evidence, replace(evidence, fault="one-element"))
    assert made.count("<article") == 2
    assert 'href="#run-2"' in made
    assert "--fault one-element --repeat 3" in made


def test_a_command_makes_the_same_run_in_the_same_kind_of_world(evidence: Evidence) -> None:
    start = "quiz verify run all-reduce-bytes ranks=4 payload=4194304"
    assert command_of(evidence).startswith(start)
    launched = replace(evidence, world=WorldFacts(4, 2, "gloo", "cpu", "torchrun"))
    assert command_of(launched).startswith(
        "torchrun --nnodes 2 --nproc-per-node 2 -m verify run all-reduce-bytes ranks=4"
    )


def test_the_command_gives_back_the_parameters(evidence: Evidence) -> None:
    words = command_of(evidence).split()[4:]
    given = dict(word.split("=", 1) for word in words)
    assert values_of(EXPERIMENT.bind(given)) == evidence.parameters
