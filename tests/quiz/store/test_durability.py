"""Several processes, and processes that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from quiz.store import open_store

WRITER = """
import sys
from datetime import datetime, timezone
from pathlib import Path
from quiz.clock import moment_of
from quiz.events import Answer, EventKind, Grade, Origin
from quiz.store import open_store

home, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with open_store(home, write=True) as store:
    print("open", flush=True)
    sys.stdin.readline()
    for number in range(count):
        answer = Answer("deck/shared", "recall", "0", Origin.STUDY, name, number, Grade.GOOD, 1.0)
        now = moment_of(datetime.now(timezone.utc))
        written = store.append(now.event(EventKind.ANSWER, answer=answer))
        print(written.id, flush=True)
"""


def writer(home: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(home), name, str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],  # `-c` imports from there
    )


def test_two_processes_lose_no_grade(tmp_path) -> None:
    """Both start on a folder with nothing in it, so they also race to create the file."""
    home = tmp_path / "home"
    writers = [writer(home, name, 200) for name in ("one", "two")]
    acknowledged: set[str] = set()
    for process in writers:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
    for process in writers:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in writers:
        out, err = process.communicate(timeout=120)
        assert err == ""
        assert process.returncode == 0
        acknowledged |= set(out.split())
    with open_store(home, write=False) as store:
        events = list(store.events())
    assert len(acknowledged) == 400
    assert {event.id for event in events} == acknowledged
    assert sorted(event.counter for event in events) == list(range(1, 401))
    assert [path.name for path in home.iterdir()] == ["quiz.db"]


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_a_kill_loses_nothing_that_was_acknowledged(tmp_path) -> None:
    home = tmp_path / "home"
    acknowledged: set[str] = set()
    for kill_after in (1, 23, 60):
        process = writer(home, str(kill_after), 100_000)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "open\n"
        for _ in range(kill_after):
            acknowledged.add(process.stdout.readline().strip())
        process.send_signal(signal.SIGKILL)
        acknowledged |= {line.strip() for line in process.stdout if line.endswith("\n")}
        process.communicate()
        with open_store(home, write=False) as store:
            assert acknowledged <= {event.id for event in store.events()}
    with open_store(home, write=True) as store:
        kept = list(store.events())
        assert store.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert acknowledged <= {event.id for event in kept}
    assert sorted(event.counter for event in kept) == list(range(1, len(kept) + 1))
