"""Plan, mock exam, fit and the kinds of sittings, through the real program."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import quiz
from quiz.deck.library import shipped_decks
from verify.api import cells

ROOT = Path(quiz.__file__).parent.parent


@pytest.fixture
def call(tmp_path):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("QUIZ_", "LC_", "LANG"))}
    environment = kept | {
        "QUIZ_HOME": str(tmp_path / "home"),
        "QUIZ_NOW": "2026-10-01T09:00:00+09:00",
        "QUIZ_LANG": "en",
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "80",
        "PYTHONUTF8": "1",
    }

    def run(*arguments, given="", code=0, **variables) -> str:
        done = subprocess.run(
            [sys.executable, "-c", "from quiz.cli import main; main()", *arguments],
            input=given, env=environment | variables, cwd=tmp_path, capture_output=True,
            text=True, encoding="utf-8", timeout=60, check=False,
        )  # fmt: skip
        assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
        return done.stdout if code == 0 else done.stderr

    return run


def test_an_exam_of_a_day_tells_its_minutes_in_plain_digits(call) -> None:
    assert "3 questions, 1440 minutes." in call("exam", "--items", "3", "--minutes", "1440")


def test_a_plan_is_set_followed_and_dropped(call) -> None:
    assert "There is no plan yet" in call("plan")
    shown = call("plan", "--on", "2026-10-31", "--minutes", "5")
    assert "30 days to the exam (2026-10-31)   5 minutes a day" in shown
    told = json.loads(call("plan", "--json"))
    assert (told["on"], told["days"], told["minutes"]) == ("2026-10-31", 30, 5)
    whole = told["themes"][0]
    assert whole["theme"] is None
    assert whole["followed"]["mean"] > whole["nothing"]["mean"] == 0
    assert "30 days to the exam" in call("study", given="q\n")
    assert "本番まで 30 日" in call("study", "--lang", "ja", given="q\n")
    due = json.loads(call("due", "--json"))
    assert [card["card"] for card in due["cards"]] == told["today"]
    assert due["exam"] == "2026-10-31"
    assert "10 minutes a day" in call("plan", "--minutes", "10")  # the date stays
    assert "1 minute a day" in call("plan", "--minutes", "1")
    call("plan", "--clear")
    assert "to the exam" not in call("study", given="q\n")
    assert json.loads(call("plan", "--json")) is None


@pytest.mark.parametrize("language", ["ja", "en"])
def test_no_figure_of_a_plan_is_cut_on_a_narrow_screen(call, language) -> None:
    variables = {"QUIZ_LANG": language, "COLUMNS": "40"}
    told = [call("plan", **variables)]
    told.append(call("plan", "--on", "2026-10-31", "--minutes", "5", **variables))
    told.append(call("plan", **variables | {"COLUMNS": "80"}))
    assert max(cells(line) for line in "".join(told[:2]).splitlines()) <= 40
    wide = re.findall(r"(\d+ %) \(", told[2])
    assert re.findall(r"\d+ %", told[1]) == wide
    assert "…" not in told[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("plan", "--on", "soon"), "soon is no date"),
        (("plan", "--on", "2026-10-01"), "out of range"),
        (("plan", "--on", "2099-10-01"), "out of range"),
        (("plan", "--on", "2026-10-31", "--minutes", "0"), "out of range"),
        (("plan", "--on", "2026-10-31", "--minutes", "nan"), "out of range"),
        (("plan", "--minutes", "10"), "the day of the exam is missing"),
        (("plan", "--clear", "--on", "2026-10-31"), "without --on"),
        (("study", "--topic", "cooking"), "no card is on cooking"),
        (("study", "--minutes", "0"), "--minutes: 0 is out of range"),
        (("study", "--minutes", "9999"), "Give 0.1 to 1440"),
        (("study", "--minutes", "nan"), "--minutes: nan is out of range"),
        (("exam", "--minutes", "nan"), "--minutes: nan is out of range"),
        (("exam", "--items", "0"), "--items"),
    ],
)
def test_bad_input_is_one_clear_message(call, arguments, said) -> None:
    assert said.lower() in call(*arguments, code=2).lower()


def test_an_exam_in_a_pipe_resumes_and_sends_what_was_wrong_to_study(call) -> None:
    begun = call("exam", "data-parallel", "--items", "3", "--minutes", "10", given="a\n")
    assert "3 questions, 10 minutes" in begun
    assert "the clock runs on" in begun
    over = call("exam", given="a\na\n", QUIZ_NOW="2026-10-01T09:05:00+09:00")
    assert "goes on with the exam that is open" in over
    assert "2 / 3" in over
    assert "95 % interval" in over
    score = json.loads(call("exam", "--last", "--json"))
    whole = score["scores"][0]
    assert (whole["items"], score["unanswered"]) == (3, 0)
    assert len(score["wrong"]) == 3 - whole["right"]
    lines = [json.loads(line) for line in call("reviews", "--json").splitlines()]
    assert [line["origin"] for line in lines] == ["exam"] * 3
    due = json.loads(call("due", "--json"))
    assert due["due"] == len(score["wrong"])
    assert {card["card"] for card in due["cards"] if not card["new"]} == set(score["wrong"])


def test_an_exam_whose_time_ran_out_is_scored_without_another_question(call) -> None:
    call("exam", "data-parallel", "--items", "2", "--minutes", "1", given="a\n")
    late = call("exam", given="a\n", QUIZ_NOW="2026-10-01T09:30:00+09:00")
    assert "has run out of time" in late
    assert "goes on with" not in late
    assert "2 / 2" not in late
    assert "Not answered: 1" in late
    assert json.loads(call("exam", "--last", "--json"))["unanswered"] == 1


def test_an_open_exam_whose_deck_is_not_named_stays_open(call, tmp_path) -> None:
    shipped = (shipped_decks() / "03-pipeline.yaml").read_text(encoding="utf-8")
    deck = tmp_path / "mine.yaml"
    deck.write_text(shipped.replace("deck: pipeline", "deck: mine", 1), encoding="utf-8")
    begun = call("exam", str(deck), "--items", "3", "--minutes", "60", given="a\n")
    assert "3 questions, 60 minutes" in begun
    refused = call("exam", given="a\n", code=2)
    assert "one of 2 questions left" in refused
    assert "quiz exam DECK" in refused
    assert "Not answered" not in call("exam", str(deck), given="a\na\n")
    assert json.loads(call("exam", "--last", "--json"))["unanswered"] == 0


def test_an_exam_whose_deck_is_gone_ends_with_its_time(call, tmp_path) -> None:
    shipped = (shipped_decks() / "03-pipeline.yaml").read_text(encoding="utf-8")
    deck = tmp_path / "mine.yaml"
    deck.write_text(shipped.replace("deck: pipeline", "deck: mine", 1), encoding="utf-8")
    call("exam", str(deck), "--items", "3", "--minutes", "60", given="a\n")
    deck.unlink()
    assert "Not answered: 2" in call("exam", QUIZ_NOW="2026-10-01T10:01:00+09:00")


def test_the_score_of_an_open_exam_waits_for_its_end(call) -> None:
    call("exam", "data-parallel", "--items", "2", "--minutes", "60", given="a\n")
    told = call("exam", "--last")
    assert "isn't over yet" in told
    assert "/ 2" not in told
    assert json.loads(call("exam", "--last", "--json")) is None
    call("exam", given="a\n")
    assert "/ 2" in call("exam", "--last")


def test_a_plan_too_far_from_a_wrong_clock_holds_nothing_up(call) -> None:
    call("plan", "--on", "2026-10-31", "--minutes", "5")
    wrong = "1980-01-01T09:00:00+09:00"  # 17105 days before, by hand
    for words in ((), ("--minutes", "9")):
        refused = call("plan", *words, code=2, QUIZ_NOW=wrong)
        assert "17105 days from today" in refused
        assert "Check the clock" in refused
    asked = json.loads(call("due", "--json", QUIZ_NOW=wrong))
    assert (asked["new"], "exam" in asked) == (20, False)  # as without a plan
    assert json.loads(call("plan", "--json"))["days"] == 30


def test_a_zone_a_day_from_utc_is_one_clear_message(call) -> None:
    assert "TZ names no usable time zone" in call("due", code=2, QUIZ_NOW="", TZ="AAA-99")


def test_cramming_leaves_the_schedule_alone(call) -> None:
    call("study", "data-parallel", "--limit", "1", given="\n3\n\n")
    before = json.loads(call("due", "--json", QUIZ_NOW="2026-10-04T09:00:00+09:00"))
    call("study", "--cram", given="\n1\n\n1\nq\n")
    after = json.loads(call("due", "--json", QUIZ_NOW="2026-10-04T09:00:00+09:00"))
    assert before == after
    origins = [json.loads(x)["origin"] for x in call("reviews", "--json").splitlines()]
    assert origins == ["study", "cram", "cram"]


def test_a_sitting_by_what_was_missed(call) -> None:
    assert "No card fits." in call("study", "--missed")
    call("study", "data-parallel", "--limit", "1", given="\n1\nq\n")
    assert "1 / 1" in call("study", "--missed", given="q\n")


def test_fitting_says_when_there_is_too_little(call) -> None:
    assert "a fit needs 100" in call("fit")
    assert json.loads(call("fit", "--json")) == {"kept": False, "answers": 0, "needed": 100}


@pytest.mark.parametrize(
    ("command", "language"), [("plan", "ja"), ("exam", "en"), ("fit", "ja"), ("study", "en")]
)
def test_help_has_an_example(call, command, language) -> None:
    shown = call(command, "--help", QUIZ_LANG=language)
    assert re.search(rf"(例|Example): quiz {command}", shown)
