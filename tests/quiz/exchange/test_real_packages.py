"""Two packages that a lecture published; their figures are from the files themselves."""

from collections import Counter
from datetime import UTC, datetime, timedelta, timezone

import pytest

from quiz.deck.load import load
from quiz.exchange import reading
from quiz.exchange.importing import import_file
from quiz.memory.study_day import date_of
from quiz.store import open_store

BERLIN = timezone(timedelta(hours=1))  # where its author was


@pytest.fixture
def numbers(numerical):
    return reading.read(numerical, BERLIN)


def asking(material, words: str):
    return next(card for card in material.cards if words in card.ask)


def test_every_note_is_a_card(numbers):
    assert len(numbers.cards) == 39
    assert {card.group for card in numbers.cards} == {"Numerical Computation"}
    assert {card.topic for card in numbers.cards} == {"4.1", "4.2", "4.3", "4.4"}
    assert all("unproven" in card.source for card in numbers.cards)


def test_latex_is_kept(numbers):
    assert asking(numbers, "points called").ask == "What are points called where $f'(x) = 0$ ?"
    assert asking(numbers, "condition number ?").answer == (
        "Its condition number is\n$max_{i j} |\\frac{\\lambda_i}{\\lambda_j}|$"
    )


def test_less_than_is_kept(numbers):
    lipschitz = asking(numbers, "some guarantees")
    assert lipschitz.answer.endswith(r"$\forall x, \forall y,|f(x) - f(y)|<= L || x-y||$")
    assert asking(numbers, "moving to the left").ask.endswith("f''(x) > 0")


def test_answers_come_with_their_days(numbers):
    """22 answers on 2020-01-18 in Berlin, the first two at 0:39, before the study day begins."""
    days = Counter(date_of(answer.moment.day).isoformat() for answer in numbers.answers)
    assert days == {"2020-01-17": 2, "2020-01-18": 20}
    last = {answer.card: answer for answer in numbers.answers}
    assert len(last) == 20
    assert {date_of(answer.due or 0).isoformat() for answer in last.values()} == {"2020-01-18"}
    first = min(numbers.answers, key=lambda answer: answer.moment.at)
    assert first.moment.at.tzinfo is UTC
    assert first.moment.offset == 60


def test_both_directions_of_a_note_are_siblings(linear):
    material = reading.read(linear, BERLIN)
    assert len(material.cards) == 64
    assert len({card.idea for card in material.cards}) == 32
    there, back = [card for card in material.cards if card.idea == material.cards[0].idea]
    assert (there.ask, there.answer) == (back.answer, back.ask)
    assert back.id == f"{there.id}-2"


def test_pictures_are_named_and_counted(linear):
    material = reading.read(linear, BERLIN)
    assert "media files: 30" in material.left[0].pick("en")
    product = next(c for c in material.cards if c.ask.startswith("Define the matrix product"))
    assert "[image: paste-3e0fde983fc3e4ea5d0676c22f05e6dbb26f1e55.jpg]" in product.ask


def test_indices_stay(linear):
    material = reading.read(linear, BERLIN)
    vector = next(card for card in material.cards if card.ask == "Define a vector")
    assert vector.answer.endswith("with a subscript x_1.")


@pytest.mark.parametrize("package", ["numerical", "linear"])
def test_the_deck_is_sound_and_a_second_import_changes_nothing(package, request, home, now):
    path = request.getfixturevalue(package)
    first = import_file(path, home, now)
    (change,) = first.placed.changes
    written = change.path.read_bytes()
    loaded = load(change.path)
    assert not loaded.problems
    assert loaded.deck is not None
    assert len(loaded.deck.cards) == len(first.material.cards)
    again = import_file(path, home, now)
    assert change.path.read_bytes() == written
    assert (again.added, again.known) == (0, first.added)
    assert [c.changed for c in again.placed.changes] == [False]


def test_the_log_folds_to_the_promised_days(numerical, home, now):
    done = import_file(numerical, home, now)
    assert (done.added, done.known) == (22, 0)
    with open_store(home, write=False) as store:
        state = store.state()
        cards = [state.of(key) for key in done.placed.keys.values()]
    seen = [card for card in cards if not card.is_new]
    assert len(seen) == 20
    assert {card.due for card in seen} == {(datetime(2020, 1, 18) - datetime(1970, 1, 1)).days}
    assert all(card.stability is not None for card in seen)


def test_a_dry_run_writes_nothing(numerical, home, now):
    done = import_file(numerical, home, now, dry=True)
    assert done.added == 22
    assert not home.exists()
