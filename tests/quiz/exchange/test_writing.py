"""Where imported cards go, and what of an author's file stays."""

import dataclasses

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.deck.load import load, parse
from quiz.exchange.html_text import Seen, visible
from quiz.exchange.material import Found, slug
from quiz.exchange.writing import card_yaml, place, scalar
from verify.api import UsageError

ONE = Found("anki-1", "Words", "one?", "1", "source")
TWO = Found("anki-2", "Words", "two?", "2", "source", topic="t", idea="anki-2", hint="h")
PROOF = """    proof: {experiment: all-reduce-bytes, truth: ['wire_sent > 0']}
"""


@pytest.fixture
def put(tmp_path):
    """Place cards as a command would, and write the files."""

    def write(*cards: Found, **options):
        own = [load(path) for path in sorted(tmp_path.glob("*.yaml"))]
        taken = {loaded.deck.id for loaded in own if loaded.deck} | {"data-parallel"}
        placed = place(cards, own, taken, tmp_path, "words.csv", **options)
        for change in placed.changes:
            if change.changed:
                change.path.write_text(change.text, encoding="utf-8")
        return placed

    return write


def test_a_new_deck(put, tmp_path):
    placed = put(ONE, TWO)
    assert placed.keys == {"anki-1": "words/anki-1", "anki-2": "words/anki-2"}
    deck = load(tmp_path / "words.yaml").deck
    assert deck is not None
    assert [(c.ask.pick("ja"), c.topic, c.idea) for c in deck.cards] == [
        ("one?", None, None),
        ("two?", "t", "anki-2"),
    ]


def test_a_known_id_is_not_taken(put):
    data = dataclasses.replace(ONE, group="Data Parallel")
    assert put(data).keys == {"anki-1": "data-parallel-2/anki-1"}


def test_an_existing_file_is_not_taken(put, tmp_path):
    (tmp_path / "words.yaml").write_text("deck: other\ntitle: T\ncards:\n  - {id: a, kind: recall,"
                                         " ask: q, answer: a}\n")  # fmt: skip
    before = (tmp_path / "words.yaml").read_bytes()
    assert put(ONE).keys == {"anki-1": "words-2/anki-1"}
    assert (tmp_path / "words.yaml").read_bytes() == before


def test_siblings_join_their_deck_whatever_it_is_called_now(put, tmp_path):
    put(ONE)
    path = tmp_path / "words.yaml"
    text = path.read_text().replace("deck: words", "deck: mine")
    path.unlink()
    (tmp_path / "renamed.yaml").write_text("# a comment\n" + text)
    placed = put(ONE, TWO)
    assert placed.keys == {"anki-1": "mine/anki-1", "anki-2": "mine/anki-2"}
    joined = (tmp_path / "renamed.yaml").read_text()
    assert joined.startswith("# a comment\n" + text)
    assert "anki-2" in joined


def test_a_card_that_differs_is_left_unless_asked(put, tmp_path):
    put(ONE, TWO)
    edited = dataclasses.replace(ONE, answer="uno\nlines")
    (change,) = put(edited, TWO).changes
    assert (change.differing, change.changed) == (("anki-1",), False)
    (change,) = put(edited, TWO, replace=True).changes
    assert (change.differing, change.replaced, change.same) == ((), 1, 1)
    deck = load(tmp_path / "words.yaml").deck
    assert deck is not None
    assert [card.answer.pick("en") for card in deck.cards] == ["uno\nlines", "2"]


def test_a_card_with_a_proof_is_the_authors(put, tmp_path):
    put(ONE, TWO)
    path = tmp_path / "words.yaml"
    text = path.read_text().replace("    answer: '1'\n", "    answer: 'my own'\n" + PROOF)
    path.write_text(text)
    (change,) = put(ONE, TWO, replace=True).changes
    assert change.differing == ("anki-1",)
    assert path.read_text() == text


def test_other_indentation_and_what_follows_are_kept(put, tmp_path):
    (tmp_path / "mine.yaml").write_text(
        "deck: mine\ntitle: T\ncards:\n- id: anki-1  \n  kind: recall\n  ask: old\n  answer: o\n"
        "# between\n- id: own\n  kind: recall\n  ask: q\n  answer: a\n"
    )
    (change,) = put(ONE, TWO, replace=True).changes
    assert (change.added, change.replaced) == (1, 1)
    assert "# between\n- id: own" in change.text


def test_a_deck_with_problems_is_not_touched(put, tmp_path):
    put(ONE)
    path = tmp_path / "words.yaml"
    path.write_text(path.read_text() + "  - id: broken\n")
    before = path.read_bytes()
    with pytest.raises(UsageError, match="has problems"):
        put(ONE, TWO)
    assert path.read_bytes() == before


def test_a_deck_that_cannot_be_extended_is_not_touched(put, tmp_path):
    """Its title stands last, so cards at the end of the file would be none of its list."""
    put(ONE)
    path = tmp_path / "words.yaml"
    lines = path.read_text().splitlines(keepends=True)
    title = next(line for line in lines if line.startswith("title"))
    lines.remove(title)
    path.write_text("".join(lines) + title)
    before = path.read_bytes()
    with pytest.raises(UsageError, match="can't be written into"):
        put(ONE, TWO)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("Linear Algebra", "linear-algebra"),
        ("Deep::Learning 2", "deep-learning-2"),
        ("Crème brûlée!", "creme-brulee"),
        ("x" * 100, "x" * 48),
    ],
)
def test_slug(name, made):
    assert slug(name, "deck") == made


def test_a_name_without_letters_of_ascii_has_a_slug_of_its_own():
    assert slug("線形代数", "deck") == slug("線形代数", "deck") != slug("平均", "deck")


@settings(deadline=None)
@given(st.text())
def test_every_text_comes_back(text):
    """PyYAML is the judge of the scalars written here."""
    clean = visible(text, Seen()).strip().replace("\t", " ")
    clean = "\n".join(line.rstrip() for line in clean.split("\n")).strip()
    assert yaml.safe_load(f"k: {scalar(clean, '  ')}")["k"] == clean


@settings(deadline=None)
@given(st.text(min_size=1), st.text(min_size=1))
def test_every_card_comes_back(tmp_path_factory, ask, answer):
    from quiz.exchange.html_text import plain_text

    ask, answer = (plain_text(text, Seen(), dollars=True) or "-" for text in (ask, answer))
    text = "deck: d\ntitle: t\ncards:\n" + card_yaml(Found("a", "g", ask, answer, "s"))
    loaded = parse(text.encode(), tmp_path_factory.getbasetemp() / "d.yaml")
    assert not loaded.problems
    assert loaded.deck is not None
    (card,) = loaded.deck.cards
    assert (card.ask.pick("en"), card.answer.pick("en")) == (ask, answer)
