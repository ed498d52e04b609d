"""The page of cards, from handmade evidence."""

from __future__ import annotations

import base64
import hashlib
import re
from fractions import Fraction
from pathlib import Path

import pytest

from quiz.deck.load import parse
from quiz.proof import CardResult, Prover
from quiz.report.page import draw
from verify.api import Language, RunFailed, Text, verbatim
from verify.api.worlds import Evidence, Request
from verify.evidence import WorldFacts
from verify.quantities import Interval, Measured, Shape, Source, per_rank, scalar
from verify.units import BYTE

DECK = """
deck: sample
title: {ja: 見本, en: Sample}
cards:
  - id: which
    kind: trap
    ask: {ja: どれか, en: 'Which? <script>document.title="taken"</script>'}
    choices:
      - {text: {ja: 半分, en: half & less}, claim: wire_sent == payload/2 ± 1%, belief: half,
         why: {ja: 違う, en: 'not <b>so</b>'}}
      - {text: {ja: 一倍半, en: one and a half}, claim: wire_sent == 3/2*payload ± 1%}
    proof: {experiment: all-reduce-bytes, with: {ranks: 4, payload: 4 MiB}}
  - id: how-much
    kind: compute
    ask: {ja: '{ranks} 台で {payload}', en: '{payload} on {ranks} ranks'}
    vary: {ranks: [3, 4], payload: [1 MiB, 4 MiB]}
    result: 2*(ranks-1)/ranks*payload
    lures: [{result: payload, belief: once, why: {ja: 違う, en: not so}}]
    proof: {experiment: all-reduce-bytes, truth: [wire_sent == result ± 1%]}
  - id: only-japanese
    kind: recall
    ask: {ja: 送信量は}
    answer: {ja: '$2(N-1)/N$ 倍'}
    proof:
      experiment: all-reduce-bytes
      with: {ranks: 4, payload: 4 MiB}
      truth: ['wire_sent == 2*payload ± 1%']
"""
TITLES = {"sample": Text(ja="見本", en="Sample")}
AGAIN = ["quiz", "verify", "deck", "my decks/it's.yaml"]


class RingWorld:
    """Every all-reduce costs exactly the closed form 2(N−1)/N·S."""

    def run(self, request: Request, progress: object = None) -> Evidence:
        ranks, payload = request.ranks, request.values["payload"]
        sent = Fraction(2 * (ranks - 1) * payload, ranks)
        to_next = tuple(
            Interval.point(sent if j == (i + 1) % ranks else 0)
            for i in range(ranks)
            for j in range(ranks)
        )
        return Evidence(
            request.experiment.name,
            dict(request.values),
            {q.name: scalar(0, q.unit) for q in request.experiment.quantities}
            | {
                "wire_sent": per_rank([sent] * ranks, BYTE, Source.MEASURED),
                "wire_matrix": Measured(BYTE, Shape.MATRIX, Source.MEASURED, to_next),
            },
            WorldFacts(ranks, 1, "gloo", "cpu", "local"),
            {"torch": "2.13.0", "host": "secret-name", "system": "<here>"},
            1,
            0.1,
            "2026-01-01T00:00:00+00:00",
        )


@pytest.fixture(scope="module")
def results() -> list[CardResult]:
    loaded = parse(DECK.encode(), Path("sample.yaml"))
    assert loaded.deck is not None, loaded.problems
    prover = Prover(RingWorld())
    return [prover.prove(card) for card in loaded.deck.cards]


@pytest.fixture(scope="module")
def page(results: list[CardResult]) -> str:
    return draw(results, TITLES, "en", AGAIN)


def article(page: str, key: str) -> str:
    (found,) = re.findall(rf'<article id="{key}".*?</article>', page, re.DOTALL)
    return found


