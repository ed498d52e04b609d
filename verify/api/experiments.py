"""Which experiments there are, and what each declares."""

from __future__ import annotations

from verify.catalogue import experiment_names, find_experiment
from verify.experiment import Between, Experiment, Law, OneOf, Parameter, values_of
from verify.laws import laws_about, words_of

__all__ = [
    "Between",
    "Experiment",
    "Law",
    "OneOf",
    "Parameter",
    "experiment_names",
    "find_experiment",
    "laws_about",
    "values_of",
    "words_of",
]
