"""Our cards as flash cards: what their fields say, and that nothing in them becomes a tag."""

import re
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.deck.load import parse
from quiz.exchange import anki_package, anki_text, delimited, reading
from quiz.exchange.sides import html, sides
from verify.api.worlds import LocalWorld


def card_of(tmp_path, text: str):
    deck = parse(f"deck: d\ntitle: t\ncards:\n  - {text}\n".encode(), tmp_path / "d.yaml").deck
    (card,) = deck.cards
    return card


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("a < b & c", "a &lt; b &amp; c"),
        ("<script>x</script>", "&lt;script&gt;x&lt;/script&gt;"),
        ("$a < b$", r"\(a &lt; b\)"),
        ("$$x^2$$", r"\[x^2\]"),
        (r"\$5", "$5"),
        ("2*3*4", "2*3*4"),
        ("**b** and `c<d`", "<strong>b</strong> and <code>c&lt;d</code>"),
        ("one\ntwo", "one<br />\ntwo"),
        ("$a_1$ and $b_1$", r"\(a_1\) and \(b_1\)"),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
        ("![x](http://a/b.png)", None),
        ("&lt;", "&amp;lt;"),
        ("\ue000 $x$", r"\(x\)"),
    ],
)
def test_html(text, made):
    if made is not None:
        assert html(text) == made
    assert "<img" not in html(text)


@settings(deadline=None)
@given(st.text(alphabet="<>&\"'`*_[]()$!\\abc \n", max_size=60))
def test_no_text_makes_a_tag_of_its_own(text):
    known = {"a", "p", "br /", "strong", "em", "code", "ul", "li", "pre", "hr /", "h2", "h1", "s",
             "blockquote", "ol"}  # fmt: skip
    for tag in re.findall(r"</?([^<>]*)>", html(text)):
        assert tag in known or tag.startswith('a href="')


def test_a_trap_shows_its_choices_and_says_why_the_lures_are_wrong(tmp_path):
    card = card_of(
        tmp_path,
        "{id: t, kind: trap, ask: Which?, choices: [{text: Right, claim: wire_sent == 1},"
        " {text: Wrong, claim: wire_sent == 0, belief: b, why: Because}]}",
    )
    made = sides(card, "en", lambda key: None)
    assert "Right" in made.choices
    assert "Wrong" in made.choices
    assert "Right" in made.answer
    assert "Wrong" not in made.answer
    assert "Because" in made.explanation
    assert made.evidence == ""


def test_a_computation_asks_numbers_and_answers_with_its_unit(tmp_path):
    card = card_of(
        tmp_path,
        "{id: c, kind: compute, ask: '{payload}, $x$?', vary: {payload: [4 MiB]},"
        " result: 2*payload, lures: [{result: payload, belief: b, why: Twice}]}",
    )
    made = sides(card, "en", lambda key: None)
    assert made.question == r"4 MiB, \(x\)?"
    assert "8.00 MiB" in made.answer
    assert "2*payload" in made.answer
    assert "Twice" in made.explanation


def test_the_evidence_of_a_card_is_a_table(tmp_path):
    """A short run of two ranks: its figures stand in the field."""
    card = card_of(
        tmp_path,
        "{id: r, kind: recall, ask: q, answer: a, proof: {experiment: all-reduce-bytes,"
        " with: {ranks: 2, payload: 64 KiB}, truth: [wire_sent == payload ± 5%]}}",
    )
    from quiz.proof import Prover

    with LocalWorld() as world:
        prover = Prover(world)
        prover.prove(card)
    made = sides(card, "en", prover.made.get)
    assert made.evidence.startswith('<table class="evidence"><caption>proven</caption>')
    assert "64.00 KiB" in made.evidence
    assert "all-reduce-bytes, 2 ranks, gloo" in made.evidence
    (key,) = prover.made
    assert sides(card, "en", {key: None}.get).evidence == ""


def test_guids_rest_on_deck_and_id_alone():
    assert anki_package.guid("a/b") == anki_package.guid("a/b")
    assert anki_package.guid("a/b") != anki_package.guid("a/c")


@pytest.fixture
def made(shipped):
    return {
        deck.id: (deck.title.pick("ja"), [sides(c, "ja", lambda key: None) for c in deck.cards])
        for deck in shipped
    }


def test_every_shipped_card_is_exported_and_our_own_import_reads_it(made, tmp_path):
    path = tmp_path / "all.apkg"
    anki_package.write(path, made, 1_800_000_000)
    total = sum(len(cards) for _, cards in made.values())
    material = reading.read(path, None)
    assert len(material.cards) == total
    assert not material.answers
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == ["collection.anki2", "media"]


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".txt"])
def test_text_comes_back_through_our_own_import(made, ending):
    total = sum(len(cards) for _, cards in made.values())
    material = delimited.read(anki_text.write(ending, made), f"all{ending}")
    assert len(material.cards) == total
    assert not material.bad


def test_formulas_survive_the_way_out_and_in(tmp_path):
    card = card_of(
        tmp_path, r"{id: r, kind: recall, ask: 'Is $\frac{a}{b} < c$ at \$5?', answer: '$$x$$ & y'}"
    )
    path = tmp_path / "one.apkg"
    anki_package.write(path, {"d": ("t", [sides(card, "en", lambda key: None)])}, 1_800_000_000)
    (back,) = reading.read(path, None).cards
    assert (back.ask, back.answer) == (card.ask.pick("en"), card.answer.pick("en"))
