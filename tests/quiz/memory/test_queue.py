from __future__ import annotations

from quiz.events import EventKind, Grade, Origin
from quiz.memory.fold import fold
from quiz.memory.queue import build_queue, ready
from quiz.memory.rows import rows_of
from quiz.memory.states import LogState

TODAY = 100


def keys(cards) -> list[str]:
    return [card.id for card in cards]


def queue(cards, events=(), **options):
    return build_queue(cards, fold(rows_of(events)), TODAY, **options)


def test_failed_cards_first_then_the_longest_overdue_then_new(log, make_card) -> None:
    cards = [make_card(name) for name in ("new", "today", "later", "failed", "overdue")]
    log.answer("deck/today", 90, due=100)
    log.answer("deck/later", 90, due=101)
    log.answer("deck/failed", 100, Grade.AGAIN, due=100)
    log.answer("deck/overdue", 80, due=95)
    made = queue(cards, log.events)
    assert keys(made.cards) == ["failed", "overdue", "today", "new"]
    assert (keys(made.due), keys(made.new)) == (["failed", "overdue", "today"], ["new"])
    assert made.unseen == 1


def test_new_cards_begun_today_count_against_the_day(log, make_card) -> None:
    cards = [make_card(str(number)) for number in range(40)]
    assert keys(queue(cards).new) == [str(number) for number in range(20)]
    for number in range(15):
        log.answer(f"deck/{number}", TODAY, due=102)
    assert keys(queue(cards, log.events).new) == ["15", "16", "17", "18", "19"]
    assert queue(cards, log.events, new_per_day=15).new == ()
    assert queue(cards, log.events).unseen == 25


def test_limit_takes_due_cards_first(log, make_card) -> None:
    cards = [make_card(str(number)) for number in range(5)]
    log.answer("deck/3", 90, due=95)
    log.answer("deck/4", 90, due=99)
    assert keys(queue(cards, log.events, limit=3).cards) == ["3", "4", "0"]
    assert keys(queue(cards, log.events, limit=1).cards) == ["3"]
    assert queue(cards, log.events, limit=0).cards == ()


def test_prerequisites_come_first_wherever_they_stand(make_card) -> None:
    cards = [
        make_card("third", after=("deck/second",)),
        make_card("second", after=("deck/first",)),
        make_card("first"),
        make_card("other"),
    ]
    assert keys(queue(cards).new) == ["first", "second", "third", "other"]
    assert keys(queue(cards, new_per_day=1).new) == ["first"]


def test_a_prerequisite_that_cannot_be_answered_holds_nothing_back(log, make_card) -> None:
    cards = [make_card("a", after=("elsewhere/x",)), make_card("b", after=("deck/c",))]
    cards.append(make_card("c"))
    log.row(EventKind.SUSPEND, 90, card="deck/c")
    assert keys(queue(cards, log.events).new) == ["a", "b"]
    circle = [make_card("a", after=("deck/b",)), make_card("b", after=("deck/a",))]
    assert queue(circle).new == ()


def test_ready_asks_what_has_been_answered(log, make_card) -> None:
    card, known = make_card("b", after=("deck/a",)), {"deck/a", "deck/b"}
    assert not ready(card, LogState(), known)
    assert ready(card, LogState(), known, asked={"deck/a"})
    log.answer("deck/a", TODAY, Grade.GOOD, origin=Origin.EXAM)
    assert not ready(card, fold(rows_of(log.events)), known)
    log.answer("deck/a", TODAY, Grade.AGAIN)
    assert ready(card, fold(rows_of(log.events)), known)


def test_siblings_are_not_asked_on_one_day(log, make_card) -> None:
    cards = [make_card(name, idea="ring") for name in ("a", "b", "c")] + [make_card("d")]
    assert keys(queue(cards).new) == ["a", "d"]
    log.answer("deck/a", 90, due=100)
    log.answer("deck/b", 90, due=99)
    made = queue(cards, log.events)
    assert (keys(made.due), keys(made.new), made.held) == (["b"], ["d"], 1)
    log.answer("deck/c", TODAY, due=105)
    assert queue(cards, log.events).due == ()


def test_a_failed_card_returns_whatever_its_siblings(log, make_card) -> None:
    cards = [make_card(name, idea="ring") for name in ("a", "b")]
    log.answer("deck/a", TODAY, due=110)
    log.answer("deck/b", TODAY, Grade.AGAIN, due=TODAY)
    assert keys(queue(cards, log.events).due) == ["b"]


def test_a_card_missed_in_an_exam_is_due_that_day_whatever_its_siblings(log, make_card) -> None:
    cards = [make_card(name, idea="ring") for name in ("a", "b", "c")]
    log.answer("deck/a", TODAY, Grade.GOOD, origin=Origin.EXAM)
    log.answer("deck/b", TODAY, Grade.AGAIN, origin=Origin.EXAM)
    log.answer("deck/c", TODAY, Grade.AGAIN, origin=Origin.EXAM)
    assert set(keys(queue(cards, log.events).due)) == {"b", "c"}
    log.answer("deck/b", TODAY, due=TODAY + 3)
    assert keys(queue(cards, log.events).due) == ["c"]


def test_ideas_of_different_decks_are_different(make_card) -> None:
    cards = [make_card("a", "one", idea="ring"), make_card("a", "two", idea="ring")]
    assert len(queue(cards).new) == 2


def test_narrowing_keeps_the_siblings_and_prerequisites_in_mind(log, make_card) -> None:
    cards = [make_card("a", idea="x"), make_card("b", idea="x", topic="t")]
    cards.append(make_card("c", topic="t", after=("deck/d",)))
    cards.append(make_card("d"))
    log.answer("deck/a", TODAY, due=110)
    assert queue(cards, log.events, only=lambda card: card.topic == "t").cards == ()


def test_suspended_and_buried_cards_are_left_out(log, make_card) -> None:
    cards = [make_card(name) for name in ("a", "b", "c", "d")]
    for name in ("a", "b"):
        log.answer(f"deck/{name}", 90, due=95)
    log.row(EventKind.SUSPEND, 99, card="deck/a")
    log.row(EventKind.BURY, TODAY, card="deck/b")
    log.row(EventKind.BURY, TODAY - 1, card="deck/c")
    log.row(EventKind.SUSPEND, 99, card="deck/d")
    assert keys(queue(cards, log.events).cards) == ["c"]


def test_a_new_card_missed_in_an_exam_is_due(log, make_card) -> None:
    cards = [make_card("a"), make_card("b")]
    log.answer("deck/b", TODAY, Grade.AGAIN, origin=Origin.EXAM)
    made = queue(cards, log.events)
    assert (keys(made.due), keys(made.new)) == (["b"], ["a"])
