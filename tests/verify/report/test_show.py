"""What an experiment is, on a narrow terminal and a wide one: nothing of it is lost."""

from __future__ import annotations

import pytest

from verify.catalogue import experiment_names, find_experiment
from verify.experiment import Experiment, OneOf
from verify.report.columns import cells
from verify.report.run import Look
from verify.report.show import draw
from verify.text import Language


@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("language", ["ja", "en"])
def test_every_choice_quantity_and_fault_is_told_in_full(width: int, language: Language) -> None:
    for name in experiment_names():
        experiment = find_experiment(name)
        lines = draw(experiment, Look(width, language))
        assert max(map(cells, lines)) <= width
        told = "".join("".join(lines).split())
        parameters, texts = experiment.parameters(), [*experiment.quantities, *experiment.faults]
        choices = [c for p in parameters if isinstance(p.bounds, OneOf) for c in p.bounds.choices]
        meanings = [one.meaning.pick(language) for one in [*parameters, *texts]]
        for wanted in [*choices, *meanings, *(one.name for one in texts)]:
            assert "".join(wanted.split()) in told


def test_a_law_says_of_which_runs_it_speaks() -> None:
    lines = draw(find_experiment("throughput"), Look(80, "en"))
    at = lines.index("   utilisation == 1/ranks")
    assert lines[at + 2] == "     where method=model"
    assert "     where method=data; wait >= 10" in lines
    # Of all methods alike, or of all runs: nothing to say.
    held = draw(find_experiment("memory-held"), Look(80, "en"))
    assert "where" not in held[held.index("   gradients_held == parameters_held") + 2]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("Each sends one\nbatch on.", " Each sends one batch on."),  # also where asked in Japanese
        ("各ラン\nクは 4\nMiB を\nGPipe で送る。", " 各ランクは 4 MiB をGPipe で送る。"),
    ],
)
def test_lines_of_a_docstring_are_joined_as_their_language_is(monkeypatch, lines, told) -> None:
    monkeypatch.setattr(Experiment, "description", lambda *_: lines)
    assert told in draw(find_experiment("large-batch"), Look(80, "ja"))
