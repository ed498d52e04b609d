from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from quiz.clock import moment_of
from quiz.commands.json_line import json_line
from quiz.deck.card import Card, Choice, Kind, Statement
from quiz.events import Answer, Confidence, EventKind, Grade, Origin
from quiz.memory.stats import compute_stats
from quiz.report.stats import lines, record
from quiz.store import open_store
from verify.api import Text, cells

NOON = datetime(2026, 10, 1, 12, tzinfo=UTC)
TODAY = 20727  # 2026-10-01, counted by hand from 1970-01-01
TRUTH = Choice(Text(en="some"), Statement("wire_sent > 0"))
LURE = Choice(Text(ja="何も送らない", en="nothing is sent"), Statement("wire_sent == 0"), "none")
CARDS = [
    Card("deck", name, Kind.TRAP, Text(en=name), choices=(TRUTH, LURE)) for name in ("a", "b", "c")
]


@pytest.fixture
def figures(tmp_path):
    with open_store(tmp_path, write=True) as store:

        def answer(card: str, grade: Grade, days: int, due: int, **more: object) -> None:
            fields = {"card_kind": "trap", "content": "0", "origin": Origin.STUDY, "sitting": "s",
                      "repetition": 0, "seconds": 2.5, "order": ("truth", "none")}  # fmt: skip
            made = Answer(card=card, grade=grade, due=TODAY + due, **(fields | more))
            moment = moment_of(NOON + timedelta(days=days))
            store.append(moment.event(EventKind.ANSWER, answer=made))

        def compute():
            events = list(store.events())
            return compute_stats(CARDS, store.state(), events, store.predictions(), TODAY)

        yield answer, compute


def test_everything_answered_is_shown_in_both_languages(figures) -> None:
    answer, compute = figures
    sure = Confidence.SURE
    answer("deck/a", Grade.GOOD, -5, -3, confidence=sure, correct=True, choice="truth")
    answer("deck/a", Grade.AGAIN, -3, -3, confidence=sure, correct=False, choice="none")
    answer("deck/b", Grade.GOOD, 0, 3)
    stats = compute()
    for language, words in (
        ("en", ("Beliefs that still fool you", "1×  nothing is sent", "1 of them sure",
                "3 days studied   1 in a row", "3 cards", "sure", "Brier", "trap",
                "predicted 90% to 95%", "Due in the next 14 days", "Mo ")),
        ("ja", ("まだ惑わされている考え", "1×  何も送らない", "deck/a うち確信 1 回",
                "学習 3 日   連続 1 日",
                "確信がある", "Brier", "選択", "予測 90% から 95%", "これから 14 日の復習", "月 ")),
    ):  # fmt: skip
        for width in (80, 40):
            shown = lines(stats, CARDS, language, width)
            assert all(cells(line) <= width for line in shown)
        whole = "\n".join(lines(stats, CARDS, language))
        assert [word for word in words if word not in whole] == []


def test_what_was_not_measured_is_not_shown(figures) -> None:
    _, compute = figures
    whole = "\n".join(lines(compute(), CARDS, "en"))
    assert "%" not in whole
    assert len(whole.splitlines()) == 2


def test_json_names_the_lure_and_its_words(figures) -> None:
    answer, compute = figures
    answer("deck/a", Grade.AGAIN, -3, -3, correct=False, choice="none", confidence=Confidence.GUESS)
    told = json.loads(json_line(record(compute(), CARDS)))
    (belief,) = told["beliefs"]
    assert (belief["belief"], belief["day"]) == ("none", "2026-09-28")
    assert belief["text"] == {"ja": "何も送らない", "en": "nothing is sent"}
    assert told["heat"] == [{"day": "2026-09-28", "answers": 1}]
    assert told["calibration"][2] == {"confidence": "guess", "answers": 1, "correct": 0, "share": 0}
    assert told["brier"] == 0.25  # a guess between two
    gone = record(compute(), [replace(CARDS[0], choices=(TRUTH,))])
    assert gone["beliefs"][0]["text"] is None


def test_no_control_reaches_the_terminal(figures) -> None:
    answer, compute = figures
    answer("deck/a", Grade.AGAIN, 0, 0, correct=False, choice="none\x1b[31m\x9b")
    assert "\x1b" not in "".join(lines(compute(), CARDS, "en"))
    assert json_line(record(compute(), CARDS)).isprintable()
