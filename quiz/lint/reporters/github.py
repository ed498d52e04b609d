"""`--format github`: the text report, then one workflow command for each finding.

GitHub takes every line that begins with `::` for a command, and any with `##[`. So each line of
the report stands behind a gutter, and what comes from a deck is escaped as GitHub's toolkit does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quiz.deck.problem import one_line
from quiz.lint.finding import Finding
from quiz.lint.reporters import text
from verify.api import Language

if TYPE_CHECKING:
    from quiz.lint.proofs import ProofNote

_GUTTER = "│ "
_IN_MESSAGE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def report(
    findings: Sequence[Finding],
    language: Language,
    proofs: Sequence[ProofNote] = (),
    *,
    width: int,
) -> str:
    """The report for people, then `::error file=…,line=…::…` for the annotations."""
    written = text.report(findings, language, proofs, colour=False, width=width - len(_GUTTER))
    lines = [_GUTTER + line for line in written.splitlines()]
    lines += [_command(finding, language) for finding in findings]
    return "\n".join(lines).replace("##[", "## [") + "\n"


def _command(finding: Finding, language: Language) -> str:
    problem = finding.problem
    end = problem.end if problem.end is not None else problem.position
    properties = {
        "file": one_line(finding.path.as_posix()),
        "line": str(problem.position.line),
        "endLine": str(end.line),
        "col": str(problem.position.column),
        "endColumn": str(end.column),
        "title": problem.rule,
    }
    listed = ",".join(f"{key}={value.translate(_IN_PROPERTY)}" for key, value in properties.items())
    said = [problem.message, *([] if problem.hint is None else [problem.hint])]
    message = "\n".join(one_line(each.pick(language)) for each in said)
    return f"::{problem.severity} {listed}::{message.translate(_IN_MESSAGE)}"
