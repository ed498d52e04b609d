"""What lint can say of a claim without a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from verify.claims import Reference, Verdict, check, judge, parse_claim, scope_of, signature
from verify.evidence import Evidence, WorldFacts
from verify.experiment import Between, Experiment, OneOf
from verify.quantities import Quantity, Readings, Shape, Unmeasured, per_rank
from verify.text import Text, verbatim
from verify.units import BYTE, ONE, SECOND, Bytes, MiB

_DEFAULT = Bytes(4 * MiB)


@dataclass(frozen=True)
class Parameters:
    ranks: Annotated[int, Between(2, 16)] = 4
    payload: Annotated[Bytes, Between(1, 2**30)] = _DEFAULT
    rate: float = 0.1
    schedule: Annotated[str, OneOf("gpipe", "1f1b")] = "gpipe"
    fast: bool = False


def _run(_: Any, __: Any) -> Readings:
    return {}


EXPERIMENT = Experiment(
    "example",
    Parameters,
    _run,
    quantities=(
        Quantity("wire_sent", BYTE, Shape.PER_RANK, verbatim("bytes sent")),
        Quantity("wire_matrix", BYTE, Shape.MATRIX, verbatim("bytes")),
        Quantity("bubble_wall", ONE, Shape.SCALAR, verbatim("idle"), timed=True),
        Quantity("busy", SECOND, Shape.PER_RANK, verbatim("busy time"), timed=True),
    ),
)
KNOWN = signature(EXPERIMENT)


@pytest.mark.parametrize(
    "text",
    [
        "wire_sent == 2*(ranks-1)/ranks*payload ± 1%",
        "wire_sent == 0",
        "sum(wire_matrix) == sum(wire_sent)",
        "bubble_wall == 0.3 ± 0.03",
        "bubble_wall == 0",
        "bubble_wall < 0.3",
        "wire_sent == sqrt(ranks)*payload",
        "wire_sent == payload*rank ± 1% of payload",
    ],
)
def test_sound_claims(text: str) -> None:
    assert check(parse_claim(text), KNOWN) == ()


@pytest.mark.parametrize(
    ("text", "faults", "hint"),
    [
        ("ranks == 4", ["ranks == 4"], None),
        ("payload*(rank + 1) >= payload", ["payload*(rank + 1) >= payload"], None),
        ("wire_sant == paylod", ["wire_sant", "paylod"], "wire_sent"),
        ("base.wire_sent == 0", ["base.wire_sent"], "wire_sent"),
        ("wire_sent == busy", ["busy"], None),
        ("wire_matrix == 0", ["wire_matrix"], "m[i, j]"),
        ("schedule == 1", ["schedule"], "with"),
        ("fast == 1", ["fast"], None),
        ("bubble_wall == 3/11", ["bubble_wall == 3/11"], "± 1%"),
        ("bubble_wall != 3/11", ["bubble_wall != 3/11"], "± 1%"),
        ("wire_sent == 0 ± 1%", ["0"], "2 KiB"),
        ("wire_sent == payload ± 1% of 2-2", None, None),
        ("wire_sent == payload/0", ["payload/0"], None),
        ("wire_sent == payload*(1/(1-1))", ["1/(1-1)"], None),
        ("1 == 1", ["1 == 1"], None),
        ("2*wire_sent == (2 * wire_sent) ± 1%", ["2*wire_sent == (2 * wire_sent) ± 1%"], None),
        ("wire_sent[-1] == payload", ["-1"], None),
        ("wire_sent[1/2] == payload", ["1/2"], None),
        ("wire_matrix[0, 2-3] == payload", ["2-3"], None),
        ("wire_sent == payload ± -1 KiB", ["-1 KiB"], "± 1%"),
        ("wire_sent == payload ± (1-1)*1 KiB", ["(1-1)*1 KiB"], "± 1%"),
    ],
)
def test_faults_and_hints(text: str, faults: list[str] | None, hint: str | None) -> None:
    errors = check(parse_claim(text), KNOWN)
    assert errors
    if faults is not None:
        assert [text[e.start : e.end] for e in errors] == faults
    if hint is not None:
        assert errors[0].hint is not None
        assert hint in errors[0].hint.pick("en")


def _evidence(**quantities: Any) -> Evidence:
    parameters = {"ranks": 3, "payload": 3 * MiB, "rate": 0.1, "schedule": "1f1b", "fast": True}
    facts = WorldFacts(3, 1, "gloo", "cpu", "local")
    return Evidence("example", parameters, quantities, facts, {}, 0, 0.1, "2024-02-29T00:00:00Z")


def test_a_scope_from_evidence() -> None:
    gone = Unmeasured(Text(ja="なし", en="none"))
    evidence = _evidence(wire_sent=per_rank([4 * MiB] * 3, BYTE), wire_matrix=gone)
    scope = scope_of(evidence, EXPERIMENT, "base")
    assert scope.ranks == {"base": 3}
    assert set(scope.known) <= set(signature(EXPERIMENT, "base"))
    assert all(scope.known[r] == signature(EXPERIMENT, "base")[r] for r in scope.known)
    claim = parse_claim("base.wire_sent == 2*(base.ranks-1)/base.ranks*base.payload")
    assert judge(claim, scope).verdict is Verdict.CONFIRMED
    assert judge(parse_claim("base.rate == 0.1"), scope).verdict is Verdict.CONFIRMED
    assert judge(parse_claim("sum(base.wire_matrix) == 0"), scope).verdict is Verdict.UNDECIDED
    assert Reference(None, "ranks") not in scope.known
