"""What every command makes of a data folder that it can't or mustn't write, byte for byte."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from quiz.store.schema import VERSION

READERS = ("due", "stats", "reviews", "doctor")


def snapshot(home: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(home)): path.read_bytes() if path.is_file() else None
        for path in sorted(home.rglob("*"))
    }


def foreign(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE notes (text)")
    connection.close()


def newer(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()


def damaged(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def text(path: Path) -> None:
    path.write_text("my notes on all-reduce\n" * 20)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "kept.txt").write_text("kept")


REFUSALS = {
    newer: "a newer release",
    foreign: "another program",
    damaged: "is damaged",
    text: "not a database",
    folder: "a folder, not a file",
}


@pytest.mark.parametrize("spoil", REFUSALS, ids=lambda spoil: spoil.__name__)
def test_every_command_refuses_and_leaves_the_file_as_it_is(
    inside, home, tmp_path, deck_file, graded_home, spoil
) -> None:
    deck = deck_file(3)
    shutil.copy(graded_home / "quiz.db", tmp_path / "other.db")
    shutil.copytree(graded_home, home)
    spoil(home / "quiz.db")
    before = snapshot(home)
    commands = [
        *((name,) for name in READERS),
        ("study", deck, "--plain"),
        ("backup", tmp_path / "copy.db"),
        ("import", tmp_path / "other.db"),
    ]
    for command in commands:
        code, out, errors = inside(*command)
        assert code == 2, command
        assert REFUSALS[spoil] in errors
        assert "Nothing was changed" in errors
        assert out == ""
        assert len(errors.splitlines()) == 2
    assert snapshot(home) == before
    assert not (tmp_path / "copy.db").exists()


def test_proving_goes_on_without_a_store_and_leaves_the_file_as_it_is(call, home) -> None:
    """Evidence isn't kept then, and that is said once."""
    home.mkdir()
    text(home / "quiz.db")
    before = snapshot(home)
    done = call("verify", "run", "all-reduce-bytes", "ranks=2", "payload=4 KiB")
    assert done.returncode in (0, 1)
    assert done.stderr.count("not a database") == 1
    assert "The evidence isn't kept." in done.stderr
    assert snapshot(home) == before


@pytest.mark.parametrize("killed", [False, True])
def test_a_folder_that_cannot_be_written_is_read_with_true_counts(
    small_disk, environment, tmp_path, deck_file, killed
) -> None:
    """The data folder is remounted read-only, once with a log beside the file, as a killed
    process leaves it."""
    deck = deck_file(3)
    kill = """{
        mkfifo keys; quiz study $DECK --plain >said <keys &
        exec 3>keys; printf '\\n3\\n\\n1\\n' >&3
        while ! grep -q 'Card 002' said; do sleep 0.1; done
        kill -9 $(pgrep -P $! || echo $!); wait
    } 2>/dev/null"""
    end = "printf '\\n3\\n\\n1\\n' | quiz study $DECK --plain >/dev/null"
    script = f"""
    {kill if killed else end}
    mount -o remount,ro $QUIZ_HOME || exit 9
    ls $QUIZ_HOME
    quiz due $DECK --json; quiz stats $DECK --json; quiz reviews --json; quiz doctor $DECK --json
    quiz backup copy.db; quiz study $DECK --plain </dev/null; echo code $?
    ls $QUIZ_HOME
    """
    done = subprocess.run(
        small_disk(script), env=environment | {"DECK": str(deck)}, cwd=tmp_path,
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    said = done.stdout.splitlines()
    files = [line for line in said if line.startswith("quiz.db")]
    assert files == (["quiz.db", "quiz.db-shm", "quiz.db-wal"] if killed else ["quiz.db"]) * 2
    due, stats, *reviews, doctor = (json.loads(line) for line in said if line.startswith("{"))
    assert (due["due"], due["new"]) == (1, 1)
    assert stats["answers"] == 2
    assert [review["card"] for review in reviews] == ["many/c000", "many/c001"]
    assert (doctor["events"], doctor["findings"]) == (2, [])
    assert (tmp_path / "copy.db").exists()
    assert "code 2" in said
    message, hint = done.stderr.splitlines()
    assert "this can't be written, so answers can't be saved" in message
    assert "QUIZ_HOME" in hint
