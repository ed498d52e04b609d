"""The loader: what a good deck becomes, and that nothing makes it raise."""

from __future__ import annotations

import gc
import os
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.deck import compose
from quiz.deck.card import Choice, Kind, NumberLure, Position, Run, Statement
from quiz.deck.library import read_decks
from quiz.deck.load import load, parse
from verify.api import Language, Text

DECK = """\
deck: data-parallel
title: {ja: データ並列, en: Data parallelism}
cards:
  - id: hold-and-send
    kind: recall
    topic: communication
    source: 想起チェック 1
    ask: {ja: 何を送るか, en: What is sent?}
    answer: {ja: 勾配, en: Gradients}
    explain: |
      両方の言語に
      同じ文
    hint: {en: Think}
    after: [ring-bytes, other-deck/first]
    idea: traffic
    proof:
      experiment: data-parallel-step
      with: {ranks: 4, rate: 0.5, mode: fast, switch: true, small: 1e-3}
      fault: stale
      truth:
        - wire_sent == gradient ± 1%
        - {claim: 'replica_spread == 0', unless: skip-all-reduce}
  - id: boundary
    kind: trap
    ask: "どれか"
    choices:
      - {text: {ja: 倍, en: Twice}, claim: "doubled.x == 2*base.x"}
      - text: same
        claim: doubled.x == base.x
        belief: same
        why: {ja: 違う, en: Wrong}
        unless: stale
    proof:
      runs:
        base: {experiment: boundary-activations, with: {batch: 8}}
        doubled: {experiment: boundary-activations, with: {batch: 16}, fault: stale}
  - id: ring-bytes
    kind: compute
    ask: "{ranks} ranks, {payload}"
    vary: {ranks: [3, 4], payload: [1 MiB, 4 MiB], factor: [0.5]}
    result: 2*(ranks-1)/ranks*payload
    unit: MiB
    lures: [{result: payload, belief: once, why: Twice}]
    proof: {experiment: all-reduce-bytes, truth: [wire_sent == result ± 1%]}
"""


def test_every_field_of_every_kind() -> None:
    loaded = parse(DECK.encode(), Path("d.yaml"))
    assert loaded.problems == ()
    assert loaded.deck is not None
    assert (loaded.deck.id, loaded.deck.path) == ("data-parallel", Path("d.yaml"))
    assert loaded.deck.title == Text(ja="データ並列", en="Data parallelism")
    recall, trap, compute = loaded.deck.cards
    assert recall.kind is Kind.RECALL
    assert recall.key == "data-parallel/hold-and-send"
    assert (recall.topic, recall.source, recall.idea) == (
        "communication",
        "想起チェック 1",
        "traffic",
    )
    assert recall.answer == Text(ja="勾配", en="Gradients")
    assert recall.explain == Text(ja="両方の言語に\n同じ文\n", en="両方の言語に\n同じ文\n")
    assert recall.hint == Text(en="Think")
    assert recall.after == ("data-parallel/ring-bytes", "other-deck/first")
    assert recall.proof is not None
    with_ = {"ranks": 4, "rate": 0.5, "mode": "fast", "switch": True, "small": 0.001}
    assert recall.proof.runs == (Run(None, "data-parallel-step", with_, "stale"),)
    assert recall.proof.truth == (
        Statement("wire_sent == gradient ± 1%"),
        Statement("replica_spread == 0", "skip-all-reduce"),
    )
    assert trap.choices == (
        Choice(Text(ja="倍", en="Twice"), Statement("doubled.x == 2*base.x")),
        Choice(
            Text(ja="same", en="same"),
            Statement("doubled.x == base.x", "stale"),
            "same",
            Text(ja="違う", en="Wrong"),
        ),
    )
    assert trap.proof is not None
    assert [run.name for run in trap.proof.runs] == ["base", "doubled"]
    assert compute.vary == {"ranks": (3, 4), "payload": ("1 MiB", "4 MiB"), "factor": (0.5,)}
    assert compute.lures == (NumberLure("payload", "once", Text(ja="Twice", en="Twice")),)
    assert (compute.result, compute.unit) == ("2*(ranks-1)/ranks*payload", "MiB")


