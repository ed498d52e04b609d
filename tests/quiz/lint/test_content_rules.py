"""The rules about what a card says, each in a deck in which it has the only thing to say."""

from __future__ import annotations

import textwrap
import time
from pathlib import Path

import pytest

from quiz.lint.run import lint
from tests.quiz.lint.samples import COMPUTE, RECALL, TRAP, DeckOf, ExpectOne, Lint

LONG = "It sends each gradient once around the ring of all the ranks"


@pytest.mark.parametrize("card", [RECALL, TRAP, COMPUTE])
def test_a_good_card_has_no_finding(card: str, deck_of: DeckOf, lint_text: Lint) -> None:
    assert lint_text(deck_of(card)) == []


@pytest.mark.parametrize(
    ("rule", "card", "good", "bad"),
    [
        # where YAML gives up
        ("full-width-punctuation", RECALL, "ask: Who?", "ask▼：だれ"),
        ("full-width-punctuation", RECALL, "ask: Who?", "ask:▼\u3000だれ"),
        ("full-width-punctuation", RECALL, "ask: Who?", "▼\u3000ask: Who?"),
        ("full-width-punctuation", RECALL, "ask: Who?", "ask: ▼｛ja: だれ，en: Who｝"),
        ("full-width-punctuation", RECALL, "ask: Who?", "ask: {ja: だれ▼，en: Who}"),
        # where it goes on with something else
        ("full-width-punctuation", RECALL, "ask: Who?", "ask: {ja▼：だれ, en: Who}"),
        ("full-width-punctuation", RECALL, "ask: Who?", "after:\n  ▼－ other\nask: Who?"),
        ("full-width-punctuation", RECALL, "ask: Who?", "after: ▼［other］\nask: Who?"),
        ("full-width-punctuation", RECALL, "ask: Who?", "after: [one▼，two]\nask: Who?"),
        ("full-width-punctuation", COMPUTE, "ranks: [3, 4]", "ranks: [3▼，4]"),
        ("invisible-character", RECALL, "ask: Who?", "ask: Wh▼\u200bo?"),
        ("invisible-character", RECALL, "ask: Who?", "ask: Wh▼\u200do?"),
        ("invisible-character", RECALL, "ask: Who?", 'ask: ▼"Wh\\u00ado?"'),
        ("invisible-character", RECALL, "ask: Who?", "# ▼\U000e0041\nask: Who?"),
        ("duplicate-choice", TRAP, "text: Nothing", "text: ▼almost  all"),
        ("duplicate-choice", TRAP, "text: Nothing", "text: ▼'Almost all.'"),
        ("duplicate-choice", TRAP, "== payload", "== 1.5 * payload"),
        ("duplicate-choice", COMPUTE, "once}", "once}\n  - {result: ▼payload , belief: more}"),
        ("telling-length", TRAP, "text: Almost all", f"text: ▼{LONG}"),
        ("telling-length", TRAP, "text: Nothing", f"text: {LONG}"),
        ("position-in-choice", TRAP, "text: Nothing", "text: ▼None of the above"),
        ("position-in-choice", TRAP, "text: Nothing", "text: 答えは▼上記のいずれでもない"),
        ("text-too-long", RECALL, "ask: Who?", "ask: ▼" + "word " * 300 + "end"),
        ("text-too-long", RECALL, "Everyone", "▼" + "全員" * 400),
        ("text-too-long", RECALL, "ask: Who?", "ask: Who ▼" + "w" * 35),
        ("text-too-long", RECALL, "ask: Who?", "ask: ▼|\n  who\n" + "  a\n" * 20),
        ("mixed-languages", RECALL, "ask: Who?", "ask: {ja: だれ, en: Who ▼だれ}"),
        ("mixed-languages", RECALL, "ask: Who?", "ask: {ja: ▼Who sends all gradients, en: Who?}"),
        (
            "mixed-languages",
            RECALL,
            "ask: Who?",
            "ask: {ja: '誰か。▼It is each of the many ranks here', en: Who?}",
        ),
        ("unit-mistake", RECALL, "Everyone", "It is ▼512 MB"),
        ("unit-mistake", RECALL, "Everyone", "'▼3 MB, or 3*2^20 bytes'"),
        ("unit-mistake", COMPUTE, "[1 MiB, 4 MiB]", "[▼64 MB, 4 MiB]"),
        ("unit-mistake", TRAP, "== payload ± 1%", "== 2*payload ± ▼128 kB"),
        ("lure-within-tolerance", TRAP, "1.5*payload ± 1%", "1.5*payload ± 40%"),
        ("lure-within-tolerance", COMPUTE, "== result ± 1%", "== result ± 60%"),
        ("unused-vary", COMPUTE, "[1 MiB, 4 MiB]}", "[1 MiB, 4 MiB], iterations: ▼[1, 2]}"),
        ("unused-vary", COMPUTE, '"{ranks}, {payload}"', '"{payload}"'),
        ("unused-vary", COMPUTE, "[1 MiB, 4 MiB]", "[1 MiB, ▼1024 KiB]"),
        ("unknown-placeholder", COMPUTE, '"{ranks}, {payload}"', "'▼{rank} {ranks}, {payload}'"),
        ("missing-source", RECALL, "card\nkind: recall\nsource: page 1", "▼card\nkind: recall"),
        ("trailing-whitespace", RECALL, "ask: Who?", "ask: Who?▼  "),
        ("key-order", RECALL, "ask: Who?\nanswer: Everyone", "answer: Everyone\nask: ▼Who?"),
    ],
)  # fmt: skip
def test_the_only_finding_stands_at_the_mark(
    rule: str, card: str, good: str, bad: str, deck_of: DeckOf, expect_one: ExpectOne
) -> None:
    assert good in card
    broken = card.replace(good, bad, 1)
    for find, mark in PLACES.get((rule, good), {}).items():
        broken = broken.replace(find, mark, 1)
    expect_one(rule, deck_of(broken))


