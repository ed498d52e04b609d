"""`--format json`: a list of file, line, column, rule, severity, message, card.

After proving, every card has a record of rule `proof` and severity `info` with its verdict, the
reason where it isn't proven, and the seconds that it took.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from quiz.lint.finding import Finding
from quiz.lint.proofs import ProofNote
from verify.api import Language


def report(
    findings: Sequence[Finding], language: Language, proofs: Sequence[ProofNote] = ()
) -> str:
    """One JSON array; `card` is deck/card, or null outside a card whose id is known."""
    records: list[dict[str, Any]] = [
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
    records += [
        {
            "file": note.file,
            "line": note.position.line,
            "column": note.position.column,
            "rule": "proof",
            "severity": "info",
            "message": note.verdict,
            "card": note.card,
            "verdict": note.verdict,
            "reason": None if note.reason is None else note.reason.pick(language),
            "seconds": round(note.seconds, 3),
        }
        for note in proofs
    ]
    # ASCII only: no character of a deck or of a file's name reaches a terminal as it is.
    return json.dumps(records, indent=2) + "\n"
