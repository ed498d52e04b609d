"""`--format junit`: a suite for each file, a test case for each finding or for a file without any.

An error is a failure. Warnings fail nothing, so they are told as output of a case that passes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from xml.etree import ElementTree

from quiz.deck.problem import one_line
from quiz.lint.finding import Finding
from verify.api import Language

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def report(findings: Sequence[Finding], paths: Sequence[Path], language: Language) -> str:
    """The whole document, ending in a line break."""
    by_file: dict[str, list[Finding]] = {str(path): [] for path in paths}
    for finding in findings:
        by_file.setdefault(str(finding.path), []).append(finding)
    root = ElementTree.Element("testsuites", {"name": "quiz lint", **_counts(by_file.values())})
    for name, found in by_file.items():
        shown = _clean(name)
        suite = ElementTree.SubElement(root, "testsuite", {"name": shown, **_counts([found])})
        for finding in found:
            _case(suite, shown, finding, language)
        if not found:
            ElementTree.SubElement(suite, "testcase", classname=shown, name="lint", time="0")
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _counts(groups: Collection[Sequence[Finding]]) -> dict[str, str]:
    failures = sum(f.problem.severity == "error" for found in groups for f in found)
    tests = sum(max(1, len(found)) for found in groups)
    return {"tests": str(tests), "failures": str(failures), "errors": "0", "time": "0"}


def _case(suite: ElementTree.Element, file: str, finding: Finding, language: Language) -> None:
    problem = finding.problem
    line, column = problem.position
    where = f"{problem.card or ''}:{line}:{column}".lstrip(":")
    case = ElementTree.SubElement(
        suite, "testcase", classname=file, name=f"{problem.rule} {where}", time="0"
    )
    message = _clean(problem.message.pick(language))
    hint = "" if problem.hint is None else _clean(problem.hint.pick(language))
    if problem.severity == "error":
        told = ElementTree.SubElement(case, "failure", type=problem.rule, message=message)
        told.text = f"{file}:{line}:{column}\n{hint}".rstrip()
    else:
        told = ElementTree.SubElement(case, "system-out")
        told.text = f"{file}:{line}:{column} {message}\n{hint}".rstrip()


def _clean(text: str) -> str:
    """One line of what XML 1.0 can hold (section 2.2) and a terminal can show."""
    return _NOT_XML.sub("\ufffd", one_line(text))
