"""`kill -9` at any instant of a sitting: every grade whose next question appeared is kept."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import threading
from datetime import UTC, datetime, timedelta

import pytest

from quiz.store import open_store

ANSWERS = 40  # at most, in one sitting
ASKED = re.compile(r"Card (\d{3}) of the deck\n")
START = datetime(2026, 10, 1, 9, tzinfo=UTC)


def sitting(program, environment, path, grades: str, kill_after: float, *, at_once: bool):
    """Study until killed, so many seconds after the start or the first question; what it asked."""
    process = subprocess.Popen(
        [*program, "study", str(path), "--plain", "--new", "60"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=path.parent,
        text=True,
        encoding="utf-8",
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write("".join(f"\n{grade}\n" for grade in grades))
    process.stdin.flush()
    said = ""
    while not at_once and not ASKED.search(said) and (line := process.stdout.readline()):
        said += line
    killer = threading.Timer(kill_after, process.send_signal, [signal.SIGKILL])
    killer.start()
    said += process.stdout.read()
    killer.cancel()
    errors = process.stderr.read()
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()
    return [f"many/c{number}" for number in ASKED.findall(said)], errors, process.returncode


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
@pytest.mark.parametrize("kills", [15, pytest.param(1000, marks=pytest.mark.soak)])
def test_a_grade_whose_next_question_appeared_survives_a_kill(
    kills, program, environment, home, deck_file
) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")  # shown where this fails
    chance, path, kept = random.Random(seed), deck_file(60), 0
    ends = []
    for number in range(kills):
        # Every tenth is killed while it starts: at first that is while the file is made.
        at_once = number % 10 == 0
        now = (START + timedelta(days=400 * number)).isoformat()
        grades = "".join(chance.choices("1123", k=ANSWERS))
        wait = chance.uniform(0, 0.8)
        asked, errors, code = sitting(
            program, environment | {"QUIZ_NOW": now}, path, grades, wait, at_once=at_once
        )
        assert errors == ""
        ends.append(code)
        with open_store(home, write=False) as store:
            query = "SELECT card, grade FROM events ORDER BY counter LIMIT -1 OFFSET ?"
            fresh = store.connection.execute(query, (kept,)).fetchall()
            assert store.connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        given = [(card, int(grade)) for card, grade in zip(asked, grades, strict=False)]
        acknowledged = given[: len(asked) - 1] if asked else []
        assert fresh[: len(acknowledged)] == acknowledged
        assert len(fresh) <= len(asked)  # and nothing is there that wasn't asked
        assert fresh == given[: len(fresh)]
        kept += len(fresh)
    assert ends.count(-signal.SIGKILL) > kills / 2
    assert kept > kills
    with open_store(home, write=True) as store:
        counters = [event.counter for event in store.events()]
    assert sorted(counters) == list(range(1, kept + 1))
