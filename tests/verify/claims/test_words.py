"""Claims in plain words, in both languages."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from verify.claims import Claim, Declared, Reference, in_words, parse_claim, parse_expression
from verify.quantities import Shape
from verify.text import Text
from verify.units import BYTE

MEANINGS = {
    "wire_sent": Text(ja="各ランクの送信量", en="bytes sent by each rank"),
    "ranks": Text(ja="ランク数", en="ranks"),
    "gradient": Text(ja="勾配の大きさ", en="gradient size"),
    "ratio": Text(ja="空き÷全体", en="idle/total"),
}


def meaning(reference: Reference) -> Text | None:
    return MEANINGS.get(reference.name)


@pytest.mark.parametrize(
    ("text", "en", "ja"),
    [
        (
            "wire_sent == 2*(ranks-1)/ranks*gradient ± 1%",
            "bytes sent by each rank = 2 × (ranks − 1) ÷ ranks × gradient size, within 1 %",
            "各ランクの送信量 = 2 ×（ランク数 − 1）÷ ランク数 × 勾配の大きさ（誤差 1 % 以内）",
        ),
        (
            "doubled.wire_sent[0] == 2*base.wire_sent[0] ± 0.5%",
            "bytes sent by each rank [doubled, rank 0] = "
            "2 × bytes sent by each rank [base, rank 0], within 0.5 %",
            "各ランクの送信量 [doubled, ランク 0] = "
            "2 × 各ランクの送信量 [base, ランク 0]（誤差 0.5 % 以内）",
        ),
        (
            "m[0, 1] != gradient ± 2 KiB",
            "m [rank 0 → rank 1] ≠ gradient size, by more than 2 KiB",
            "m [ランク 0 → ランク 1] ≠ 勾配の大きさ（差が 2 KiB を超える）",
        ),
        (
            "max(wire_sent)/2 == gradient ± 1% of gradient+1 B",
            "(the maximum over all ranks of bytes sent by each rank) ÷ 2 = gradient size, "
            "within 1 % of (gradient size + 1 B)",
            "（各ランクの送信量の全ランクでの最大値）÷ 2 = 勾配の大きさ"
            "（誤差（勾配の大きさ + 1 B）の 1 % 以内）",
        ),
        ("x <= 1e-12", "x ≤ 10⁻¹²", "x ≤ 10⁻¹²"),
        ("x == wire_sent**2", "x = (bytes sent by each rank)², exactly", None),
        ("ratio == min(ranks, 3)", "“idle/total” = the minimum of [ranks, 3], exactly", None),
        ("x == log2(ranks)", "x = log₂(ranks), exactly", "x = log₂(ランク数)（厳密に一致）"),
    ],
)
def test_words(text: str, en: str, ja: str | None) -> None:
    claim = parse_claim(text)
    assert in_words(claim, "en", meaning) == en
    if ja is not None:
        assert in_words(claim, "ja", meaning) == ja


def test_a_claim_per_rank_says_so() -> None:
    known = {
        Reference(None, "wire_sent"): Declared(BYTE, Shape.PER_RANK),
        Reference(None, "gradient"): Declared(BYTE),
    }
    claim = parse_claim("wire_sent == gradient")
    assert in_words(claim, "en", meaning, known).endswith(", exactly, on every rank")
    assert in_words(claim, "ja", meaning, known).endswith("（厳密に一致、どのランクでも）")
    reduced = parse_claim("max(wire_sent) == gradient")
    assert "every rank" not in in_words(reduced, "en", lambda _: None, known)


def test_an_expression_has_words_too() -> None:
    assert in_words(parse_expression("2*(ranks-1)"), "ja", meaning) == "2 ×（ランク数 − 1）"


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_claim_has_words(claims: st.SearchStrategy[Claim], data: st.DataObject) -> None:
    claim = data.draw(claims)
    for language in ("en", "ja"):
        assert in_words(claim, language, meaning, {}).strip()  # type: ignore[arg-type]
