"""What a program does where its streams, or its whole session, fail it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

import verify

FULL = Path("/dev/full")
ROOT = Path(verify.__file__).parent.parent
PROGRAMS = {
    "verify": ["-m", "verify", "list"],
    "due": ["-m", "quiz", "due"],
    "study": ["-m", "quiz", "study", "--plain"],
    "help": ["-m", "quiz", "--help"],
    "lint": ["-m", "quiz", "lint", "--format", "json"],
}
needs_full = pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")


def start(program: str, tmp_path: Path, **streams: object) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ, "QUIZ_LANG": "en", "QUIZ_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)
    }  # fmt: skip
    return subprocess.run(  # type: ignore[call-overload,no-any-return]  # streams vary
        [sys.executable, *(PROGRAMS | {"mistake": ["-m", "quiz", "study", "nothing"]})[program]],
        env=environment, cwd=ROOT, text=True, timeout=60, check=False, **streams,
    )  # fmt: skip


@needs_full
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_full_disk_behind_the_output_is_told_in_one_line(program: str, tmp_path: Path) -> None:
    with FULL.open("w") as full:
        done = start(
            program, tmp_path, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE
        )
    assert done.returncode == 2
    said, hint = done.stderr.splitlines()
    assert said == "Reading or writing failed: No space left on device."
    assert hint.startswith("  Check the space")


@needs_full
@pytest.mark.parametrize("program", ["verify", "due"])
def test_a_full_disk_behind_the_messages_stops_nothing(program: str, tmp_path: Path) -> None:
    with FULL.open("w") as full:
        done = start(program, tmp_path, stdout=subprocess.PIPE, stderr=full)
    assert done.returncode == 0
    assert done.stdout


@needs_full
def test_a_mistake_keeps_its_exit_code_where_its_message_has_no_room(tmp_path: Path) -> None:
    with FULL.open("w") as full:
        done = start("mistake", tmp_path, stdout=subprocess.PIPE, stderr=full)
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("program", ["verify", "due"])
def test_a_reader_that_has_enough_is_no_error(program: str, tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as broken:
        done = start(program, tmp_path, stdout=broken, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_signal_that_no_read_notices_ends_the_program_all_the_same() -> None:
    """Given to another thread, it doesn't break off the read of the main one."""
    program = """
import signal, sys, threading, time
from verify.entry import await_input, enter

def ring():
    time.sleep(1)
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

def run(_):
    threading.Thread(target=ring, daemon=True).start()
    print("asked", flush=True)
    await_input()
    return len(sys.stdin.readline())

enter(run, "en")
"""
    child = pexpect.spawn(sys.executable, ["-c", program], cwd=ROOT, timeout=20)
    child.expect_exact("asked")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
