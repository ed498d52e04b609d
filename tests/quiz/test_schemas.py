"""What quiz's commands print as JSON against the schemas that ship."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import quiz
from quiz.deck.load import parse
from quiz.proof import CardResult, Prover
from quiz.report.card import to_json
from quiz.schema import SCHEMAS
from verify.api import BYTE, RunFailed, Text
from verify.api.worlds import Evidence, Request
from verify.evidence import WorldFacts
from verify.quantities import Measured, Source, Unmeasured, per_rank, scalar

ROOT = Path(quiz.__file__).parent.parent
DECK = """\
deck: mine
title: {ja: 自作, en: My own}
cards:
  - id: first
    kind: recall
    ask: {ja: 一つ目は？, en: The first?}
    answer: {ja: はい, en: "Yes"}
  - id: which
    kind: trap
    ask: {ja: どれか, en: Which?}
    choices:
      - {text: {ja: 半分, en: half}, claim: wire_sent == payload/2 ± 1%, belief: half,
         why: {ja: 違う, en: not so}}
      - {text: {ja: 一倍半, en: one and a half}, claim: wire_sent == 3/2*payload ± 1%}
    proof: {experiment: all-reduce-bytes, with: {ranks: 4, payload: 4 MiB}}
"""


def schema(name: str) -> dict[str, Any]:
    text = (resources.files(SCHEMAS[name]) / f"{name}.json").read_text(encoding="utf-8")
    return json.loads(text)


def check(output: Any, name: str) -> None:
    """Valid, and no key without a description."""
    described = schema(name)
    jsonschema.Draft202012Validator.check_schema(described)
    jsonschema.Draft202012Validator(described).validate(output)
    words = json.dumps(described)
    for record in output if isinstance(output, list) else [output]:
        for key in record:
            assert f'"{key}": {{' in words, key


@pytest.fixture
def call(tmp_path: Path) -> Callable[..., str]:
    (tmp_path / "mine.yaml").write_text(DECK, encoding="utf-8")
    kept = {k: v for k, v in os.environ.items() if not k.startswith("QUIZ_")}
    environment = kept | {
        "QUIZ_HOME": str(tmp_path / "home"),
        "QUIZ_LANG": "en",
        "PYTHONPATH": str(ROOT),
        "PYTHONUTF8": "1",
    }

    def run(*arguments: str, given: str = "") -> str:
        done = subprocess.run(
            [sys.executable, "-c", "from quiz.cli import main; main()", *arguments],
            input=given, env=environment, cwd=tmp_path, capture_output=True, text=True,
            timeout=60, check=False,
        )  # fmt: skip
        assert done.stderr == ""
        return done.stdout

    return run


def test_due_and_reviews(call: Callable[..., str]) -> None:
    call("study", "mine.yaml", "--plain", given="\n3\na\n2\n\nq\n")
    reviews = [json.loads(line) for line in call("reviews", "--json").splitlines()]
    assert {review["kind"] for review in reviews} == {"recall", "trap"}
    for review in reviews:
        check(review, "reviews")
    due = json.loads(call("due", "mine.yaml", "--json"))
    check(due, "due")
    assert {"day", "due", "new", "cards"} <= set(due)


def test_lint(call: Callable[..., str], tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text(DECK.replace("kind: trap", "kind: wish"), encoding="utf-8")
    findings = json.loads(call("lint", str(bad), "--format", "json"))
    assert findings
    check(findings, "lint")
    check([], "lint")


class World:
    """Every all-reduce costs the closed form, or whatever else is asked for."""

    def __init__(self, change: Callable[[Evidence], Evidence] = lambda evidence: evidence) -> None:
        self._change = change

    def run(self, request: Request, progress: object = None) -> Evidence:
        ranks, payload = request.ranks, request.values["payload"]
        quantities: dict[str, Measured | Unmeasured] = {
            q.name: scalar(0, q.unit) for q in request.experiment.quantities
        }
        sent = per_rank([3 * payload // 2] * ranks, BYTE, Source.MEASURED)
        return self._change(
            Evidence(
                request.experiment.name,
                dict(request.values),
                quantities | {"wire_sent": sent},
                WorldFacts(ranks, 1, "gloo", "cpu", "local"),
                {},
                1,
                0.1,
                "2026-01-01T00:00:00+00:00",
                request.fault,
            )
        )


def proven(world: object) -> CardResult:
    loaded = parse(DECK.encode(), Path("mine.yaml"))
    assert loaded.deck is not None
    return Prover(world).prove(loaded.deck.cards[1])  # type: ignore[arg-type]


def test_every_verdict_of_a_card() -> None:
    def blind(evidence: Evidence) -> Evidence:
        unmeasured = Unmeasured(Text(ja="測れません", en="not here"))
        return replace(evidence, quantities={**evidence.quantities, "wire_sent": unmeasured})

    def idle(evidence: Evidence) -> Evidence:
        nothing = per_rank([0] * 4, BYTE, Source.MEASURED)
        return replace(evidence, quantities={**evidence.quantities, "wire_sent": nothing})

    class Broken:
        def run(self, request: Request, progress: object = None) -> Evidence:
            raise RunFailed(Text(ja="壊れた", en="it broke"), rank=2)

    results = [proven(w) for w in (World(), World(blind), World(idle), Broken())]
    records = json.loads(json.dumps([to_json(result) for result in results]))
    assert [r["verdict"] for r in records] == ["proven", "undecided", "disproven", "failed"]
    check(records, "card")
    check(records[0] | {"guess": ["a", "b"]}, "card")
    claim = records[0]["claims"][0]
    assert {"text", "words", "role", "verdict", "left", "right"} <= set(claim)
    assert {"card", "verdict", "reason", "claims", "evidence", "seconds"} <= set(records[0])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema("card")).validate([records[0] | {"verdict": "ok"}])


def test_schemas_are_printed(call: Callable[..., str]) -> None:
    for name in (*SCHEMAS, "run"):
        assert json.loads(call("verify", "schema", name))["title"].startswith("quiz ")
