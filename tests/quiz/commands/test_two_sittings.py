"""Several sittings at once, on one card and on many."""

from __future__ import annotations

import contextlib
import re
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor

import pexpect
import pytest

from quiz.store import open_store


def answer(child: pexpect.spawn, *lines: str) -> None:
    for line in lines:
        child.expect_exact("> ")
        child.sendline(line)


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", r"many/c000\s+was\s+changed\s+in\s+another\s+session.+not\s+saved"),
        ("ja", r"many/c000.+別の画面で更新されていた.+保存していません"),
    ],
)
def test_the_second_is_told_that_the_card_changed(
    terminal, answers, deck_file, language, told
) -> None:
    path = deck_file(2)
    first, second = (terminal("study", path, "--plain", QUIZ_LANG=language) for _ in range(2))
    for sitting in (first, second):
        answer(sitting, "")
    answer(first, "3")
    first.expect_exact("Card 001 of the deck")
    answer(second, "1")
    second.expect(re.compile(told, re.DOTALL))
    assert "Card 001" not in second.before + second.after
    assert answers() == [("many/c000", 3)]
    answer(second, "2")  # meant all the same
    second.expect_exact("Card 001 of the deck")
    for sitting in (first, second):
        answer(sitting, "q")
        sitting.expect(pexpect.EOF)
        sitting.wait()
        assert sitting.exitstatus == 0
    assert answers() == [("many/c000", 3), ("many/c000", 2)]


def test_the_second_is_told_on_the_full_screen_too(terminal, answers, deck_file) -> None:
    path = deck_file(2)
    first, second = terminal("study", path, "--plain"), terminal("study", path)
    second.expect_exact("Card 000 of the deck")
    second.send("\r")
    second.expect_exact("again")
    answer(first, "", "3")
    first.expect_exact("Card 001 of the deck")
    second.send("1")
    second.expect(r"changed.in.another.session")
    assert answers() == [("many/c000", 3)]
    second.send("q")
    second.expect(pexpect.EOF)


@pytest.mark.parametrize(
    ("sittings", "grades"),
    [(4, 50), pytest.param(8, 500, marks=pytest.mark.soak)],
)
def test_sittings_at_once_on_many_cards_lose_no_grade(
    program, environment, home, deck_file, sittings, grades
) -> None:
    """All work on the same cards in the same order, so they meet all the time. A script can't tell
    a grade that was refused from one that was taken: it repeats, and what was taken is counted."""
    path = deck_file(grades)
    given = "\n3\n" * (sittings * grades)
    all_asked = threading.Barrier(sittings)

    def study(_: int) -> tuple[int, str]:
        with subprocess.Popen(
            [*program, "study", str(path), "--plain", "--new", str(grades)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=path.parent,
            text=True,
            encoding="utf-8",
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            said = ""
            while "Card 000 of the deck\n" not in said and (line := process.stdout.readline()):
                said += line
            all_asked.wait(120)
            with contextlib.suppress(BrokenPipeError):  # it needs less, and ends when it's done
                process.stdin.write(given)
                process.stdin.close()
            said += process.stdout.read()
            return process.wait(), said

    with ThreadPoolExecutor(sittings) as pool:
        ended = list(pool.map(study, range(sittings)))
    for code, said in ended:
        assert code == 0
        assert "Traceback" not in said
        assert "locked" not in said
        assert "another program" not in said  # "database is locked", in our words
        assert f"{grades} answers" in said
    told = sum(len(re.findall(r"was\s+changed\s+in\s+another", said)) for _, said in ended)
    assert told > 0
    with open_store(home, write=False) as store:
        events = list(store.events())
        assert store.connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        cards = store.state().cards
    assert len(events) == sittings * grades
    assert sorted(event.counter for event in events) == list(range(1, len(events) + 1))
    assert {of.answers for of in cards.values()} == {sittings}
