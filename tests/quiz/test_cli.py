"""The real program: in a pipe and in a pseudo-terminal."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest
import typer
from typer.core import TyperGroup

import quiz
from quiz.cli import app

ROOT = Path(quiz.__file__).parent.parent
PROGRAM = [sys.executable, "-c", "from quiz.cli import main; main()"]
DECK = """\
deck: mine
title: {ja: 自作, en: My own}
cards:
  - id: first
    kind: recall
    ask: {ja: 一つ目は？, en: The first?}
    answer: {ja: はい, en: "Yes"}
  - id: second
    kind: recall
    ask: {ja: 二つ目は？, en: The second?}
    answer: {ja: はい, en: "Yes"}
"""


@pytest.fixture
def environment(tmp_path):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("QUIZ_", "LC_", "LANG"))}
    return kept | {
        "QUIZ_HOME": str(tmp_path / "home"),
        "QUIZ_NOW": "2026-10-01T09:00:00+09:00",
        "QUIZ_LANG": "en",
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "80",
        "TERM": "xterm",
        "PYTHONUTF8": "1",
    }


@pytest.fixture
def deck(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(DECK, encoding="utf-8")
    return str(path)


@pytest.fixture
def call(environment, tmp_path):
    def run(*arguments, given="", **variables):
        return subprocess.run(
            [*PROGRAM, *arguments],
            input=given,
            env=environment | variables,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    return run


@pytest.fixture
def reviews(call):
    def read():
        done = call("reviews", "--json")
        assert done.returncode == 0
        return [json.loads(line) for line in done.stdout.splitlines()]

    return read


@pytest.fixture
def terminal(environment, tmp_path):
    children = []

    def start(*arguments, **variables):
        child = pexpect.spawn(
            PROGRAM[0],
            [*PROGRAM[1:], *arguments],
            env=environment | variables,
            cwd=tmp_path,
            timeout=30,
            encoding="utf-8",
        )
        children.append(child)
        return child

    yield start
    for child in children:
        child.close(force=True)


def test_reveal_and_grade_log_exactly_one_review(call, reviews, deck):
    done = call("study", deck, "--plain", given="\n3\nq\n")
    assert (done.returncode, done.stderr) == (0, "")
    (review,) = reviews()
    assert review["card"] == "mine/first"
    assert (review["kind"], review["grade"], review["confidence"]) == ("recall", 3, None)
    assert review["day"] == "2026-10-01"
    assert review["at"].startswith("2026-10-01T00:0")
    assert review["seconds"] >= 0


def test_the_interval_shown_is_the_one_written(call, reviews, deck):
    """A first Good: stability 2.3065 days in FSRS-6's default parameters, so 2 days."""
    done = call("study", deck, given="\n3\nq\n")
    assert "3 good (2 days)" in done.stdout
    assert reviews()[0]["due"] == "2026-10-03"


@pytest.mark.parametrize("given", ["", "q\n", "\n", "\n7\n", "\nq\n", "garbage\n\x00\n"])
def test_what_was_not_answered_is_not_logged(call, reviews, deck, given):
    done = call("study", deck, given=given)
    assert (done.returncode, done.stderr) == (0, "")
    assert "The first?" in done.stdout
    assert reviews() == []


def test_an_undone_answer_is_not_listed(call, reviews, deck):
    call("study", deck, given="\n4\nu\n\n2\nq\n")
    (review,) = reviews()
    assert (review["grade"], review["repetition"], review["after_undo"]) == (2, 1, True)


def test_bytes_of_another_encoding_and_endless_lines_are_no_crash(environment, tmp_path, deck):
    done = subprocess.run(
        [*PROGRAM, "study", deck],
        input=b"\xff\xfe\n" + b"x" * 3_000_000,
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_due_counts_down_and_the_schedule_follows_the_day(call, deck):
    record = json.loads(call("due", deck, "--json").stdout)
    assert (record["day"], record["due"], record["new"]) == ("2026-10-01", 0, 2)
    assert [card["card"] for card in record["cards"]] == ["mine/first", "mine/second"]
    call("study", deck, given="\n1\nq\n")  # again: due at once
    record = json.loads(call("due", deck, "--json").stdout)
    assert (record["due"], record["new"]) == (1, 1)
    before_four = "2026-10-02T03:59:00+09:00"  # still the same study day
    assert json.loads(call("due", deck, "--json", QUIZ_NOW=before_four).stdout)["day"] == (
        "2026-10-01"
    )


def test_limit_and_new_bound_the_sitting(call, deck):
    assert "1 / 1" in call("study", deck, "--limit", "1").stdout
    assert "Nothing to study today." in call("study", deck, "--new", "0").stdout


def test_stats_count_what_was_answered(call, deck):
    call("study", deck, given="\n3\n\n1\n\n3\nq\n")
    record = json.loads(call("stats", deck, "--json").stdout)
    assert (record["answers"], record["cards"], record["new"]) == (3, 2, 0)
    assert "3 answers" in call("stats", deck).stdout


def test_readers_create_nothing(call, environment):
    for command in ("due", "stats", "reviews"):
        assert call(command).returncode == 0
    assert not Path(environment["QUIZ_HOME"]).exists()


@pytest.mark.parametrize(
    ("arguments", "variables", "said"),
    [
        (["due"], {"QUIZ_LANG": "fr"}, "QUIZ_LANG can't be fr"),
        (["study", "--lang", "fr"], {}, "--lang can't be fr"),
        (["due"], {"QUIZ_NOW": "noon"}, "QUIZ_NOW"),
        (["due", "--foo"], {}, "No such option: --foo"),
        (["stdy"], {}, "No such command 'stdy'"),
        (["study", "--limit", "0"], {}, "--limit"),
        (["study", "no-such-deck"], {}, "no-such-deck"),
        (["lint", "--format", "xml"], {}, "xml"),
        (["due", "--foo"], {"QUIZ_LANG": "ja"}, "オプション --foo はありません。"),
        (["stdy"], {"QUIZ_LANG": "ja"}, "コマンド stdy はありません。"),
        (["study", "none"], {"QUIZ_LANG": "ja"}, "none というファイルもデッキもありません。"),
    ],
)
def test_bad_input_is_one_clear_message(call, arguments, variables, said):
    done = call(*arguments, **variables)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) <= 2


