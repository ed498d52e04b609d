"""What the READMEs show, made by the program itself; `cog --check` compares.

Only what is the same on every machine is shown: orders, byte counts and cards, not times.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import lru_cache

from verify.api import Language
from verify.api.experiments import find_experiment
from verify.api.worlds import Evidence, LocalWorld, Request
from verify.quantities import Measured
from verify.report import gantt, traffic


def study(language: Language, keys: str, *, columns: int = 78) -> str:
    """The plain screen for a new learner who types `keys`, one line each."""
    with tempfile.TemporaryDirectory() as home:
        run = subprocess.run(
            [sys.executable, "-m", "quiz", "study", "--plain"],
            input="".join(f"{key}\n" for key in keys.split(",")),
            capture_output=True,
            text=True,
            check=True,
            env=os.environ
            | {
                "QUIZ_HOME": home,
                "QUIZ_LANG": language,
                "QUIZ_NOW": "2026-01-05T09:00:00+09:00",
                "COLUMNS": str(columns),
            },
        )
    return _block(run.stdout)


def pipeline(language: Language) -> str:
    """1F1B on four ranks and eight micro-batches, from the order that really ran."""
    evidence = _evidence("pipeline-bubble", "schedule=1f1b wait=0")
    return _block("\n".join(gantt.draw(evidence.timeline, 78, language)))


def ring(language: Language) -> str:
    """The traffic of an all-reduce of 4 MiB over four ranks."""
    evidence = _evidence("all-reduce-bytes", "ranks=4")
    matrix = evidence.quantities["wire_matrix"]
    assert isinstance(matrix, Measured)
    return _block("\n".join(traffic.draw(matrix, 78, language)))


@lru_cache
def _evidence(name: str, settings: str) -> Evidence:
    experiment = find_experiment(name)
    given = dict(setting.split("=") for setting in settings.split())
    with LocalWorld() as world:
        return world.run(Request(experiment, experiment.bind(given)))


def _block(text: str) -> str:
    return f"```\n{text.strip(chr(10)).rstrip()}\n```\n"
