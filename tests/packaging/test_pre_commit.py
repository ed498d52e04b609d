"""The hook `quiz-lint`, installed and run by pre-commit in a repository of someone else's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import quiz

ROOT = Path(quiz.__file__).parent.parent
PARTS = (".pre-commit-hooks.yaml", "pyproject.toml", "README.md", "LICENSE", "quiz", "verify",
         "decks")  # fmt: skip
GOOD = "deck: mine\ntitle: T\ncards:\n  - {id: a, kind: recall, ask: x, answer: y}\n"
UNREACHABLE = "Could not find a version that satisfies"

pytestmark = [
    pytest.mark.slow,  # it installs the package, without torch
    pytest.mark.skipif(find_spec("pre_commit") is None, reason="pre-commit isn't installed"),
    pytest.mark.skipif(not (ROOT / PARTS[0]).exists(), reason="no checkout"),
]


@pytest.fixture
def git(tmp_path: Path):
    who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.invalid"]

    def run(folder: Path, *arguments: str) -> str:
        command = ["git", *who, *arguments]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    return run


@pytest.fixture
def hooks(tmp_path: Path, git) -> Path:
    """A repository with what the hook needs of this one."""
    folder = tmp_path / "proofdeck"
    folder.mkdir()
    for name in PARTS:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(
                source, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".*")
            )
        else:
            shutil.copy(source, folder)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "All")
    return folder


def test_the_hook_refuses_a_bad_deck_and_passes_a_good_one(tmp_path: Path, hooks: Path, git):
    theirs = tmp_path / "theirs"
    (theirs / "decks").mkdir(parents=True)
    deck = theirs / "decks/mine.yaml"
    git(theirs, "init", "--quiet")
    (theirs / "other.yaml").write_text("a: 1\n")  # not a deck, and not below decks/
    (theirs / ".pre-commit-config.yaml").write_text(
        f"repos:\n  - repo: {hooks}\n    rev: {git(hooks, 'rev-parse', 'HEAD')}\n"
        "    hooks: [{id: quiz-lint}]\n"
    )
    environment = os.environ | {"PRE_COMMIT_HOME": str(tmp_path / "cache"), "QUIZ_LANG": "en",
                                "QUIZ_HOME": str(tmp_path / "home")}  # fmt: skip
    environment.pop("PYTHONPATH", None)

    def run(text: str) -> tuple[int, str]:
        deck.write_text(text)
        git(theirs, "add", "--all")
        done = subprocess.run(
            [sys.executable, "-m", "pre_commit", "run"], cwd=theirs, env=environment,
            capture_output=True, text=True, timeout=400, check=False,
        )  # fmt: skip
        if UNREACHABLE in done.stdout:
            pytest.skip("pip can't reach what the package needs")
        return done.returncode, done.stdout

    code, said = run(GOOD.replace("recall", "wish"))
    assert code == 1
    assert "decks/mine.yaml:4:19" in said
    assert "Unknown kind wish." in said
    assert "other.yaml" not in said
    code, said = run(GOOD)
    assert (code, "Passed" in said) == (0, True), said
