"""`quiz lint`: lint and report."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from quiz.deck.compose import collector_paused
from quiz.deck.load import Loaded
from quiz.lint.finding import Finding
from quiz.lint.reporters import json, text
from quiz.lint.run import lint
from verify.api import Language, Text, UsageError

FORMATS = ("text", "json")


def run_lint(
    paths: Iterable[Path],
    format: str,
    language: Language,
    out: Callable[[str], object],
    *,
    others: Iterable[Path] = (),
    colour: bool = False,
    width: int = 100,
    further: Callable[[Sequence[Loaded]], Iterable[Finding]] | None = None,
) -> int:
    """Lint the files, write one report to `out`, and return the exit code (see `Linting`).

    `further` may find more in the decks that were read: proving does.
    Raises UsageError for an unknown format.
    """
    if format not in FORMATS:
        raise UsageError(
            Text(ja=f"形式 {format} はありません。", en=f"There is no format {format}."),
            Text(ja=f"使える形式: {', '.join(FORMATS)}", en=f"Possible: {', '.join(FORMATS)}"),
        )
    with collector_paused():
        result = lint(paths, others)
        gc.freeze()  # what was read stays until the process ends: walking it again is wasted time
    if further is not None:
        result = replace(result, findings=(*result.findings, *further(result.decks)))
    out(_report(result.findings, format, language, colour, width))
    return result.exit_code


def _report(
    findings: Sequence[Finding], format: str, language: Language, colour: bool, width: int
) -> str:
    if format == "json":
        return json.report(findings, language)
    return text.report(findings, language, colour=colour, width=width)
