"""Text of decks, of keyboards and of other people's logs: shown, never obeyed. Files: private."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
import unicodedata
from pathlib import Path

import pytest

MARKUP = (
    "[bold]{ranks}{0.__class__} %s %(x)s <b onload=x> $(touch pwned) `touch pwned` \\x1b[2J '; --"
)
STEERING = "\x1b[2J\x1b]0;x\x07\x9b31m\u202e\u2066\x00\x08\x7f"
DECK = f"""\
deck: hostile
title: {json.dumps(MARKUP)}
cards:
  - id: number
    kind: compute
    topic: {json.dumps(MARKUP)}
    ask: {json.dumps("Ring of {{ranks}}: " + MARKUP.replace("{ranks}", ""))}
    vary: {{ranks: [3, 4]}}
    result: 2*(ranks-1)
  - id: recall
    kind: recall
    ask: {json.dumps(MARKUP)}
    answer: {json.dumps(MARKUP)}
    source: {json.dumps(MARKUP)}
"""


def steers(text: str) -> list[str]:
    """The characters that a terminal would obey."""
    kinds = {c: unicodedata.category(c) for c in set(text)}
    return [c for c, kind in kinds.items() if c not in "\n\t" and kind in ("Cc", "Cf", "Cs")]


@pytest.fixture
def hostile(tmp_path) -> Path:
    path = tmp_path / "[red]{0} %s $(touch pwned);'.yaml"
    path.write_text(DECK, encoding="utf-8")
    return path


def squeezed(text: str) -> str:
    return "".join(text.split())


def test_a_deck_is_shown_as_it_is_written(inside, hostile, tmp_path) -> None:
    code, out, errors = inside("study", hostile, "--plain", given="0\n\n3\nq\n")
    assert (code, errors) == (0, "")
    assert steers(out) == []
    assert squeezed(out).count(squeezed(MARKUP)) >= 3  # title, question, answer
    for words in (("due", hostile), ("stats", hostile), ("reviews",), ("doctor", hostile)):
        code, out, errors = inside(*words)
        assert (code, errors) == (0, ""), words
        assert steers(out) == []
    assert not list(tmp_path.glob("**/pwned"))


@pytest.mark.parametrize("typed", [STEERING, MARKUP, "9" * 5000, "\udcff", "{ranks}", "1e999"])
def test_what_is_typed_is_shown_and_kept_but_not_obeyed(inside, hostile, tmp_path, typed) -> None:
    given = typed.replace("\n", "") + "\n0\nq\n"
    code, out, errors = inside("study", hostile, "--plain", given=given)
    assert (code, errors) == (0, "")
    assert steers(out) == []
    for words in (("reviews", "--json"), ("reviews",), ("stats", hostile)):
        code, out, _ = inside(*words)
        assert code == 0
        assert steers(out) == []
    assert not list(tmp_path.glob("**/pwned"))


def test_bytes_of_a_keyboard_gone_mad_are_shown_but_not_obeyed(
    program, environment, hostile, tmp_path
) -> None:
    """The same through a real pipe, where bytes needn't be UTF-8."""
    done = subprocess.run(
        [*program, "study", str(hostile), "--plain"],
        input=STEERING.encode() + b"\xff\xfe\n0\nq\n",
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert steers(done.stdout.decode("utf-8")) == []


def test_the_log_of_another_is_shown_but_not_obeyed(inside, graded_home, deck_file) -> None:
    """Names that no deck has, as a program of someone else's may have written them."""
    steering = STEERING.replace("\x00", "")
    with sqlite3.connect(graded_home / "quiz.db") as connection:
        query = "SELECT sql FROM sqlite_schema WHERE name = 'events_not_updated'"
        (trigger,) = connection.execute(query).fetchone()
        connection.execute("DROP TRIGGER events_not_updated")
        connection.execute(
            "UPDATE events SET card = ?, choice = ?, raw = ?, correct = 0, confidence = 1"
            " WHERE seq = 1",
            (f"many/{steering}", steering, steering),
        )
        connection.execute(trigger)
    connection.close()
    around = {"QUIZ_HOME": str(graded_home)}
    for words in (
        ("reviews",),
        ("reviews", "--json"),
        ("stats", deck_file(3)),
        ("stats", deck_file(3), "--json"),
        ("due", deck_file(3)),
        ("doctor", deck_file(3)),
        ("doctor", deck_file(3), "--json"),
        ("doctor", deck_file(3), "--reattach", "many/x" + steering, "many/c000"),
    ):
        code, out, errors = inside(*words, **around)
        assert code == 2 if "--reattach" in words else code in (0, 1), words
        assert steers(out + errors) == [], words


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_data_files_are_private_whatever_the_umask(environment, program, tmp_path, deck_file, home):
    script = """
    umask 0
    printf '\\n3\\n' | "$@" study $DECK --plain >/dev/null
    "$@" backup $QUIZ_HOME/backup.db; "$@" import $QUIZ_HOME/backup.db
    printf '\\n3\\n\\n' | "$@" study $DECK --plain >/dev/null &
    wait
    """
    environment = environment | {"DECK": str(deck_file(3))}
    done = subprocess.run(
        ["bash", "-c", script, "bash", *program], env=environment, cwd=tmp_path,
        capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (home, *home.iterdir())}
    assert modes == {"home": 0o700, "quiz.db": 0o600, "backup.db": 0o600}


ESCAPES = "x\x1b[2J\x9b31m\u202e"


@pytest.mark.parametrize(
    "words",
    [
        (ESCAPES,),
        ("study", ESCAPES),
        ("study", "--topic", ESCAPES),
        ("study", "--new", ESCAPES),
        ("study", "--lang", ESCAPES),
        ("plan", "--on", ESCAPES, "--minutes", "9"),
        ("lint", ESCAPES),
        ("lint", "--format", ESCAPES),
        ("lint", "--prove", "--changed-since", ESCAPES),
        ("deck", "show", ESCAPES),
        ("import", ESCAPES),
        ("export", ESCAPES),
        ("backup", "/nowhere/" + ESCAPES),
        ("doctor", "--reattach", ESCAPES, "y"),
        ("verify", "show", ESCAPES),
        ("verify", "run", ESCAPES),
        ("verify", "run", "all-reduce-bytes", ESCAPES),
        ("verify", "run", "all-reduce-bytes", "ranks=" + ESCAPES),
        ("verify", "run", "all-reduce-bytes", ESCAPES + "=2"),
        ("verify", "run", "all-reduce-bytes", "--fault", ESCAPES),
        ("verify", "run", "all-reduce-bytes", "--html", "/nowhere/" + ESCAPES),
        ("verify", "card", ESCAPES),
        ("verify", "deck", ESCAPES),
        ("verify", "schema", ESCAPES),
    ],
    ids=" ".join,
)
def test_what_is_refused_is_quoted_and_not_obeyed(inside, hostile, words) -> None:
    code, out, errors = inside(*words)
    assert code in (1, 2)
    assert out + errors != ""
    assert steers(out + errors) == []


def test_the_name_of_a_file_is_shown_and_not_obeyed(inside, tmp_path) -> None:
    path = tmp_path / f"{ESCAPES}.yaml"
    good = "- {id: b, kind: recall, ask: q, answer: x}\n"
    bad = "- {id: a, kind: recall, ask: q, answer: No}\n"
    path.write_text(f"deck: d\ntitle: t\ncards:\n{bad}{good}", encoding="utf-8")
    for words in (("due", path), ("lint", path), ("deck", "list", path), ("deck", "show", "d/b")):
        _, out, errors = inside(*words)
        assert steers(out + errors) == [], words
