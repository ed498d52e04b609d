"""All of `verify` that `quiz` may use. Importing it brings no torch."""

from __future__ import annotations

from verify.catalogue import experiment_names, find_experiment
from verify.errors import NotInstalled, ProofdeckError, RunFailed, UnknownName, UsageError
from verify.evidence import Evidence
from verify.experiment import Experiment, Value
from verify.text import LANGUAGES, Language, Text, verbatim
from verify.units import BYTE, ONE, SECOND, Unit, format_size, parse_size

__all__ = [
    "BYTE", "LANGUAGES", "ONE", "SECOND", "Evidence", "Experiment", "Language", "NotInstalled",
    "ProofdeckError", "RunFailed", "Text", "Unit", "UnknownName", "UsageError", "Value",
    "experiment_names", "find_experiment", "format_size", "parse_size", "verbatim",
]  # fmt: skip
