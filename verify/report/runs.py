"""What `verify run` prints and writes: one run in full or a sweep, with guesses about them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from verify.experiment import Experiment
from verify.guesses import Guess, LawQuestion, beside
from verify.report import run, sweep
from verify.report.bars import Runs
from verify.report.plain import plain
from verify.report.run import Look
from verify.report.sweep import point, swept
from verify.report.trace import trace
from verify.text import Language

Guesses = Sequence[Sequence[Guess]]
"""For each run, what a class guessed."""


def report(
    runs: Runs,
    experiment: Experiment,
    look: Look,
    guesses: Guesses | None = None,
) -> list[str]:
    """What `verify run` prints: the one run in full, or the sweep; then the guesses about them."""
    if len(runs) == 1:
        evidence, judged = runs[0]
        lines = run.draw(evidence, experiment, judged, look)
    else:
        lines = sweep.draw(runs, experiment, look)
    if guesses is not None:
        more = _guesses(runs, experiment, look, guesses)
        lines += plain(more) if look.ascii_only else more
    return lines


def _guesses(runs: Runs, experiment: Experiment, look: Look, guesses: Guesses) -> list[str]:
    names = swept([evidence.parameters for evidence, _ in runs])
    asked = [LawQuestion.of(experiment, evidence.parameters) for evidence, _ in runs]
    question = next((q for q in asked if q is not None), None)
    if question is None:
        return []
    rows = [
        (point(evidence.parameters, names, experiment), voices, q.measured(judged) if q else None)
        for (evidence, judged), q, voices in zip(runs, asked, guesses, strict=True)
    ]
    title = question.words(experiment, look.language)
    return [*beside(rows, title, look.width, look.language), ""]


def trace_of(runs: Runs, experiment: Experiment, language: Language) -> str:
    """The timelines of all runs as the text of a trace file."""
    names = swept([evidence.parameters for evidence, _ in runs])
    named = [(point(evidence.parameters, names, experiment), evidence) for evidence, _ in runs]
    return json.dumps(trace(named, language), ensure_ascii=False) + "\n"


def to_json(runs: Runs, experiment: Experiment, guesses: Guesses | None = None) -> Any:
    """One record, or of a sweep a list of them, as `verify/schema/run.json` describes it."""
    records = [
        evidence.to_json() | {"laws": [law.to_json(experiment) for law in judged]}
        for evidence, judged in runs
    ]
    for record, voices in zip(records, guesses or (), strict=False):
        record["guess"] = [guess.text for guess in voices]
    return records[0] if len(records) == 1 else records
