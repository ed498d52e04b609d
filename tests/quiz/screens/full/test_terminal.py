"""The program in a real pseudo-terminal, whose screen pyte draws."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pexpect
import pyte
import pytest

import quiz

ROOT = Path(quiz.__file__).parent.parent
RUN = "from quiz.cli import main; main()"
BREAK = """
import quiz.screens.full.sheet as sheet
def shows(self, block, before=sheet.Sheet.shows):
    if type(block).__name__ == "Key" and block.question.card.id == "card-1":
        raise ZeroDivisionError("on purpose\\x1b[31m")
    return before(self, block)
sheet.Sheet.shows = shows
"""
CARD = """\
  - id: card-{n}
    kind: recall
    ask: {{ja: "{n} 番の問題", en: "Question {n}?"}}
    answer: {{ja: はい, en: "Yes"}}
"""
OFF = ("\x1b[?1049l", "\x1b[?25h")  # leave the other screen, show the cursor


class Terminal:
    """A child in a pseudo-terminal of 80×24."""

    def __init__(self, home, cwd, code, *arguments, **variables):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("QUIZ_", "LC_", "LANG"))}
        environment = kept | {
            "QUIZ_HOME": str(home), "QUIZ_LANG": "en", "PYTHONPATH": str(ROOT),
            "TERM": "xterm-256color", "QUIZ_NOW": "2026-10-01T09:00:00+09:00",
        }  # fmt: skip
        self.child = pexpect.spawn(
            sys.executable, ["-c", code, *arguments], env=environment | variables, cwd=cwd,
            dimensions=(24, 80), timeout=30, encoding="utf-8",
        )  # fmt: skip
        self.screen = pyte.Screen(80, 24)
        self.stream = pyte.Stream(self.screen)
        self.raw = ""

    def read(self, seconds=0.1):
        try:
            got = self.child.read_nonblocking(65536, timeout=seconds)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += got
        self.stream.feed(re.sub(r"\x1b\[[>=<][0-9;]*[a-z]", "", got))  # pyte prints these
        return True

    def until(self, text, seconds=30):
        """Wait until `text` stands on the screen."""
        end = time.monotonic() + seconds
        while text not in "\n".join(self.screen.display):
            assert self.read(), self.raw[-2000:]
            assert time.monotonic() < end, "\n".join(self.screen.display)

    def ended(self):
        """Read to the end; the exit code."""
        while self.read():
            pass
        self.child.wait()
        return self.child.exitstatus


@pytest.fixture
def deck(tmp_path):
    path = tmp_path / "mine.yaml"
    cards = "".join(CARD.format(n=n) for n in range(100))
    path.write_text(
        f"deck: mine\ntitle: {{ja: 自作, en: My own}}\ncards:\n{cards}", encoding="utf-8"
    )
    return str(path)


@pytest.fixture
def terminal(tmp_path):
    opened = []

    def start(*arguments, code=RUN, **variables):
        opened.append(Terminal(tmp_path / "home", tmp_path, code, *arguments, **variables))
        return opened[-1]

    yield start
    for each in opened:
        each.child.close(force=True)


@pytest.fixture
def grades(tmp_path):
    """Cards and grades of the log, as the program tells them."""

    def read():
        environment = os.environ | {"QUIZ_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}
        told = subprocess.run(
            [sys.executable, "-c", RUN, "reviews", "--json"],
            env=environment, cwd=tmp_path, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        reviews = map(json.loads, told.splitlines())
        return [(review["card"], review["grade"]) for review in reviews]

    return read


def test_it_starts_answers_and_leaves_the_terminal_as_it_was(terminal, deck, grades):
    at = terminal("study", deck)
    at.until("Question 0?")
    at.child.send("\r")
    at.until("3 good (2 days)")
    at.child.send("3")
    at.until("Question 1?")
    at.child.send("q")
    assert at.ended() == 0
    for sequence in OFF:
        assert sequence in at.raw
    after = at.raw[at.raw.rindex(OFF[0]) :]
    assert "1 card, 1 answer, 1 recalled at once." in after
    assert grades() == [("mine/card-0", 3)]


def test_two_hundred_keys_in_one_burst(terminal, deck, grades):
    """They lie in the terminal's queue before the program has drawn anything for them."""
    wanted = [2 + n % 3 for n in range(100)]
    at = terminal("study", deck, "--new", "100")
    at.until("Question 0?")
    at.child.send("".join(f"\r{grade}" for grade in wanted))
    at.until("100 cards, 100 answers, 100 recalled at once.", seconds=60)
    at.child.send("\r")
    assert at.ended() == 0
    assert grades() == [(f"mine/card-{n}", grade) for n, grade in enumerate(wanted)]


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP, "ctrl-c"])
def test_an_end_from_outside_restores_the_terminal(terminal, deck, grades, ending):
    at = terminal("study", deck)
    at.until("Question 0?")
    at.child.send("\r2")
    at.until("Question 1?")
    if ending == "ctrl-c":
        at.child.send("\x03")
    else:
        at.child.kill(ending)
    assert at.ended() == 130
    for sequence in OFF:
        assert sequence in at.raw
    assert "Traceback" not in at.raw
    assert grades() == [("mine/card-0", 2)]