def test_the_policy_allows_the_style_and_the_script_of_the_page_and_no_more(page: str) -> None:
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    for tag in ("style", "script"):
        (source,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy


def test_nothing_is_fetched_from_anywhere(page: str) -> None:
    assert not re.findall(r"\b(?:src|srcset|action|data)=", page)
    assert not re.findall(r"@import|url\(", page)
    assert all(link.startswith("#") for link in re.findall(r'href="([^"]*)"', page))
    assert set(re.findall(r"https?://[^\"' <]*", page)) == set()


def test_deck_text_is_text(page: str) -> None:
    assert "&lt;script&gt;document.title=" in page
    assert page.count("<script>") == 1
    assert "not &lt;b&gt;so&lt;/b&gt;" in page
    assert "system &lt;here&gt;" in page
    assert "secret-name" not in page


def test_a_trap_shows_each_choice_with_its_verdict_formula_words_and_numbers(page: str) -> None:
    lure, truth = re.findall(r"<li class=claim>.*?</li>", article(page, "sample/which"), re.DOTALL)
    for text in (
        "lure", "refuted", "half &amp; less", "<mfrac>", "2.00 MiB", "6.00 MiB", "+200.00 %",
        'class="measured"', "not &lt;b&gt;so",
    ):  # fmt: skip
        assert text in lure, text
    for text in ("true", "confirmed", "one and a half", "within 1 %", "誤差 1 % 以内"):
        assert text in truth, text


def test_a_compute_card_keeps_its_variables_and_shows_both_proofs(page: str) -> None:
    card = article(page, "sample/how-much")
    assert "<var>payload</var> on <var>ranks</var> ranks" in card
    assert "<b>ranks</b> = 3, 4" in card
    assert card.count("<details") == 1  # the other run is that of the card before
    assert 'href="#sample/which"' in card
    assert "quiz verify run all-reduce-bytes ranks=3 payload=1048576" in card
    assert "quiz verify card sample/how-much --fresh" in card


def test_runs_are_called_what_the_claims_call_them(page: str) -> None:
    named = DECK.replace(
        "proof: {experiment: all-reduce-bytes, with: {ranks: 4, payload: 4 MiB}}",
        "proof: {runs: {base: {experiment: all-reduce-bytes, with: {ranks: 4}}}}",
    )
    loaded = parse(
        named.replace("wire_sent == payload/2", "base.wire_sent == base.payload/2")
        .replace("wire_sent == 3/2*payload", "base.wire_sent == 3/2*base.payload")
        .encode(),
        Path("sample.yaml"),
    )
    assert loaded.deck is not None, loaded.problems
    result = Prover(RingWorld()).prove(loaded.deck.cards[0])
    assert "<b>base</b>" in draw([result], TITLES, "en", AGAIN)


def test_each_language_is_marked_and_a_missing_one_is_not_switched_to(page: str) -> None:
    assert "<i lang=ja>見本</i><i lang=en>Sample" in page
    card = article(page, "sample/only-japanese")
    assert "<h3><i class=only lang=ja>送信量は</i></h3>" in card


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_page_opens_in_the_language_asked_for(
    language: Language, results: list[CardResult]
) -> None:
    page = draw(results, TITLES, language, AGAIN)
    assert f'<html lang="{language}">' in page
    (chosen,) = re.findall(r'id="show-(\w+)"[^>]* checked>', page)
    assert chosen == language


def test_the_index_and_the_cards_can_be_told_apart_by_the_same_data(page: str) -> None:
    index = re.findall(r'<li( data-card[^>]*)><a class="[a-z]+" href="#([^"]*)"', page)
    articles = re.findall(r'<article id="([^"]*)"( data-card[^>]*)>', page)
    assert [(link, data) for data, link in index] == articles
    assert len(index) == 3
    assert 'data-deck="sample" data-kind="trap" data-verdict="disproven"' not in page


def test_the_command_is_quoted_and_repeated_where_no_id_would_be_found(
    results: list[CardResult],
) -> None:
    page = draw(results, TITLES, "en", AGAIN, by_id=False)
    assert "quiz verify deck &#39;my decks/it&#39;&#34;&#39;&#34;&#39;s.yaml&#39;" in page
    assert "quiz verify card" not in page


def test_a_broken_run_is_told_with_its_reason(results: list[CardResult]) -> None:
    class BrokenWorld:
        def run(self, request: Request, progress: object = None) -> Evidence:
            raise RunFailed(verbatim("rank 2 <died>"))

    card = Prover(BrokenWorld()).prove(results[0].card)
    page = draw([card], TITLES, "en", AGAIN)
    assert 'data-verdict="failed"' in page
    assert "rank 2 &lt;died&gt;" in page