def test_places_are_where_the_text_stands() -> None:
    lines = DECK.splitlines()
    deck = parse(DECK.encode(), Path("d.yaml")).deck
    assert deck is not None
    recall, trap, compute = deck.cards
    for card, place, beginning in [
        (recall, ("ask", "en"), "What is sent?"),
        (recall, ("explain",), "|"),
        (recall, ("after", 1), "other-deck/first"),
        (recall, ("proof", "with", "mode"), "fast"),
        (recall, ("proof", "truth", 0), "wire_sent"),
        (recall, ("proof", "truth", 1, "claim"), "replica_spread"),  # within the quotes
        (recall, ("proof", "truth", 1, "unless"), "skip-all-reduce"),
        (trap, ("ask",), '"どれか"'),
        (trap, ("choices", 0, "claim"), "doubled.x == 2"),
        (trap, ("choices", 1, "why", "ja"), "違う"),
        (
            trap,
            ("proof", "runs", "doubled", "experiment"),
            "boundary-activations, with: {batch: 16",
        ),
        (compute, ("vary", "payload", 1), "4 MiB"),
        (compute, ("lures", 0, "result"), "payload, belief"),
    ]:
        line, column = card.places[place]
        assert lines[line - 1][column - 1 :].startswith(beginning), place


def test_a_field_without_a_place_stands_at_what_encloses_it() -> None:
    deck = parse(DECK.encode(), Path("d.yaml")).deck
    assert deck is not None
    assert deck.cards[0].at("proof", "truth", 9) == deck.cards[0].at("proof", "truth")


def test_the_other_cards_load_beside_a_broken_one() -> None:
    broken = DECK.replace("    topic: communication\n", "    topik: communication\n")
    loaded = parse(broken.encode(), Path("d.yaml"))
    assert [problem.card for problem in loaded.problems] == ["data-parallel/hold-and-send"]
    assert loaded.deck is not None
    assert [card.id for card in loaded.deck.cards] == ["boundary", "ring-bytes"]
    assert list(loaded.declared) == ["hold-and-send", "boundary", "ring-bytes"]


@pytest.mark.parametrize("change", [lambda t: "\ufeff" + t, lambda t: t.replace("\n", "\r\n")])
def test_a_byte_order_mark_and_windows_line_ends_change_nothing(change: object) -> None:
    assert callable(change)
    plain, changed = (parse(t.encode(), Path("d")) for t in (DECK, change(DECK)))
    assert changed.problems == ()
    assert plain.deck is not None
    assert changed.deck is not None
    for before, after in zip(plain.deck.cards, changed.deck.cards, strict=True):
        assert before == after
        assert before.places == after.places


def test_the_collector_is_as_it_was_even_after_a_failure() -> None:
    assert gc.isenabled()
    parse(b"[", Path("d"))
    assert gc.isenabled()


