"""JUnit XML against the structure that its readers share (Jenkins' junit-10.xsd, pytest's xunit2).

testsuites > testsuite > testcase > properties?, then at most one of failure, error and skipped;
counts are those of the test cases within; name, classname and a time in seconds on each case.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from quiz.deck.card import Card
from quiz.deck.load import parse
from quiz.proof import Assertion, CardResult, CardVerdict, ClaimResult, Role
from quiz.report.junit import report
from verify.api import Text
from verify.api.claims import Verdict, parse_claim

ALLOWED = {
    "testsuites": ({"testsuite"}, {"name", "tests", "failures", "errors", "skipped", "time"}),
    "testsuite": ({"testcase"}, {"name", "tests", "failures", "errors", "skipped", "time"}),
    "testcase": (
        {"properties", "failure", "error", "skipped"},
        {"classname", "name", "time"},
    ),
    "properties": ({"property"}, set()),
    "property": (set(), {"name", "value"}),
    **{kind: (set(), {"message", "type"}) for kind in ("failure", "error", "skipped")},
}


def check(element: ElementTree.Element) -> None:
    children, attributes = ALLOWED[element.tag]
    assert {child.tag for child in element} <= children
    assert set(element.attrib) == attributes
    assert not (element.text or "").strip()
    for value in element.attrib.values():
        assert "\n" not in value
    if "tests" in attributes:
        cases = list(element.iter("testcase"))
        assert int(element.attrib["tests"]) == len(cases)
        for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            found = sum(case.find(tag) is not None for case in cases)
            assert int(element.attrib[count]) == found
    if "time" in attributes:
        assert re.fullmatch(r"\d+\.\d{3}", element.attrib["time"])
    if element.tag == "testcase":
        tags = [child.tag for child in element]
        assert tags in ([], ["properties"]) or (
            tags in ([t] for t in ("failure", "error", "skipped"))
            or (tags[0] == "properties" and len(tags) == 2)
        )
    for child in element:
        check(child)


@pytest.fixture
def cards() -> list[Card]:
    ids = "".join(
        f"  - {{id: {name}, kind: recall, ask: {{en: A?}}, answer: {{en: B}}}}\n"
        for name in ("proven", "disproven", "undecided", "failed")
    )
    loaded = parse(f"deck: mine\ntitle: {{en: Mine}}\ncards:\n{ids}".encode(), Path("mine.yaml"))
    assert loaded.deck is not None
    return list(loaded.deck.cards)


def proven(card: Card, verdict: CardVerdict, reason: Text | None = None) -> CardResult:
    claim = ClaimResult(
        Assertion(Role.LURE, parse_claim("wire_sent < 2 KiB"), None, ("proof",)),
        Verdict.REFUTED,
        None,
    )
    return CardResult(card, verdict, (claim,), keys=("k1",), reason=reason, seconds=0.25)


def test_each_verdict_becomes_its_element(cards: list[Card]) -> None:
    reasons = {
        "disproven": Text(ja="反証", en="it is refuted:\n  wire_sent < 2 KiB & more"),
        "undecided": Text(ja="測れない", en="no counters here"),
        "failed": Text(ja="壊れた", en="rank 2 broke \x1b[31m\x00"),
    }
    results = [proven(c, CardVerdict(c.id), reasons.get(c.id)) for c in cards]
    text = report(results, "en")
    root = ElementTree.fromstring(text)
    check(root)
    cases = {case.attrib["name"]: case for case in root.iter("testcase")}
    assert [child.tag for child in cases["proven"]] == ["properties"]
    failure, skipped, error = (
        cases[n].find(t)
        for n, t in (("disproven", "failure"), ("undecided", "skipped"), ("failed", "error"))
    )
    assert failure is not None
    assert failure.attrib["message"] == "it is refuted: wire_sent < 2 KiB & more"
    assert skipped is not None
    assert skipped.attrib["message"] == "no counters here"
    assert error is not None
    assert error.attrib["message"] == "rank 2 broke \\x1b[31m\\x00"
    assert {case.attrib["classname"] for case in cases.values()} == {"mine"}
    assert root.attrib["time"] == "1.000"


def test_claims_are_properties(cards: list[Card]) -> None:
    root = ElementTree.fromstring(report([proven(cards[0], CardVerdict.PROVEN)], "ja"))
    found = [(p.attrib["name"], p.attrib["value"]) for p in root.iter("property")]
    assert found == [
        ("claim 1", "lure: wire_sent < 2 KiB → refuted"),
        ("evidence", "k1"),
    ]


def test_undecided_without_a_reason_is_skipped_with_words(cards: list[Card]) -> None:
    root = ElementTree.fromstring(report([proven(cards[0], CardVerdict.UNDECIDED)], "ja"))
    check(root)
    (skipped,) = root.iter("skipped")
    assert skipped.attrib["message"] == "判定できません。"


def test_nothing_proven_is_an_empty_document() -> None:
    root = ElementTree.fromstring(report([], "en"))
    check(root)
    assert root.attrib["tests"] == "0"
