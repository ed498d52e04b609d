from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from quiz.deck.library import read_decks, shipped_decks
from quiz.exam.paper import PACE, Paper, fitting, question, set_paper

BEGAN = datetime(2026, 10, 1, 9, tzinfo=UTC)


@pytest.fixture(scope="module")
def cards():
    loaded = read_decks(tuple(sorted(shipped_decks().glob("*.yaml"))))
    return [card for deck in loaded if deck.deck for card in deck.deck.cards]


def test_the_pace_is_that_of_a_hundred_questions_in_two_hours() -> None:
    assert 100 * PACE == 120 * 60


def test_every_question_has_one_truth_and_three_lures_that_differ(cards) -> None:
    asked = [made for card in cards if (made := question(card, "exam"))]
    assert len(asked) == fitting(cards) > 20
    assert {made.card.kind.value for made in asked} == {"trap", "compute"}
    for made in asked:
        assert sum(choice.is_truth for choice in made.order) == 1
        assert len({choice.text for choice in made.order}) == len(made.order) == 4


def test_the_same_exam_asks_the_same_whoever_resumes_it(cards) -> None:
    for card in cards:
        one, other = question(card, "exam", 0), question(card, "exam", 5)
        if one is not None and other is not None:
            assert (one.order, one.parameters) == (other.order, other.parameters)
    orders = {tuple(c.key for c in question(cards[1], str(n)).order) for n in range(40)}
    assert len(orders) > 5  # and another exam shuffles anew


def test_decks_are_asked_in_proportion(cards) -> None:
    pool = Counter(card.deck for card in cards if question(card, "s"))
    paper = set_paper(cards, "s", BEGAN, 40, 60)
    drawn = Counter(key.partition("/")[0] for key in paper.cards)
    assert len(set(paper.cards)) == 40
    for deck, count in pool.items():
        assert abs(drawn[deck] - 40 * count / pool.total()) <= 1
    assert len(set_paper(cards, "s", BEGAN, 10_000, 60).cards) == pool.total()


def test_a_paper_is_kept_as_it_is_and_its_clock_runs() -> None:
    paper = Paper("s", BEGAN, 90.0, ("a/1",))
    assert Paper.of(paper.record()) == paper
    assert paper.deadline == BEGAN + timedelta(seconds=90)


@pytest.mark.parametrize(
    "record",
    [None, {}, {"sitting": "s", "at": "noon", "seconds": 5, "cards": ["a/1"]},
     {"sitting": "s", "at": "2026-10-01T00:00:00+00:00", "seconds": -1, "cards": ["a/1"]},
     {"sitting": 5, "at": "2026-10-01T00:00:00+00:00", "seconds": 1, "cards": ["a/1"]},
     {"sitting": "s", "at": "2026-10-01T00:00:00+00:00", "seconds": 1, "cards": []},
     {"sitting": "s", "at": "9999-12-31T23:59:59+00:00", "seconds": 1e6, "cards": ["a/1"]}],
)  # fmt: skip
def test_what_is_no_paper_is_none(record) -> None:
    assert Paper.of(record) is None
