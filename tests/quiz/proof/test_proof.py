"""Cards against handmade evidence: no process is started here."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from quiz.commands import telling
from quiz.deck.card import Card
from quiz.deck.load import parse
from quiz.proof import (
    CardResult,
    CardVerdict,
    Prover,
    Role,
    Tried,
    assertions,
    plan,
    proof_combinations,
)
from quiz.report.card import draw, to_json
from verify.api import Language, RunFailed, Text, cells
from verify.api.pages import Look
from verify.api.worlds import Evidence, Request
from verify.evidence import WorldFacts
from verify.quantities import Measured, Source, Unmeasured, per_rank, scalar
from verify.units import BYTE, MiB

DECK = """
deck: sample
title: {ja: 見本, en: Sample}
cards:
  - id: ring
    kind: recall
    ask: {ja: 送信量は, en: How much is sent?}
    answer: {ja: 2(N−1)/N 倍, en: 2(N−1)/N of it}
    proof:
      experiment: all-reduce-bytes
      with: {ranks: 4, payload: 4 MiB}
      truth:
        - wire_sent == 2*(ranks-1)/ranks*payload ± 1%
        - {claim: result_spread == 0, unless: one-element}
  - id: which
    kind: trap
    ask: {ja: どれか, en: Which?}
    choices:
      - {text: {ja: 半分, en: half}, claim: wire_sent == payload/2 ± 1%, belief: half,
         why: {ja: 違う, en: not so}}
      - {text: {ja: 一倍半, en: one and a half}, claim: wire_sent == 3/2*payload ± 1%}
    proof: {experiment: all-reduce-bytes, with: {ranks: 4, payload: 4 MiB}}
  - id: how-much
    kind: compute
    ask: {ja: '{ranks} 台で {payload}', en: '{payload} on {ranks} ranks'}
    vary: {ranks: [2, 3, 4], payload: [1 MiB, 4 MiB]}
    result: 2*(ranks-1)/ranks*payload
    lures:
      - {result: payload, belief: once, why: {ja: 違う, en: not so}}
      - {result: ranks*payload, belief: from-all, why: {ja: 違う, en: not so}}
    proof: {experiment: all-reduce-bytes, truth: [wire_sent == result ± 1%]}
