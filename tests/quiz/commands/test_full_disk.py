"""A disk that fills up during a sitting: a small file system in a mount namespace of its own."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
import termios
from pathlib import Path

import pexpect

BESIDE = {"quiz.db", "quiz.db-shm", "quiz.db-wal"}
FULL = r"the\s+disk\s+is\s+full;\s+this\s+was\s+not\s+saved"  # wrapped at the width of the screen


def fill(home: Path, shell: int) -> Path:
    """Use up the small disk of a running shell."""
    file = Path(f"/proc/{shell}/root{home}/filler")
    with file.open("wb", buffering=0) as filler, contextlib.suppress(OSError):
        while True:
            filler.write(bytes(4096))
    free = os.statvfs(file)
    assert free.f_bavail == 0
    return file


def test_a_full_disk_says_so_and_shows_nothing_as_saved(terminal, small_disk, home, deck_file):
    script = f"quiz study {deck_file(3)} --plain; quiz reviews --json"
    child = terminal(within=small_disk(script))
    for line in ("", "3"):
        child.expect_exact("> ")
        child.sendline(line)
    child.expect_exact("Card 001 of the deck")
    filler = fill(home, child.pid)
    for line in ("", "3"):
        child.expect_exact("> ")
        child.sendline(line)
    child.expect(FULL)
    child.expect_exact("> ")
    assert "Card 002" not in child.before  # the question stays
    child.sendline("2")
    child.expect(FULL)
    filler.unlink()
    child.expect_exact("> ")
    child.sendline("4")
    child.expect_exact("Card 002 of the deck")
    child.expect_exact("> ")
    child.sendline("q")
    child.expect_exact("2 cards, 2 answers")
    child.expect(pexpect.EOF)
    logged = [json.loads(line) for line in child.before.splitlines() if line.startswith("{")]
    assert [(review["card"], review["grade"]) for review in logged] == [
        ("many/c000", 3),
        ("many/c001", 4),
    ]


def test_the_full_screen_gives_a_terminal_back_as_it_was(terminal, small_disk, home, deck_file):
    script = f"quiz study {deck_file(3)}; echo; quiz reviews --json; sleep 60"
    child = terminal(within=small_disk(script), echo=True)
    before = termios.tcgetattr(child.child_fd)
    child.expect_exact("\x1b[?1049h")
    child.expect_exact("Card 000 of the deck")
    fill(home, child.pid)
    child.send("\r")
    child.expect_exact("again")
    child.send("3")
    child.expect_exact("disk is full")
    child.send("q")
    child.expect_exact("\x1b[?1049l")
    child.expect_exact("No answer was recorded.")
    assert "Card 001" not in child.before
    assert termios.tcgetattr(child.child_fd) == before


def test_on_a_full_disk_all_is_read_and_nothing_starts(
    small_disk, environment, tmp_path, deck_file
):
    path = deck_file(3)
    script = f"""
    printf '\\n3\\n\\n1\\n' | quiz study {path} --plain >/dev/null
    ( cat /dev/zero >{environment["QUIZ_HOME"]}/filler ) 2>/dev/null
    quiz reviews --json; quiz due {path} --json; quiz stats {path} --json
    quiz study {path} --plain </dev/null; echo code $?
    quiz backup {environment["QUIZ_HOME"]}/copy.db; echo code $?; ls {environment["QUIZ_HOME"]}
    """
    done = subprocess.run(
        small_disk(script), env=environment, cwd=tmp_path, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    said = done.stdout.splitlines()
    records = [json.loads(line) for line in said if line.startswith("{")]
    assert [record.get("card") for record in records[:2]] == ["many/c000", "many/c001"]
    assert (records[2]["due"], records[2]["new"]) == (1, 1)
    assert records[3]["answers"] == 2
    assert said[4:6] == ["code 2", "code 2"]
    assert {"filler", "quiz.db"} <= set(said[6:]) <= {"filler", *BESIDE}  # no part of a copy
    assert done.stderr.count("the disk is full") == 2
    assert "Traceback" not in done.stderr


def test_a_limit_on_the_size_of_files_saves_nothing_either(
    program, environment, deck_file, answers
):
    """What a quota does, without any right to mount: the system refuses to let the file grow."""
    quiz, path = shlex.join(program), deck_file(60)
    script = f"ulimit -f 256; {quiz} study {path} --plain --new 60"
    done = subprocess.run(
        ["bash", "-c", script], input="\n3\n" * 60 + "q\n", env=environment, cwd=path.parent,
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "reading or writing failed" in done.stdout
    kept = answers()
    assert 0 < len(kept) < 60
    assert f"{len(kept)} answers" in done.stdout
