"""Every picture in a real pseudo-terminal: no line is wider than it, whatever it can show."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest
from wcwidth import wcswidth

import verify
from verify.evidence import Evidence

PROGRAM = """
import json, sys
from verify.catalogue import find_experiment
from verify.cli import look_now
from verify.evidence import Evidence
from verify.laws import judge_laws
from verify.report.runs import report
for record in json.load(open(sys.argv[1])):
    runs = [Evidence.from_json(r) for r in record]
    experiment = find_experiment(runs[0].experiment)
    judged = [(run, judge_laws(experiment, run)) for run in runs]
    print("\\n".join(report(judged, experiment, look_now())))
"""
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def stored(
    tmp_path: Path, pipeline: Callable[..., Evidence], ring: Callable[..., Evidence]
) -> Path:
    """One pipeline, one ring, a sweep of each and large-batch's curves, as JSON."""
    curves = {"loss_base": ((2.3, 1.0, 0.5),) * 2, "loss_large": ((2.3, 2.2, 2.0),) * 2}
    records = [
        [pipeline(wait=50)],
        [ring(ranks=4)],
        [ring(ranks=16)],
        [pipeline(microbatches=m) for m in (2, 4, 8, 16)],
        [ring(ranks=n) for n in (2, 3, 4, 8)],
    ]
    data = [[evidence.to_json() for evidence in record] for record in records]
    data[0][0]["curves"] |= curves
    path = tmp_path / "stored.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


@pytest.mark.parametrize("columns", [80, 40])
@pytest.mark.parametrize(
    ("variables", "coloured", "ascii_only"),
    [
        ({"QUIZ_LANG": "en"}, True, False),
        ({"QUIZ_LANG": "ja"}, True, False),
        ({"QUIZ_LANG": "ja", "NO_COLOR": "1"}, False, False),
        ({"QUIZ_LANG": "en", "TERM": "dumb"}, False, True),
        ({"QUIZ_LANG": "en", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}, True, True),
    ],
)
def test_no_line_is_wider_than_the_terminal(
    stored: Path, columns: int, variables: dict[str, str], coloured: bool, ascii_only: bool
) -> None:
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")}
    root = str(Path(verify.__file__).parent.parent)
    environment = kept | {"TERM": "xterm", "PYTHONUTF8": "1", "PYTHONPATH": root} | variables
    child = pexpect.spawn(
        sys.executable,
        ["-c", PROGRAM, str(stored)],
        env=environment,
        dimensions=(24, columns),
        encoding="utf-8",
        timeout=60,
    )
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 0, child.before
    text = str(child.before)
    assert bool(COLOUR.search(text)) is coloured
    lines = COLOUR.sub("", text).splitlines()
    assert not any("\x1b" in line for line in lines)
    wide = [line for line in lines if wcswidth(line.rstrip()) > columns]
    assert wide == []
    assert text.isascii() or not ascii_only
    said = "\n".join(lines)
    # Shapes and letters carry it: the Gantt chart, the matrix, bars with their mark, the curves.
    assert re.search("F0F1" if columns == 80 else "F", said)
    assert ("#" if ascii_only else "█") in said
    assert "6.00" in said
