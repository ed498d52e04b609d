"""The real program, run as a process of its own."""

from __future__ import annotations

import io
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest

import quiz
from quiz import cli

ROOT = Path(quiz.__file__).parent.parent
PROGRAM = [sys.executable, "-c", "from quiz.cli import main; main()"]


def many_cards(count: int, deck: str = "many") -> str:
    """A deck of recall cards that ask `Card 000 of the deck`, and so on."""
    card = "  - {{id: c{0:03}, kind: recall, ask: Card {0:03} of the deck, answer: 'Yes'}}\n"
    return f"deck: {deck}\ntitle: Many\ncards:\n" + "".join(map(card.format, range(count)))


@pytest.fixture
def program() -> list[str]:
    return PROGRAM


@pytest.fixture
def home(tmp_path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def environment(home) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("QUIZ_", "LC_", "LANG"))}
    return kept | {
        "QUIZ_HOME": str(home),
        "QUIZ_NOW": "2026-10-01T09:00:00+09:00",
        "QUIZ_LANG": "en",
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "80",
        "LINES": "24",
        "TERM": "xterm",
        "PYTHONUTF8": "1",
    }


@pytest.fixture
def deck_file(tmp_path) -> Callable[..., Path]:
    """Write a deck of so many cards."""

    def write(count: int = 60, deck: str = "many") -> Path:
        path = tmp_path / f"{deck}.yaml"
        path.write_text(many_cards(count, deck), encoding="utf-8")
        return path

    return write


@pytest.fixture
def call(environment, tmp_path):
    """Run the program to its end."""

    def run(*arguments, given: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*PROGRAM, *map(str, arguments)],
            input=given,
            env=environment | variables,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture
def terminal(environment, tmp_path):
    """Run the program, or `within` another one, on a terminal."""
    children = []

    def start(*arguments, within: list[str] | None = None, echo: bool = False, **variables: str):
        words = [*(within or PROGRAM), *map(str, arguments)]
        child = pexpect.spawn(
            words[0],
            words[1:],
            env=environment | variables,
            cwd=tmp_path,
            timeout=60,
            encoding="utf-8",
            echo=echo,
        )
        children.append(child)
        return child

    yield start
    for child in children:
        child.close(force=True)


@pytest.fixture
def answers(call):
    """What `quiz reviews` lists: card and grade of each."""

    def read(**variables: str) -> list[tuple[str, int]]:
        done = call("reviews", "--json", **variables)
        assert (done.returncode, done.stderr) == (0, "")
        found = map(json.loads, done.stdout.splitlines())
        return [(review["card"], review["grade"]) for review in found]

    return read


@pytest.fixture(scope="session")
def unshare() -> list[str]:
    """The words that run a command in a mount namespace of its own."""
    words = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-Urm"]
    mount = ["mount", "-t", "tmpfs", "none", "/mnt"]
    try:
        done = subprocess.run([*words, *mount], capture_output=True, check=False)
    except OSError:
        pytest.skip("there is no unshare")
    if done.returncode != 0:
        pytest.skip("mounting isn't allowed here")
    return words


@pytest.fixture
def small_disk(unshare, home):
    """The words that run a shell script where the data folder is a small disk of its own; in the
    script, `quiz` is the program."""
    home.mkdir()

    def words(script: str) -> list[str]:
        mount = f"mount -t tmpfs -o size=400k,mode=700 none {shlex.quote(str(home))}"
        quiz = f'quiz() {{ {shlex.join(PROGRAM)} "$@"; }}'
        return [*unshare, "sh", "-c", f"{mount} && {{ {quiz}\n{script}\n}}"]

    return words


@pytest.fixture
def inside(environment, monkeypatch, capsys):
    """Run a command within this process, which costs no start: its code and what it wrote."""

    def run(*arguments: object, given: str = "", **variables: str) -> tuple[int, str, str]:
        for name, value in (environment | variables).items():
            if name.startswith("QUIZ_"):
                monkeypatch.setenv(name, value)
        for module in ("cli", "commands.common", "commands.doctor"):
            monkeypatch.setattr(f"quiz.{module}.LANGUAGE", "en")
        monkeypatch.setattr("sys.stdin", io.StringIO(given))
        capsys.readouterr()
        code = cli.run([str(argument) for argument in arguments])
        written = capsys.readouterr()
        return code, written.out, written.err

    return run


@pytest.fixture
def graded_home(tmp_path, inside, deck_file) -> Path:
    """A data folder in which many/c000 was answered Good and many/c001 Again."""
    folder = tmp_path / "graded"
    code, _, errors = inside(
        "study", deck_file(3), "--plain", given="\n3\n\n1\nq\n", QUIZ_HOME=str(folder)
    )
    assert (code, errors) == (0, "")
    return folder