@pytest.mark.parametrize(
    ("locale", "word"),
    [
        ({"LANG": "ja_JP.UTF-8"}, "使い方"),
        ({"LANG": "ja_JP.UTF-8", "LC_ALL": "C.UTF-8"}, "Usage"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "ja_JP.UTF-8"}, "使い方"),
        ({}, "Usage"),
    ],
)
def test_the_locale_sets_the_language(call, locale, word):
    assert call("--help", QUIZ_LANG="", **locale).stdout.startswith(word)


def commands_under(group, path=()):
    """Every command line of a group, itself among them."""
    for name, command in group.commands.items():
        yield (*path, name)
        if isinstance(command, TyperGroup):
            yield from commands_under(command, (*path, name))


EVERY_COMMAND = [*commands_under(typer.main.get_command(app))]


@pytest.mark.parametrize("command", EVERY_COMMAND, ids=" ".join)
def test_every_command_has_help_with_an_example(call, command):
    for language, example in {"ja": "例: quiz ", "en": "Example: quiz "}.items():
        done = call(*command, "--help", QUIZ_LANG=language)
        assert done.returncode == 0
        assert example + " ".join(command) in " ".join(done.stdout.split())
        assert done.stdout.startswith({"ja": "使い方", "en": "Usage"}[language])


def test_the_commands_are_the_documented_ones():
    readers = "study exam plan due stats reviews fit lint deck import export backup doctor verify"
    assert {path[0] for path in EVERY_COMMAND} == set(readers.split())
    assert len(EVERY_COMMAND) == len(set(EVERY_COMMAND)) > 20


def test_language_option_changes_the_screen(call, deck):
    assert "一つ目は？" in call("study", deck, "--lang", "ja").stdout


def test_lint_reports_and_exits_with_its_findings(call, tmp_path, deck):
    assert call("lint", deck).returncode == 0
    bad = tmp_path / "bad.yaml"
    bad.write_text("deck: bad\ntitle: T\ncards:\n  - id: x\n    kind: wish\n", encoding="utf-8")
    done = call("lint", str(bad), "--format", "json")
    assert done.returncode == 1
    assert {"file", "line", "column", "rule", "severity", "message", "card"} <= set(
        json.loads(done.stdout)[0]
    )


def test_a_closed_pipe_is_silent(environment, tmp_path, deck):
    program = f'"{sys.executable}" -c "from quiz.cli import main; main()" study {deck}'
    command = program + " | head -1; echo ${PIPESTATUS[0]}"
    done = subprocess.run(
        ["bash", "-c", command], env=environment, cwd=tmp_path, input="\n3\n\n3\n" * 50,
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "0"


def test_a_closed_standard_input_ends_cleanly(environment, tmp_path, deck):
    command = f'"{sys.executable}" -c "from quiz.cli import main; main()" study {deck} <&-'
    done = subprocess.run(
        ["bash", "-c", command], env=environment, cwd=tmp_path,
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "The first?" in done.stdout


def test_ctrl_c_leaves_with_130_and_keeps_the_grades(terminal, reviews, deck):
    child = terminal("study", "--plain", deck)
    child.expect_exact("The first?")
    child.expect_exact("> ")
    child.sendline("")
    child.expect_exact("3 good")
    child.expect_exact("> ")
    child.sendline("3")
    child.expect_exact("The second?")
    child.expect_exact("> ")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 130
    assert "Traceback" not in child.before
    assert "\x1b" not in child.before  # nothing was switched on that would have to be off again
    assert [review["grade"] for review in reviews()] == [3]


def test_a_kind_kill_keeps_the_grades_too(terminal, reviews, deck):
    child = terminal("study", "--plain", deck)
    child.expect_exact("> ")
    child.sendline("")
    child.expect_exact("> ")
    child.sendline("2")
    child.expect_exact("The second?")
    child.kill(signal.SIGTERM)
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 130
    assert "Traceback" not in child.before
    assert [review["grade"] for review in reviews()] == [2]


def test_a_sitting_in_a_narrow_japanese_terminal(terminal, reviews, deck):
    child = terminal("study", "--plain", deck, QUIZ_LANG="ja", COLUMNS="40")
    child.expect_exact("一つ目は？")
    for line in ("", "3", "", "3"):
        child.expect_exact("> ")
        child.sendline(line)
    child.expect_exact("2 問に 2 回答え、一度で思い出せた")
    child.expect_exact("> ")
    child.sendline("")
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 0
    assert len(reviews()) == 2


def test_end_of_input_at_a_terminal_ends_on_a_line_of_its_own(terminal, deck):
    child = terminal("study", "--plain", deck)
    child.expect_exact("> ")
    child.sendeof()
    child.expect_exact("No answer was recorded.")
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 0
