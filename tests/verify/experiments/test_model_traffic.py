"""Traffic of published models, counted in a fake world, against figures worked out by hand.

Parameters of a GPT layer: 12h² + 13h (Megatron-LM; Narayanan et al. 2021, section 5.1). With the
embeddings of 50,257 words and 2,048 places GPT-3's 96 layers make the 175 billion of its name.
"""

from __future__ import annotations

import dataclasses

import pytest

from verify.catalogue import find_experiment
from verify.claims import judge, parse_claim, scope_of
from verify.environment import evidence_key
from verify.errors import UsageError
from verify.laws import judge_laws
from verify.quantities import Source, Unmeasured
from verify.report.run import Look, draw
from verify.worlds.bounds import check_bounds
from verify.worlds.request import Request

NAME = "model-traffic"
WHOLE = {"ranks": 1, "tensor": 1, "stages": 1, "microbatches": 1}
PUBLISHED = {  # billions of parameters, and those of the embeddings, worked out by hand
    "gpt3-175b": (174.6, (50_257 + 2_048) * 12_288),
    "mt-nlg-530b": (529.6, (50_257 + 2_048) * 20_480),
    "llama3-8b": (8.03, 2 * 128_256 * 4_096),
    "llama3-70b": (70.55, 2 * 128_256 * 8_192),
    "llama3-405b": (405.85, 2 * 128_256 * 16_384),
}
# Llama 3 405B on 16,384 GPUs (Llama Team 2024, table 4): tensor 8, stages 16, 128 replicas.
LARGE = {"model": "llama3-405b", "ranks": 16_384, "tensor": 8, "stages": 16}


@pytest.mark.parametrize(("model", "published"), PUBLISHED.items())
def test_the_shapes_make_the_parameters_of_the_name(model, published, measure, numbers):
    (held,) = numbers(measure(NAME, model=model, **WHOLE), "parameters_held")
    billions, embeddings = published
    assert held / 2 + embeddings == pytest.approx(billions * 1e9, rel=1e-3)


def test_gpt3_by_hand(measure, numbers):
    h = 12_288
    evidence = measure(NAME, **WHOLE)
    assert numbers(evidence, "parameters_held") == [2 * 96 * (12 * h**2 + 13 * h)]
    for name in ("reduced_tensor", "reduced_data", "sent_stages", "calls_stages"):
        assert numbers(evidence, name) == [0]


def test_llama3_on_16384_ranks_by_hand(measure, numbers, verdicts):
    evidence = measure(NAME, **LARGE)
    h, wide, activation = 16_384, 53_248, 8_192 * 16_384 * 2
    layer = (h * (h + 2 * 8 * 128) + h * h + 3 * h * wide) // 8 + 2 * h
    expected = {
        "replicas": 128,
        "layers_held": 8,  # of 126, on 16 stages: the first and the last hold one less
        "activation": activation,
        "parameters_held": 2 * 8 * layer,
        "reduced_data": 2 * 8 * layer,
        "calls_tensor": 4 * 8 * 8,
        "reduced_tensor": 4 * 8 * 8 * activation,
        "calls_stages": 2 * 8,
        "sent_stages": 2 * 8 * activation,
    }
    assert {name: numbers(evidence, name)[0] for name in expected} == expected
    assert set(verdicts(evidence).values()) == {"confirmed"}
    assert dataclasses.astuple(evidence.world) == (16_384, 1, "fake", "meta", "fake")
    sources = {q.source for q in evidence.quantities.values() if not isinstance(q, Unmeasured)}
    assert sources == {Source.COUNTED}


@pytest.mark.parametrize("fault", ["skip-tensor-all-reduce", "skip-data-all-reduce", "skip-sends"])
def test_every_fault_is_caught_by_the_law_that_names_it(fault, measure, verdicts):
    experiment = find_experiment(NAME)
    found = verdicts(measure(NAME, fault, microbatches=1, stages=32))
    (law,) = (law.claim for law in experiment.laws if law.fault == fault)
    assert {claim for claim, verdict in found.items() if verdict == "refuted"} == {law}


def test_about_the_wire_it_proves_nothing_and_says_why(measure):
    experiment = find_experiment(NAME)
    scope = scope_of(measure(NAME, **LARGE), experiment)
    for claim in ("wire_sent == 0", "wire_sent > 0"):
        judgement = judge(parse_claim(claim), scope)
        assert judgement.verdict == "undecided"
        assert "only real ranks show" in judgement.reason.en


def test_it_is_labelled_counted(measure):
    experiment, evidence = find_experiment(NAME), measure(NAME, **LARGE)
    judged = judge_laws(experiment, evidence)
    shown = "\n".join(draw(evidence, experiment, judged, Look(100, "en")))
    assert "counted, not measured" in shown
    assert "measured" not in shown.replace("counted, not measured", "")
    assert "計数のみ" in "\n".join(draw(evidence, experiment, judged, Look(100, "ja")))


@pytest.mark.parametrize(
    "given",
    [
        {"ranks": 65_537},
        {"ranks": 1000},
        {"tensor": 7, "ranks": 56},
        {"model": "llama3-8b", "tensor": 16},
        {"model": "llama3-8b", "stages": 64},
        {"world": "local"},
        {"model": "gpt5"},
    ],
)
def test_what_cannot_be_is_refused(given):
    with pytest.raises(UsageError):
        find_experiment(NAME).bind(given)


def test_as_many_as_65536_ranks_are_within_the_bounds():
    experiment = find_experiment(NAME)
    request = Request(experiment, experiment.bind({"ranks": 65_536}))
    assert (request.ranks, request.processes) == (65_536, 1)
    check_bounds(request)


def test_evidence_of_another_world_has_another_key():
    keys = {evidence_key("x", {"world": world}, None, {}) for world in ("fake", "local")}
    assert len(keys) == 2


def test_the_seconds_expected_of_many_layers_are_those_measured() -> None:
    experiment = find_experiment("model-traffic")
    few, more = (
        experiment.bind({"ranks": 1, "tensor": 1, "stages": 1, "microbatches": count})
        for count in (1, 2)
    )
    # Measured: 96 layers take 9 s with a third of two cores to themselves, so 3 s alone.
    added = experiment.expected_seconds(more) - experiment.expected_seconds(few)
    assert 2 < added < 6
