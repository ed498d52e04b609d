"""Verdicts as JUnit XML: a suite for each deck, a test case for each card, claims as properties.

Disproven is a failure, a broken run an error, undecided is skipped with its reason. Structure: the
"JUnit XML" that Jenkins, GitLab and pytest (xunit2) read; every message is one line.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from quiz.proof import CardResult, CardVerdict
from verify.api import Language, Text, printable

_OUTCOMES = {
    CardVerdict.DISPROVEN: "failure",
    CardVerdict.FAILED: "error",
    CardVerdict.UNDECIDED: "skipped",
}
_UNDECIDED = Text(ja="判定できません。", en="it can't be decided.")


def report(results: Sequence[CardResult], language: Language) -> str:
    """The whole document, ending in a line break."""
    decks: dict[str, list[CardResult]] = {}
    for result in results:
        decks.setdefault(result.card.deck, []).append(result)
    root = ElementTree.Element("testsuites", {"name": "quiz verify", **_counts(results)})
    for deck, proven in decks.items():
        suite = ElementTree.SubElement(root, "testsuite", {"name": deck, **_counts(proven)})
        for result in proven:
            _case(suite, result, language)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _counts(results: Sequence[CardResult]) -> dict[str, str]:
    def count(verdict: CardVerdict) -> str:
        return str(sum(result.verdict is verdict for result in results))

    return {
        "tests": str(len(results)),
        "failures": count(CardVerdict.DISPROVEN),
        "errors": count(CardVerdict.FAILED),
        "skipped": count(CardVerdict.UNDECIDED),
        "time": f"{sum(result.seconds for result in results):.3f}",
    }


def _case(suite: ElementTree.Element, result: CardResult, language: Language) -> None:
    card = result.card
    case = ElementTree.SubElement(
        suite, "testcase", classname=card.deck, name=card.id, time=f"{result.seconds:.3f}"
    )
    found = properties(result, language)
    if found:
        below = ElementTree.SubElement(case, "properties")
        for name, value in found:
            ElementTree.SubElement(below, "property", name=name, value=value)
    outcome = _OUTCOMES.get(result.verdict)
    if outcome is not None:
        message = one_line((result.reason or _UNDECIDED).pick(language))
        ElementTree.SubElement(case, outcome, message=message, type=result.verdict.value)


def properties(result: CardResult, language: Language) -> list[tuple[str, str]]:
    """What led to the verdict, as names and lines: claims, weaknesses, the keys of the evidence."""
    found = [
        (f"claim {number}", f"{c.assertion.role.value}: {c.assertion.text} → {c.verdict.value}")
        for number, c in enumerate(result.claims, start=1)
    ]
    found += [("weakness", weakness.text.pick(language)) for weakness in result.weaknesses]
    found += [("evidence", key) for key in result.keys]
    return [(name, one_line(value)) for name, value in found]


def one_line(text: str) -> str:
    """`text` on one line, without characters that XML 1.0 forbids."""
    shown = printable(" ".join(text.split()))
    return "".join(c for c in shown if c not in "\ufffe\uffff")