def test_back_from_the_shell_the_card_is_drawn_again(terminal, deck):
    at = terminal("study", deck)
    at.until("Question 0?")
    at.child.send("\x1a")
    status, end = 0, time.monotonic() + 30
    while not os.WIFSTOPPED(status):
        at.read()
        status = os.waitpid(at.child.pid, os.WUNTRACED | os.WNOHANG)[1]
        assert time.monotonic() < end
    at.screen.reset()
    at.child.kill(signal.SIGCONT)
    at.until("Question 0?")
    at.child.send("q")
    assert at.ended() == 0


def test_a_crash_restores_the_terminal_and_says_what_happened_in_a_line(terminal, deck, grades):
    at = terminal("study", deck, code=BREAK + RUN)
    at.until("Question 0?")
    at.child.send("\r3")
    at.until("Question 1?")
    at.child.send("\r")
    assert at.ended() == 1
    after = at.raw[at.raw.rindex(OFF[0]) :]
    told = [line for line in after.splitlines() if "ZeroDivisionError" in line]
    assert len(told) == 1
    assert "on purpose\\x1b[31m" in told[0]
    assert "--plain" in told[0]
    assert "Traceback" not in at.raw
    assert grades() == [("mine/card-0", 3)]


@pytest.mark.parametrize("variables", [{"TERM": "dumb"}, {"TERM": ""}])
def test_a_terminal_that_cannot_move_its_cursor_gets_the_plain_screen(terminal, deck, variables):
    at = terminal("study", deck, **variables)
    at.until("> ")
    at.child.sendline("q")
    assert at.ended() == 0
    assert "\x1b" not in at.raw


def test_plain_is_plain(terminal, deck):
    at = terminal("study", "--plain", deck)
    at.until("> ")
    at.child.sendline("q")
    assert at.ended() == 0
    assert "\x1b" not in at.raw


def test_no_colour_where_none_is_wanted(terminal, deck):
    at = terminal("study", deck, NO_COLOR="1")
    at.until("Question 0?")
    at.child.send("?")
    at.until("Answering")
    at.child.send("\x1b")
    time.sleep(0.3)
    at.child.send("q")
    assert at.ended() == 0
    colours = re.findall(r"\x1b\[(?:[0-9;]*;)?(3[0-7]|4[0-7]|38|48|9[0-7]|10[0-7])[;m]", at.raw)
    assert not colours


def test_the_editor_has_the_terminal_and_the_card_comes_back_changed(terminal, deck, tmp_path):
    editor = tmp_path / "vi"
    editor.write_text(
        '#!/bin/sh\necho "line $1"\nsed -i "s/Question 0?/A better question?/" "$2"\n'
    )
    editor.chmod(0o755)
    at = terminal("study", deck, EDITOR=str(editor))
    at.until("Question 0?")
    at.child.send("E")
    at.until("A better question?")
    assert "line +4" in at.raw  # deck, title, cards, then the first card
    at.child.send("\r")
    at.until("3 good")
    at.child.send("q")
    assert at.ended() == 0


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["q", "\x03", signal.SIGTERM, signal.SIGKILL])
def test_leaving_during_a_proof_leaves_no_process(terminal, ending):
    pytest.importorskip("torch")
    at = terminal("study", "data-parallel")
    at.until("? keys")
    at.child.send("\rv")
    at.until("is measuring")
    left = descendants(at.child.pid)
    assert left
    if isinstance(ending, str):
        at.child.send(ending)
    else:
        at.child.kill(ending)
    at.ended()
    end = time.monotonic() + 10
    while any(map(runs, left)):
        assert time.monotonic() < end
        time.sleep(0.05)


def descendants(process):
    """The children of a process and theirs, by id."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            after_name = (folder / "stat").read_text().rsplit(")", 1)[1]
            parents[int(folder.name)] = int(after_name.split()[1])
        except OSError:
            continue
    found = {process}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {process}


def runs(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