# Where a fault shows elsewhere than where it was made.
PLACES = {
    ("duplicate-choice", "== payload"): {"claim: wire_sent == 1.5 *": "claim: ▼wire_sent == 1.5 *"},
    ("telling-length", "text: Nothing"): {"text: Almost": "text: ▼Almost"},
    ("lure-within-tolerance", "1.5*payload ± 1%"): {
        "wire_sent == payload": "▼wire_sent == payload"
    },
    ("lure-within-tolerance", "== result ± 1%"): {"{result: pay": "{result: ▼pay"},
    ("unused-vary", '"{ranks}, {payload}"'): {"ranks: [3": "ranks: ▼[3"},
}


def test_full_width_signs_in_prose_are_right(deck_of: DeckOf, lint_text: Lint) -> None:
    for ask in ("勾配：だれが送るか、いつ，どこで", "｛勾配｝", "'－ 勾配'", "例、ask：だれ"):
        assert lint_text(deck_of(RECALL.replace("Who?", ask))) == []


def test_a_joined_emoji_and_explained_units_are_fine(deck_of: DeckOf, lint_text: Lint) -> None:
    for ask in ("👩\u200d💻?", "1 MB = 10^6 B, 1 MiB = 2^20 B", "a 24 GB card"):
        assert lint_text(deck_of(RECALL.replace("Who?", ask))) == []


@pytest.mark.parametrize("text", ["x" * 500_000, "'$" + r"\frac" * 100_000 + "$'"])
def test_a_giant_word_takes_no_time_and_no_room(
    text: str, deck_of: DeckOf, lint_text: Lint
) -> None:
    before = time.process_time()
    found = lint_text(deck_of(RECALL.replace("Everyone", text)))
    assert time.process_time() - before < 5  # wrapping it took ten times as long
    assert "text-too-long" in {finding.problem.rule for finding in found}
    assert all(len(finding.problem.message.pick("ja")) < 200 for finding in found)


def cards(deck_of: DeckOf, *bodies: str) -> str:
    first, *others = bodies
    return deck_of(first) + "".join(
        "  -" + textwrap.indent(body.strip(), "    ")[3:] + "\n" for body in others
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Who?", "who"),
        ("What does each rank send?", "What do the ranks send"),
        ("勾配はだれが送るか", "勾配をだれに送るか。"),
    ],
)
def test_near_duplicates(one: str, other: str, deck_of: DeckOf, expect_one: ExpectOne) -> None:
    again = RECALL.replace("id: card", "id: again")
    first = RECALL.replace("Who?", one)
    expect_one("near-duplicate", cards(deck_of, first, again.replace("Who?", f"▼{other}")))


def test_siblings_and_different_questions_are_no_duplicates(
    deck_of: DeckOf, lint_text: Lint
) -> None:
    again = RECALL.replace("id: card", "id: again")
    for other in ("When?", "Who not?"):
        assert lint_text(cards(deck_of, RECALL, again.replace("Who?", other))) == []
    with_idea = [body.replace("ask:", "idea: same\nask:") for body in (RECALL, again)]
    assert lint_text(cards(deck_of, *with_idea)) == []


def test_a_circle_of_prerequisites(deck_of: DeckOf, expect_one: ExpectOne) -> None:
    one = RECALL.replace("ask: Who?", "after: [▼three]\nask: Who?")
    two = RECALL.replace("id: card", "id: two").replace("ask: Who?", "after: [card]\nask: When?")
    three = RECALL.replace("id: card", "id: three").replace("ask: Who?", "after: [two]\nask: How?")
    finding = expect_one("circular-prerequisites", cards(deck_of, one, two, three))
    message = finding.problem.message.pick("en")
    assert "sample/card → sample/three → sample/two → sample/card" in message


def test_a_circle_through_two_decks(tmp_path: Path, deck_of: DeckOf) -> None:
    paths = [tmp_path / "one.yaml", tmp_path / "two.yaml"]
    for path, other in zip(paths, ("two", "one"), strict=True):
        card = RECALL.replace("ask: Who?", f"after: [{other}/card]\nask: Who?")
        path.write_text(deck_of(card).replace("deck: sample", f"deck: {path.stem}"))
    found = [(f.path.stem, f.problem.rule) for f in lint(paths).findings]
    assert found == [("one", "circular-prerequisites"), ("two", "circular-prerequisites")]


def test_the_truth_always_in_one_place(
    deck_of: DeckOf, lint_text: Lint, expect_one: ExpectOne
) -> None:
    def trap(number: int) -> str:
        return TRAP.replace("id: card", f"id: c{number}").replace("Which?", f"Which {number}?")

    first = trap(0).replace("- {text: Almost", "- ▼{text: Almost")
    expect_one("truth-in-one-place", cards(deck_of, first, *map(trap, range(1, 4))))
    assert lint_text(cards(deck_of, *map(trap, range(3)))) == []


def test_a_file_over_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_bytes(b"#" * (16 * 2**20 + 1))
    [finding] = lint([path]).findings
    assert (finding.problem.rule, *finding.problem.position) == ("file-size", 1, 1)
