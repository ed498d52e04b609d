"""Whatever an experiment declares has a meaning in both languages."""

from __future__ import annotations

import pytest

from verify.catalogue import experiment_names, find_experiment
from verify.text import LANGUAGES


@pytest.mark.parametrize("name", experiment_names())
def test_everything_is_said_in_both_languages(name: str) -> None:
    experiment = find_experiment(name)
    texts = [experiment.title, *(parameter.meaning for parameter in experiment.parameters())]
    for group in (experiment.quantities, experiment.laws, experiment.faults):
        texts += [part.meaning for part in group]
    for text in texts:
        assert all(getattr(text, language) for language in LANGUAGES), text
    descriptions = {experiment.description(language) for language in LANGUAGES}
    assert len(descriptions) == len(LANGUAGES)  # what is missing in one is told in the other
    assert min(map(len, descriptions)) > 100


@pytest.mark.parametrize("name", experiment_names())
def test_the_defaults_are_possible(name: str) -> None:
    experiment = find_experiment(name)
    assert experiment.bind({}) == experiment.Parameters()
    assert experiment.expected_seconds(experiment.Parameters()) < 10
