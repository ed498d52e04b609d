"""`--format json`: a list of file, line, column, rule, severity, message, card."""

from __future__ import annotations

import json
from collections.abc import Sequence

from quiz.lint.finding import Finding
from verify.api import Language


def report(findings: Sequence[Finding], language: Language) -> str:
    """One JSON array; `card` is deck/card, or null outside a card whose id is known."""
    records = [
        {
            "file": str(finding.path),
            "line": finding.problem.position.line,
            "column": finding.problem.position.column,
            "rule": finding.problem.rule,
            "severity": finding.problem.severity,
            "message": finding.problem.message.pick(language),
            "card": finding.problem.card,
        }
        for finding in findings
    ]
    # ASCII only: no character of a deck or of a file's name reaches a terminal as it is.
    return json.dumps(records, indent=2) + "\n"