"""


class RingWorld:
    """A world in which every all-reduce costs exactly the closed form 2(N−1)/N·S."""

    def __init__(self, *, factor: Fraction = Fraction(1), spread_under_fault: int = 1) -> None:
        self.asked: list[Request] = []
        self._factor = factor
        self._spread = spread_under_fault

    def run(self, request: Request, progress: object = None) -> Evidence:
        self.asked.append(request)
        ranks, payload = request.ranks, request.values["payload"]
        sent = self._factor * 2 * (ranks - 1) * payload / ranks
        declared = {q.name: scalar(0, q.unit) for q in request.experiment.quantities}
        spread = self._spread if request.fault == "one-element" else 0
        quantities: dict[str, Measured | Unmeasured] = declared | {
            "wire_sent": per_rank([sent] * ranks, BYTE, Source.MEASURED),
            "result_spread": scalar(spread),
        }
        facts = WorldFacts(ranks, 1, "gloo", "cpu", "local")
        return Evidence(
            request.experiment.name, dict(request.values), quantities, facts, {}, 1, 0.1,
            "2026-01-01T00:00:00+00:00", request.fault,
        )  # fmt: skip


@pytest.fixture
def cards() -> dict[str, Card]:
    loaded = parse(DECK.encode(), Path("sample.yaml"))
    assert loaded.problems == ()
    assert loaded.deck is not None
    return {card.id: card for card in loaded.deck.cards}


def test_truth_confirmed_and_every_lure_refuted_is_proven(cards: dict[str, Card]) -> None:
    for card in cards.values():
        result = Prover(RingWorld()).prove(card)
        assert result.verdict is CardVerdict.PROVEN, (card.id, result.reason)
        assert result.weaknesses == ()


def test_runs_shared_between_cards_are_made_once(cards: dict[str, Card]) -> None:
    world = RingWorld()
    prover = Prover(world)
    prover.prove(cards["ring"])
    assert [request.fault for request in world.asked] == [None, "one-element"]
    prover.prove(cards["which"])
    assert len(world.asked) == 2


def test_kept_evidence_answers_without_a_run_unless_fresh(cards: dict[str, Card]) -> None:
    class Kept(dict[str, Evidence]):
        put = dict.__setitem__

    shelf, world = Kept(), RingWorld()
    Prover(world, shelf).prove(cards["ring"])
    assert len(shelf) == len(world.asked) == 2
    assert Prover(world, shelf).prove(cards["ring"]).verdict is CardVerdict.PROVEN
    assert len(world.asked) == 2
    Prover(world, shelf, fresh=True).prove(cards["ring"])
    assert len(world.asked) == 4


def test_wrong_truth_is_disproven(cards: dict[str, Card]) -> None:
    result = Prover(RingWorld(factor=Fraction(2))).prove(cards["ring"])
    assert result.verdict is CardVerdict.DISPROVEN
    assert "wire_sent" in (result.reason or Text(en="")).pick("en")


def test_flipping_the_answer_of_a_trap_is_disproven(cards: dict[str, Card]) -> None:
    lure, truth = cards["which"].choices
    flipped = replace(
        cards["which"],
        choices=(
            replace(lure, statement=truth.statement),
            replace(truth, statement=lure.statement),
        ),
    )
    assert Prover(RingWorld()).prove(flipped).verdict is CardVerdict.DISPROVEN


def test_a_compute_card_is_proven_where_no_lure_equals_the_result(cards: dict[str, Card]) -> None:
    # At 2 ranks the ring sends exactly the payload: the lure "once" is right there.
    chosen = proof_combinations(cards["how-much"])
    assert [c["ranks"] for c in chosen] == [3, 4]
    assert len({c["payload"] for c in chosen}) == 2


def test_result_stands_for_the_expression_and_lures_take_its_place(cards: dict[str, Card]) -> None:
    texts = [(a.role, a.text) for a in assertions(cards["how-much"])]
    assert texts[0] == (Role.TRUTH, "wire_sent == 2*(ranks-1)/ranks*payload ± 1%")
    assert texts[1:] == [
        (Role.LURE, "wire_sent == payload ± 1%"),
        (Role.LURE, "wire_sent == ranks*payload ± 1%"),
    ]


def test_swapping_the_result_with_a_lure_is_disproven(cards: dict[str, Card]) -> None:
    card = cards["how-much"]
    assert card.result is not None
    for index, lure in enumerate(card.lures):
        lures = list(card.lures)
        lures[index] = replace(lure, result=card.result)
        flipped = replace(card, result=lure.result, lures=tuple(lures))
        result = Prover(RingWorld()).prove(flipped, [{"ranks": 4, "payload": "4 MiB"}])
        assert result.verdict is CardVerdict.DISPROVEN


def test_a_claim_that_cannot_fail_is_named(cards: dict[str, Card]) -> None:
    loose = parse(
        DECK.replace("payload ± 1%\n        -", "payload ± 90%\n        -").encode(),
        Path("sample.yaml"),
    )
    assert loose.deck is not None
    result = Prover(RingWorld()).prove(loose.deck.cards[0])
    # Half of 6 MiB lies within 90 % of 6 MiB; so does the double of half.
    assert result.verdict is CardVerdict.PROVEN
    assert any("too loose" in w.text.pick("en") for w in result.weaknesses)


def test_a_fault_that_nothing_notices_is_named(cards: dict[str, Card]) -> None:
    result = Prover(RingWorld(spread_under_fault=0)).prove(cards["ring"])
    assert [w.assertion.text for w in result.weaknesses] == ["result_spread == 0"]


@pytest.mark.parametrize(
    ("hint", "reason"),
    [
        (None, "it broke"),
        (Text(ja="再試行", en="Try again."), "it broke Try again."),  # what may mend it is not lost
    ],
)
def test_a_broken_run_makes_the_card_failed(
    cards: dict[str, Card], hint: Text | None, reason: str
) -> None:
    class Broken:
        def run(self, request: Request, progress: object = None) -> Evidence:
            raise RunFailed(Text(ja="壊れた", en="it broke"), hint, rank=2)

    result = Prover(Broken()).prove(cards["ring"])
    assert result.verdict is CardVerdict.FAILED
    assert to_json(result)["reason"] == reason


def test_undecided_gives_its_reason(cards: dict[str, Card]) -> None:
    class Blind(RingWorld):
        def run(self, request: Request, progress: object = None) -> Evidence:
            evidence = super().run(request)
            blind = Unmeasured(Text(ja="測れません", en="not here"))
            return replace(evidence, quantities={**evidence.quantities, "wire_sent": blind})

    result = Prover(Blind()).prove(cards["which"])
    assert result.verdict is CardVerdict.UNDECIDED
    assert result.reason == Text(ja="測れません", en="not here")


def test_json_has_the_promised_shape(cards: dict[str, Card]) -> None:
    record = to_json(Prover(RingWorld()).prove(cards["which"]))
    assert {"card", "verdict", "reason", "claims", "evidence", "seconds"} <= set(record)
    assert record["card"] == "sample/which"
    for claim in record["claims"]:
        assert {"text", "words", "role", "verdict", "left", "right"} <= set(claim)
    lure, truth = record["claims"]
    assert (lure["role"], lure["verdict"]) == ("lure", "refuted")
    assert (truth["role"], truth["verdict"]) == ("truth", "confirmed")
    assert truth["left"] == [6 * MiB] * 4


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("language", ["ja", "en"])
def test_report_stands_beside_the_prose_and_fits(
    cards: dict[str, Card], width: int, language: str
) -> None:
    result = Prover(RingWorld()).prove(cards["which"])
    lines = draw(result, Look(width, "ja" if language == "ja" else "en"))
    assert max(map(cells, lines)) <= width
    text = " ".join(lines)
    assert ("一倍半" if language == "ja" else "one and a half") in text
    assert ("反証" if language == "ja" else "refuted") in text


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("wire_sent[4] == payload ± 1%", "An index is whole, 0 to 3, not 4."),  # of 4 ranks
        ("2*(ranks-1) == 6", "The claim names no measured quantity, so no run can refute it."),
    ],
)
def test_a_claim_that_no_run_can_judge_is_named(
    cards: dict[str, Card], claim: str, reason: str
) -> None:
    proof = cards["ring"].proof
    assert proof is not None
    card = replace(
        cards["ring"], proof=replace(proof, truth=(replace(proof.truth[0], claim=claim),))
    )
    result = Prover(RingWorld()).prove(card)
    assert result.verdict is CardVerdict.FAILED
    assert to_json(result)["reason"] == f"the claim {claim}: {reason}"


def test_a_card_without_a_proof_says_so(cards: dict[str, Card]) -> None:
    result = Prover(RingWorld()).prove(replace(cards["ring"], proof=None))
    assert result.verdict is CardVerdict.FAILED
    assert "no proof" in (result.reason or Text(en="")).pick("en")


def test_plan_names_every_run_once_per_fault(cards: dict[str, Card]) -> None:
    requests = list(plan(cards["ring"]).requests())
    assert [request.fault for request in requests] == [None, "one-element"]


def test_a_share_says_all_only_of_all() -> None:
    said = Tried(3000, 2999, 2, 2).in_words()
    assert said.pick("en") == "refuted: altered formulas 2999 / 3000 (99.9 %), faults 2 / 2 (100 %)"


@pytest.mark.parametrize(("number", "said"), [(1, "1 card: 1 proven"), (2, "2 cards: 2 proven")])
def test_a_deck_of_one_card_is_one_card(
    number: int,
    said: str,
    cards: dict[str, Card],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(telling, "LANGUAGE", "en")
    telling.draw_deck([CardResult(cards["ring"], CardVerdict.PROVEN)] * number, {})
    assert f" {said}, 0 disproven" in capsys.readouterr().out


def test_choices_stand_in_the_order_in_which_they_were_asked(cards: dict[str, Card]) -> None:
    result = Prover(RingWorld()).prove(cards["which"])
    for first, second in (("half", "truth"), ("truth", "half")):
        lines = draw(result, Look(80, "en"), labels={first: "a", second: "b"})
        marks = [line.split()[0] for line in lines if line.rstrip().endswith(("ed",))]
        assert [mark for mark in marks if len(mark) == 1] == ["a", "b"]


@pytest.mark.parametrize(
    ("language", "ring", "which", "how_much"),
    [
        (
            "en",
            "Also tried: 5 altered formulas and 1 fault, each refuted.",
            "Also tried: 2 altered formulas, each refuted.",
            " · and 1 more",
        ),
        (
            "ja",
            "ほかに、わざと変えた式 5 個と故障 1 個が反証されることを確認しました。",
            "ほかに、わざと変えた式 2 個が反証されることを確認しました。",
            " · ほかに 1 回実行",
        ),
    ],
)
def test_what_was_tried_and_how_many_runs_there_were(
    cards: dict[str, Card], language: Language, ring: str, which: str, how_much: str
) -> None:
    shown = {
        name: "\n".join(draw(Prover(RingWorld()).prove(card), Look(200, language)))
        for name, card in cards.items()
    }
    assert ring in shown["ring"]
    assert which in shown["which"]
    assert how_much in shown["how-much"]
    assert how_much not in shown["which"]
