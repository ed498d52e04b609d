"""`--format sarif`: SARIF 2.1.0 (OASIS), which code hosts and editors read."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from quiz.deck.problem import one_line
from quiz.lint.finding import Finding
from quiz.lint.rule import Rule
from verify.api import Language

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
FINGERPRINT = "quizLint/v1"


def report(
    findings: Sequence[Finding], rules: Sequence[Rule], language: Language, folder: Path
) -> str:
    """One run. Paths are relative to `folder` where they lie in it."""
    places = {rule.id: number for number, rule in enumerate(rules)}
    seen: Counter[str] = Counter()
    results = [_result(finding, places, language, folder, seen) for finding in findings]
    driver: dict[str, Any] = {"name": "quiz lint", "rules": [_rule(rule) for rule in rules]}
    with suppress(PackageNotFoundError):  # where it is run from a checkout that isn't installed
        driver["version"] = version("proofdeck")
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": results,
            }
        ],
    }
    return json.dumps(log, indent=2) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    first, _, rest = rule.manual.partition("\n\n")
    return {
        "id": rule.id,
        "shortDescription": {"text": " ".join(first.split())},
        "help": {"text": rest.strip() or first},
    }


def _result(
    finding: Finding,
    places: dict[str, int],
    language: Language,
    folder: Path,
    seen: Counter[str],
) -> dict[str, Any]:
    problem = finding.problem
    said = [problem.message, *([] if problem.hint is None else [problem.hint])]
    region = {"startLine": problem.position.line, "startColumn": problem.position.column}
    if problem.end is not None and problem.end > problem.position:
        region |= {"endLine": problem.end.line, "endColumn": problem.end.column}
    uri = _uri(finding.path, folder)
    result: dict[str, Any] = {
        "ruleId": problem.rule,
        "level": problem.severity,
        "message": {"text": "\n".join(one_line(each.pick(language)) for each in said)},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}],
        "partialFingerprints": {FINGERPRINT: _fingerprint(finding, uri, seen)},
    }
    if problem.rule in places:
        result["ruleIndex"] = places[problem.rule]
    return result


def _uri(path: Path, folder: Path) -> str:
    try:
        return quote(path.absolute().relative_to(folder.absolute()).as_posix())
    except ValueError:
        return path.absolute().as_uri()


def _fingerprint(finding: Finding, uri: str, seen: Counter[str]) -> str:
    """The same as long as the line says the same, wherever it moves within the card or the file."""
    problem = finding.problem
    line = finding.source.line(problem.position.line).strip()
    what = json.dumps([problem.rule, uri, problem.card, line])
    seen[what] += 1
    return hashlib.sha256(f"{what}{seen[what]}".encode()).hexdigest()[:32]
