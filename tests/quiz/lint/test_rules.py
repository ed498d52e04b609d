"""Each rule, in a deck in which it has the only thing to say. ▼ marks the line and the column."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from quiz.lint.rule import Rule
from quiz.lint.rules import all_rules
from quiz.lint.run import lint
from tests.quiz.lint.samples import COMPUTE, PROOF, RECALL, TRAP, DeckOf, ExpectOne, Lint

RUNS = """
id: card
kind: recall
source: page 1
ask: Who?
answer: Everyone
proof:
  runs:
    base: {experiment: boundary-activations, with: {batch: 8}}
    doubled: {experiment: boundary-activations, with: {batch: 16}}
  truth: ['doubled.wire_sent[0] == 2*base.wire_sent[0] ± 0.5%']
"""


@pytest.mark.parametrize("card", [RECALL, TRAP, COMPUTE, RUNS])
def test_a_good_card_has_no_finding(card: str, deck_of: DeckOf, lint_text: Lint) -> None:
    assert lint_text(deck_of(card)) == []


@pytest.mark.parametrize(
    ("rule", "card", "good", "bad"),
    [
        # what the loader refuses
        ("yaml-error", RECALL, "ask: Who?", "ask: Who▼: me?"),
        ("yaml-feature", RECALL, "ask: Who?", "ask: ▼*who"),
        ("yaml-feature", RECALL, "ask: Who?", "ask: ▼&a Who?"),
        ("yaml-feature", RECALL, "ask: Who?", "ask: ▼!!str Who?"),
        ("yaml-error", RECALL, "ask: Who?", 'ask: "▼\\lambda"'),
        ("yaml-feature", RECALL, "ask: Who?", "ask: *▼*Who?**"),
        ("control-character", RECALL, "ask: Who?", "▼\ufeffask: Who?"),
        ("nesting-depth", RECALL, "ask: Who?", "ask: [[[[[[[[▼[[x]]]]]]]]]]"),
        ("schema", RECALL, "answer: Everyone", "▼anser: Everyone"),
        ("schema", RECALL, "id: card\nkind: recall", "▼kind: recall"),
        ("schema", RECALL, "ask: Who?", "ask: ▼[Who?]"),
        ("schema", RECALL, "ask: Who?", "ask:▼"),
        ("schema", RECALL, "ask: Who?", "ask: ▼{}"),
        ("schema", RECALL, "ask: Who?", "ask: {▼jp: だれ}"),
        ("schema", RECALL, "kind: recall", "kind: ▼recal"),
        ("schema", RECALL, "id: card", "id: ▼Card"),
        (
            "schema",
            RECALL,
            "answer: Everyone",
            "answer: Everyone\nchoices:\n  ▼- {text: a, claim: b}",
        ),
        ("schema", TRAP, "text: Nothing, ", "▼txt: Nothing, "),
        ("schema", COMPUTE, "ranks: [3, 4]", "ranks: ▼[3, 3]"),
        ("schema", COMPUTE, "ranks: [3, 4]", "ranks: ▼[]"),
        ("schema", RUNS, "base: {experiment", "▼1base: {experiment"),
        ("duplicate-key", RECALL, "ask: Who?", "ask: Who?\n▼ask: What?"),
        ("control-character", RECALL, "ask: Who?", 'ask: ▼"\\e[31mWho?"'),
        ("control-character", RECALL, "ask: Who?", 'ask: ▼"a\\x9b"'),
        ("control-character", RECALL, "ask: Who?", "ask: ab▼\u202ecd"),
        ("control-character", RECALL, "ask: Who?", "ask: ab▼\x07cd"),
        *(
            ("changed-scalar", RECALL, "ask: Who?", f"ask: ▼{value}")
            for value in (
                "No",
                "on",
                "4:3",
                "010",
                "1_000",
                "2024-01-15",
                "2024-13-45",
                "~",
                "1e3",
                "0x1F",
                ".5",
                ".nan",
                "=",
                "0o17",
                "08",
                "-.5",
                "1.e3",
                "12",
                "9" * 5000,
            )
        ),
        ("changed-scalar", COMPUTE, "ranks: [3, 4]", "ranks: [3, ▼04]"),
        ("changed-scalar", COMPUTE, "ranks: [3, 4]", "ranks: [3, ▼true]"),
        # A double holds no number this small, nor more than 17 digits.
        ("changed-scalar", COMPUTE, "ranks: [3, 4]", "ranks: [3, ▼1e-400]"),
        ("changed-scalar", COMPUTE, "ranks: [3, 4]", "ranks: [3, ▼0.123456789012345678]"),
        ("changed-scalar", RECALL, "ask: Who?", "ask: Who?\n▼on: x"),
        ("latex-in-double-quotes", RECALL, "ask: Who?", 'ask: "勾配 $▼\\nabla L$"'),
        ("latex-in-double-quotes", RECALL, "ask: Who?", 'ask: "▼\\theta"'),
        (
            "trap-choices",
            TRAP,
            "{text: Nothing, claim: wire_sent == payload ± 1%, belief: once}",
            "▼{text: Nothing, claim: wire_sent == payload ± 1%}",
        ),
        (
            "trap-choices",
            TRAP,
            "{text: Nothing, claim: wire_sent == payload ± 1%, belief: once}",
            "▼{text: Nothing, claim: wire_sent == payload ± 1%, belief: truth}",
        ),
        # what the rules find
        (
            "unknown-experiment",
            RECALL,
            "experiment: all-reduce-bytes",
            "experiment: ▼all-reduce-byte",
        ),
        ("unknown-parameter", TRAP, "bytes}", "bytes, with: {rank: ▼4}}"),
        ("unknown-parameter", TRAP, "bytes}", "bytes, with: {ranks: ▼99}}"),
        ("unknown-parameter", TRAP, "bytes}", "bytes, with: {payload: ▼4 miles}}"),
        ("unknown-parameter", COMPUTE, "ranks: [3, 4]", "ranks: [3, ▼40]"),
        ("unknown-fault", TRAP, "bytes}", "bytes, fault: ▼stale}"),
        ("unknown-fault", TRAP, "5*payload ± 1%}", "5*payload ± 1%, unless: ▼stale}"),
        ("unknown-quantity", TRAP, "claim: wire_sent == payload", "claim: ▼wire_send == payload"),
        ("unknown-quantity", TRAP, "== payload", "== 2*▼pay"),
        ("unknown-quantity", RUNS, "2*base.wire_sent", "2*▼basic.wire_sent"),
        ("unknown-quantity", RUNS, "2*base.wire_sent[0]", "2*▼batch"),
        ("unknown-quantity", COMPUTE, "{result: payload,", "{result: 2*▼wire_sent,"),
        ("claim-syntax", TRAP, "claim: wire_sent == payload", "claim: wire_sent ▼= payload"),
        (
            "claim-syntax",
            TRAP,
            "claim: wire_sent == payload ± 1%",
            "claim: 'wire_sent == (payload▼'",
        ),
        ("claim-syntax", COMPUTE, "{result: payload,", '{result: "payload*▼",'),
        ("unsound-claim", TRAP, "wire_sent == payload ± 1%", "wire_sent == ▼ranks ± 1%"),
        ("unsound-claim", COMPUTE, "[wire_sent == result ± 1%]", "[▼ranks == result ± 1%]"),
        ("unsound-claim", TRAP, "wire_sent == payload ± 1%", "▼wire_sent == (wire_sent)"),
        ("unsound-claim", TRAP, "wire_sent == payload ± 1%", "▼2*ranks == 9"),
        ("unsound-claim", TRAP, "wire_sent == payload ± 1%", "'wire_sent[▼4] == payload ± 1%'"),
        ("unsound-claim", RUNS, "2*base.wire_sent[0]", "2*base.wire_sent[▼1+1]"),
        ("schema", COMPUTE, "vary: {ranks: [3, 4]", "vary: {▼rank: [1], ranks: [3, 4]"),
        ("unsound-claim", COMPUTE, "result: 2*(ranks-1)/ranks*", "result: ▼1/(ranks-3)*"),
        ("unsound-claim", COMPUTE, "{result: payload,", "{result: ▼log2(ranks-4)*payload,"),
        ("unsound-claim", COMPUTE, "{result: payload,", "{result: ▼payload+1 s,"),
        ("no-proof", TRAP.replace("proof: {experiment: all-reduce-bytes}", ""), "id: ", "id: ▼"),
        ("no-proof", RECALL.replace(PROOF, "proof: {experiment: all-reduce-bytes}"), "f: ", "f: ▼"),
        ("truth-needs-fault", RECALL, "wire_sent == 1.5*payload ± 1%", "▼result_spread == 0"),
        ("truth-needs-fault", RECALL, "wire_sent == 1.5*payload ± 1%", "▼wire_sent > payload"),
        ("truth-needs-fault", RECALL, "wire_sent == 1.5*payload ± 1%", "▼wire_sent != payload"),
        (
            "compute-lure-collision",
            COMPUTE.replace("[3, 4]", "[2, 4]"),
            "result: payload",
            "result: ▼payload",
        ),
        ("unrenderable-mathematics", RECALL, "ask: Who?", r"ask: 'Who $\alpha$ ▼$\matrix{a}$?'"),
        ("unrenderable-mathematics", RECALL, "Everyone", r"{ja: '全員 ▼$a \\ b$', en: Everyone}"),
        ("unrenderable-mathematics", TRAP, "text: Nothing", r"text: '▼$\frac{a$'"),
        ("unknown-prerequisite", RECALL, "ask: Who?", "after: [▼crad]\nask: Who?"),
        ("unknown-prerequisite", RECALL, "ask: Who?", "after: [▼no-deck/card]\nask: Who?"),
        ("unknown-prerequisite", RECALL, "ask: Who?", "after: [▼card]\nask: Who?"),
    ],
)
def test_the_only_finding_stands_at_the_mark(
    rule: str, card: str, good: str, bad: str, deck_of: DeckOf, expect_one: ExpectOne
) -> None:
    assert good in card
    broken = card.replace(good, bad, 1)
    expect_one(rule, deck_of(broken))


def test_two_cards_of_one_id(deck_of: DeckOf, expect_one: ExpectOne) -> None:
    second = textwrap.indent(RECALL.strip(), "    ").replace("id: card", "id: ▼card")
    expect_one("duplicate-id", deck_of(RECALL) + "  -" + second[3:] + "\n")


def test_a_trap_without_truth_or_without_lure(deck_of: DeckOf, expect_one: ExpectOne) -> None:
    truth = "  - {text: Almost all, claim: wire_sent == 1.5*payload ± 1%}\n"
    lure = "  - {text: Nothing, claim: wire_sent == payload ± 1%, belief: once}\n"
    for missing in (truth, lure):
        card = TRAP.replace(missing, "").replace("choices:\n  -", "choices:\n  ▼-")
        expect_one("trap-choices", deck_of(card))


def test_when_every_combination_collides_it_is_an_error(deck_of: DeckOf, lint_text: Lint) -> None:
    some = lint_text(deck_of(COMPUTE.replace("[3, 4]", "[2, 4]")))
    every = lint_text(deck_of(COMPUTE.replace("[3, 4]", "[2]")))
    assert [f.problem.severity for f in some] == ["warning"]
    assert "ranks=2 payload=1 MiB" in some[0].problem.message.pick("en")
    assert [f.problem.severity for f in every] == ["error"]


def test_a_recall_card_without_proof_is_a_warning(deck_of: DeckOf, lint_text: Lint) -> None:
    [finding] = lint_text(deck_of(RECALL.replace(PROOF, "")))
    assert (finding.problem.rule, finding.problem.severity) == ("no-proof", "warning")


BILINGUAL = RECALL.replace("ask: Who?", "ask: {ja: だれ, en: Who?}")


@pytest.mark.parametrize(
    ("answer", "marked"),
    [
        ("{ja: 全員}", "▼{ja: 全員}"),
        ("{en: Everyone}", "▼{en: Everyone}"),
        ("全員が送る", "▼全員が送る"),
        ("every rank sends", "▼every rank sends"),
        ("4 MiB", None),
        ("GPipe", None),
        ("'$a b c d$'", None),
    ],
)
def test_a_missing_language(
    answer: str, marked: str | None, deck_of: DeckOf, lint_text: Lint, expect_one: ExpectOne
) -> None:
    if marked is None:
        assert lint_text(deck_of(BILINGUAL.replace("Everyone", answer))) == []
    else:
        expect_one("missing-language", deck_of(BILINGUAL.replace("Everyone", marked)))


def test_one_language_is_enough_for_a_deck_in_one(deck_of: DeckOf, lint_text: Lint) -> None:
    assert lint_text(deck_of(RECALL.replace("Everyone", "{ja: 全員}"))) == []


def test_latex_outside_the_reach_of_escapes_is_fine(deck_of: DeckOf, lint_text: Lint) -> None:
    for ask in (r"'$\nabla L$'", r'"$\\nabla L$"', r'"one\nnext"', r'"a\tb"', r'"so\nnumber"'):
        assert lint_text(deck_of(RECALL.replace("Who?", ask))) == []


def test_a_claim_in_a_block_is_marked_at_its_beginning(
    deck_of: DeckOf, expect_one: ExpectOne
) -> None:
    card = RECALL.replace(
        PROOF, "proof:\n  experiment: all-reduce-bytes\n  truth:\n    - ▼>-\n      wire_sent = 3\n"
    )
    expect_one("claim-syntax", deck_of(card))


def test_prerequisites_in_other_decks(tmp_path: Path, deck_of: DeckOf) -> None:
    other, mine = tmp_path / "other.yaml", tmp_path / "mine.yaml"
    other.write_text(deck_of(RECALL).replace("deck: sample", "deck: other"))
    mine.write_text(deck_of(RECALL.replace("ask: Who?", "after: [other/card]\nask: Who?")))
    assert lint([mine, other]).findings == ()
    assert lint([mine], others=[other]).findings == ()
    [finding] = lint([mine]).findings
    assert finding.problem.rule == "unknown-prerequisite"


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.id)
def test_a_rule_has_a_manual_page(rule: Rule) -> None:
    assert rule.manual.splitlines()[0].endswith(".")
    assert rule.manual.index("Bad:") < rule.manual.index("Good:")