def test_python_s_own_parser_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where PyYAML was built without libyaml."""

    class Slow(yaml.SafeLoader):
        descend_resolver = compose._Loader.descend_resolver
        ascend_resolver = compose._Loader.ascend_resolver
        depth = 0

    text = DECK.replace("sent?", "sent").encode()  # PyYAML's own parser trips over ? in { }
    fast = parse(text, Path("d.yaml"))
    monkeypatch.setattr(compose, "_Loader", Slow)
    slow = parse(text, Path("d.yaml"))
    assert slow.problems == ()
    assert slow.deck == fast.deck
    assert parse(("[" * 50_000).encode(), Path("d")).problems[0].rule == "nesting-depth"


def test_what_is_no_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.yaml", Path("a\0b")):
        loaded = load(path)
        assert loaded.deck is None
        assert [problem.rule for problem in loaded.problems] == ["unreadable"]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_pipe_or_a_device_is_refused_and_not_waited_for(
    tmp_path: Path, language: Language
) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    said = {"ja": "通常のファイルではありません。", "en": "This is a pipe or a device, not a file."}
    for path in (tmp_path / "pipe.yaml", Path("/dev/zero")):
        (problem,) = load(path).problems
        assert (problem.rule, problem.message.pick(language)) == ("unreadable", said[language])


def test_a_file_over_the_limit_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "endless.yaml"
    path.touch()
    os.truncate(path, 2**40)  # of holes
    loaded = load(path)
    assert [problem.rule for problem in loaded.problems] == ["file-size"]
    assert "16 MiB" in loaded.problems[0].message.pick("en")


def test_two_decks_of_one_id(tmp_path: Path) -> None:
    first, second = tmp_path / "a.yaml", tmp_path / "b.yaml"
    first.write_text(DECK)
    second.write_text("# a comment\n" + DECK)
    one, two = read_decks([first, second, tmp_path / "." / "a.yaml"])
    assert one.problems == ()
    assert [(p.rule, p.position) for p in two.problems] == [("duplicate-id", Position(2, 7))]
    assert two.deck is None


BOMB = "a: &a [x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(12)
)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"---\n",
        b"...",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\x00",
        b"a: \x07",
        b"%YAML 9.9",
        b"!!python/object/apply:os.system [ls]",
        b"&a [*a]",
        b"? [a]\n: b",
        b"*a",
        b"- " * 5000,
        b"[" * 500_000,
        b"{a: " * 5000,
        b"? " * 5000,
        b"deck: [",
        b"a: !!int x",
        b"<<: {a: b}",
        b"deck: " + b"9" * 5000,
        b"deck: 2024-13-45",
        b'deck: x\ntitle: "\\ud800"',
        b'a: "\\U00110000"',
        b"deck: x\ntitle: y\ncards: &a [*a, *a]",
        "\ufeff\ufeffdeck: x".encode(),
        BOMB.encode(),
        b"deck: x\ntitle: y\ncards: [{id: a, kind: [], ask: {}}]",
        b"\xe2\x80",
        b"a: b\n--- \nc: d",
        b"deck: x\ntitle: y\ncards: [{? [id] : a}]",
        b"=",
        b"~",
        b"deck: {",
        b"deck: x\ncards: [[]]\ntitle: =",
    ],
)
def test_hostile_files_are_a_problem_and_no_traceback(data: bytes) -> None:
    loaded = parse(data, Path("hostile.yaml"))
    assert loaded.problems
    for problem in loaded.problems:
        assert problem.position >= Position(1, 1)
        assert problem.message.ja
        assert problem.message.en


@pytest.mark.parametrize(
    ("text", "rule", "en"),
    [
        ("a: **b**", "yaml-feature", "A value that begins with * or & is an alias or an anchor."),
        ("a: &x 1\nb: &x 2", "yaml-feature", "A value that begins with & is an anchor."),
        ("a: !x!y z", "yaml-feature", "A value that begins with ! is a tag."),
        ("a: | text", "yaml-error", "No text can follow | or > on its line."),
        ("a:\n b: c\n\td: e", "yaml-error", "A tab indents."),
        ("a: - b", "yaml-error", "A list can't begin here."),
        ("- a\nb: c", "yaml-error", "A hyphen and a space are expected here."),
        ("a: ,b", "yaml-error", "A value can't begin with this character."),
        ("a: 'x\n---\n'", "yaml-error", "A line within quotes begins with “---” or “...”."),
        ("a: b\n...\nc: d", "yaml-error", "The document has ended before this."),
        ('a: "\\uD800"', "yaml-error", "Unknown \\ escape in double quotes."),
        ("%YAML 2.0\n---\na: b", "yaml-error", "A line that begins with % is a directive to YAML."),
    ],
)
def test_what_libyaml_refuses_is_said_in_both_languages(text: str, rule: str, en: str) -> None:
    (problem,) = parse(text.encode(), Path("d.yaml")).problems
    assert (problem.rule, problem.message.pick("en")) == (rule, en)
    assert not re.search("[a-z]{4}", problem.message.pick("ja"))
    assert problem.hint is not None


def test_a_mark_between_files_that_were_put_together_is_named() -> None:
    (problem,) = parse("a:\n  b: c\n\ufeff  d: e\n".encode(), Path("d.yaml")).problems
    assert (problem.rule, problem.position) == ("control-character", Position(3, 1))


def test_the_zeros_of_utf_16_are_known() -> None:
    (problem,) = parse("deck: a".encode("utf-16-le"), Path("d.yaml")).problems
    assert problem.hint is not None
    assert problem.hint.pick("en") == "Save the file as UTF-8."


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    parse(data, Path("any.yaml"))


@given(st.text(alphabet=" \n\t-:?[]{},&*!|>'\"%@`#\\ab0\u3042\u2028\ufeff", max_size=80))
def test_any_punctuation(text: str) -> None:
    parse(("deck: d\ntitle: t\ncards:\n- " + text).encode(), Path("any.yaml"))


_PIECES = [
    "\n",
    ": ",
    "- ",
    "[",
    "]",
    "{",
    "}",
    "&a ",
    "*a",
    "!t ",
    "'",
    '"',
    "\\",
    "\t",
    "#",
    "~",
    "010",
    "2024-01-15",
    "\x1b",
    "\u202e",
    "  ",
    "|\n",
    "No",
    "$",
    "\u3000",
    ",",
]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(DECK)), st.integers(0, 12), st.sampled_from(["", *_PIECES])),
        min_size=1,
        max_size=4,
    )
)
def test_any_change_to_a_good_deck(changes: list[tuple[int, int, str]]) -> None:
    """Whatever is left is read or named; and no text of a card holds a control character."""
    text = DECK
    for at, length, piece in changes:
        text = text[:at] + piece + text[at + length :]
    loaded = parse(text.encode(), Path("changed.yaml"))
    assert loaded.deck is not None or loaded.problems
    for card in loaded.deck.cards if loaded.deck else ():
        assert "\x1b" not in str(card)
        assert "\u202e" not in str(card)
        for line, column in card.places.values():
            assert len(loaded.source.line(line)) >= column - 1
