from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from quiz import readers
from quiz.clock import moment_of
from quiz.deck.card import Card, Deck, Kind
from quiz.events import Answer, Confidence, EventKind, Grade, Origin
from quiz.store import open_store
from verify.api import Text

NOON = datetime(2026, 10, 1, 12, tzinfo=UTC)
TODAY = 20727


def now(days: int = 0):
    return moment_of(NOON + timedelta(days=days))


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "home", write=True) as opened:
        yield opened


@pytest.fixture
def decks() -> list[Deck]:
    cards = tuple(Card("deck", name, Kind.RECALL, Text(en=name)) for name in "abc")
    return [Deck("deck", Text(en="Deck"), cards, Path("deck.yaml"))]


@pytest.fixture
def answer(store):
    def append(card: str, grade: Grade, days: int, due: int, **more: object):
        fields = {"card_kind": "trap", "content": "0", "origin": Origin.STUDY, "sitting": "s",
                  "repetition": 0, "seconds": 2.5}  # fmt: skip
        made = Answer(card=card, grade=grade, due=TODAY + due, **(fields | more))
        return store.append(now(days).event(EventKind.ANSWER, answer=made))

    return append


def test_due_as_json_and_text(store, decks, answer) -> None:
    answer("deck/b", Grade.GOOD, -3, 0)
    queue = readers.due(store, decks, now())
    assert readers.due_json(queue) == {
        "day": TODAY,
        "date": "2026-10-01",
        "due": 1,
        "new": 2,
        "unseen": 2,
        "held": 0,
        "cards": [
            {"card": "deck/b", "kind": "recall", "new": False},
            {"card": "deck/a", "kind": "recall", "new": True},
            {"card": "deck/c", "kind": "recall", "new": True},
        ],
    }
    assert "Due today: 1. New today: 2." in readers.due_text(queue, "en")
    assert "今日の復習 1 枚、新しいカード 2 枚です。" in readers.due_text(queue, "ja")
    assert readers.due_json(readers.due(store, decks, now(), new_per_day=1, limit=9))["new"] == 1


def test_a_failed_card_is_due_until_recalled(store, decks, answer) -> None:
    answer("deck/a", Grade.AGAIN, 0, 0)
    assert readers.due_json(readers.due(store, decks, now()))["due"] == 1
    answer("deck/a", Grade.GOOD, 0, 1)
    assert readers.due_json(readers.due(store, decks, now()))["due"] == 0
    assert readers.due_json(readers.due(store, decks, now(1)))["due"] == 1


def test_reviews_are_one_object_a_line_without_undone_answers(store, answer) -> None:
    kept = answer("deck/a", Grade.AGAIN, 0, 0, confidence=Confidence.SURE, correct=False, raw="b")
    wrong = answer("deck/a", Grade.GOOD, 0, 1, raw="x\x9b31m\n")
    shown = [json.loads(line) for line in readers.reviews_lines(store)]
    assert [line["id"] for line in shown] == [kept.id, wrong.id]
    assert shown[1]["raw"] == "x\x9b31m\n"
    assert all(line.isprintable() for line in readers.reviews_lines(store))
    store.append(now().event(EventKind.UNDO, card="deck/a", target=wrong.id))
    store.append(now().event(EventKind.REATTACH, card="deck/a", target="deck/z"))
    (line,) = readers.reviews(store)
    assert (line["id"], line["card"], line["kind"], line["grade"]) == (kept.id, "deck/z", "trap", 1)
    assert (line["at"], line["day"]) == ("2026-10-01T12:00:00.000000+00:00", TODAY)
    assert (line["confidence"], line["seconds"], line["correct"]) == ("sure", 2.5, False)


def test_stats_as_json_and_text(store, decks, answer) -> None:
    answer("deck/a", Grade.GOOD, -5, -3, confidence=Confidence.SURE, correct=True)
    answer("deck/a", Grade.AGAIN, -3, -3, confidence=Confidence.SURE, correct=False,
           choice="nothing-to-send\x1b[31m")  # fmt: skip
    figures = readers.stats(store, decks, now())
    told = json.loads(readers.json_line(readers.stats_json(figures)))
    assert (told["cards"], told["new"], told["due"], told["answers"]) == (3, 2, 1, 2)
    assert told["retention"]["true"] == 0
    # Good on a new card: stability 2.3065; two days later 0.9 < R < 0.92 by the FSRS-6 curve.
    assert 0.9 < told["retention"]["predicted"] < 0.92
    assert told["calibration"][0] == {
        "confidence": "sure", "answers": 2, "correct": 1, "share": 0.5,
    }  # fmt: skip
    assert len(told["forecast"]) == 14
    for language, word in (("en", "beliefs that still fool you"), ("ja", "まだ残っている思い込み")):
        text = readers.stats_text(figures, language)
        assert word in text
        assert "\x1b" not in text


def test_what_was_not_measured_is_not_shown(store, decks) -> None:
    text = readers.stats_text(readers.stats(store, decks, now()), "en")
    assert "%" not in text
    assert readers.stats_json(readers.stats(store, decks, now()))["retention"]["true"] is None
    assert readers.reviews_text(store, "en") == "No answers yet.\n"
