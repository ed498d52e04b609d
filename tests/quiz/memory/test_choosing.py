from __future__ import annotations

import pytest

from quiz.events import EventKind, Grade, Origin
from quiz.memory.choosing import Wish, choose, topics
from quiz.memory.fold import fold
from quiz.memory.rows import rows_of

TODAY = 100


@pytest.fixture
def chosen(log):
    def choose_ids(cards, **wish) -> list[str]:
        return [c.id for c in choose(cards, fold(rows_of(log.events)), TODAY, Wish(**wish))]

    return choose_ids


def test_a_topic_narrows_what_is_due_and_new(log, make_card, chosen) -> None:
    cards = [make_card("a", topic="x"), make_card("b", topic="y"), make_card("c", topic="x")]
    log.answer("deck/b", 90, due=95)
    log.answer("deck/c", 90, due=95)
    assert chosen(cards) == ["b", "c", "a"]
    assert chosen(cards, topic="x") == ["c", "a"]
    assert chosen(cards, topic="x", new=0) == ["c"]
    assert topics(cards) == ["x", "y"]


def test_missed_asks_what_was_wrong_in_the_last_seven_days(log, make_card, chosen) -> None:
    cards = [make_card(name) for name in ("old", "week", "today", "still", "exam", "right", "new")]
    for name, day in (("old", 93), ("week", 94), ("today", 100), ("still", 100)):
        log.answer(f"deck/{name}", day, Grade.AGAIN, due=day)
    log.answer("deck/week", 94, due=200)  # not due for long
    log.answer("deck/today", 100, due=101)  # recalled again today
    log.answer("deck/right", 94, due=96)
    log.answer("deck/exam", 100, Grade.AGAIN, origin=Origin.EXAM)
    assert sorted(chosen(cards, missed=True)) == ["exam", "still", "week"]


def test_cramming_takes_every_card_seen_the_least_certain_first(log, make_card, chosen) -> None:
    cards = [make_card(name) for name in ("sure", "faint", "hidden", "new", "today")]
    log.answer("deck/sure", 99, Grade.EASY, due=120)
    log.answer("deck/faint", 60, Grade.HARD, due=200)
    log.answer("deck/hidden", 99, due=120)
    log.answer("deck/today", TODAY, due=120)
    log.row(EventKind.SUSPEND, TODAY, card="deck/hidden")
    assert chosen(cards, cram=True) == ["faint", "sure", "today"]
    assert chosen(cards, cram=True, limit=1) == ["faint"]
