"""`quiz lint` as a program: mending, settings, formats, what is kept, and proving what changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import quiz

ROOT = Path(quiz.__file__).parent.parent
DECK = """deck: mine
title: Mine
cards:
  - {id: a, kind: recall, source: p, ask: No, answer: x}
"""
Call = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "d.yaml").write_text(DECK)
    return folder


@pytest.fixture
def call(folder: Path, tmp_path: Path) -> Call:
    def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("QUIZ_", "GITHUB_"))}
        ours = {
            "QUIZ_HOME": str(tmp_path / "home"),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "QUIZ_LANG": "en",
            "PYTHONPATH": str(ROOT),
        }
        return subprocess.run(
            [sys.executable, "-m", "quiz", "lint", *arguments],
            cwd=folder,
            env=kept | ours | variables,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_the_difference_first_then_mended_then_clean(call: Call, folder: Path) -> None:
    shown = call("d.yaml", "--diff")
    assert shown.returncode == 1
    assert "+  - {id: a, kind: recall, source: p, ask: 'No', answer: x}" in shown.stdout
    assert (folder / "d.yaml").read_text() == DECK
    mended = call("d.yaml", "--fix")
    assert (mended.returncode, mended.stderr) == (0, "")
    assert "ask: 'No'" in (folder / "d.yaml").read_text()
    again = call("d.yaml", "--diff")
    assert (again.returncode, again.stdout) == (0, "")


def test_github_is_chosen_where_it_runs_and_gives_way_to_a_format(call: Call) -> None:
    inside = call("d.yaml", GITHUB_ACTIONS="true")
    assert inside.returncode == 1
    assert "::error file=d.yaml,line=4," in inside.stdout
    asked = call("d.yaml", "--format", "json", GITHUB_ACTIONS="true")
    assert json.loads(asked.stdout)[0]["rule"] == "changed-scalar"


def test_settings_count_and_broken_ones_are_one_line(call: Call, folder: Path) -> None:
    (folder / "pyproject.toml").write_text('[tool.quiz.lint]\nselect = ["no-proof"]\n')
    assert "no-proof" not in call("d.yaml").stdout  # the card can't be read at all
    assert call("d.yaml").returncode == 0
    (folder / ".quiz.toml").write_text("slect = []\n")
    refused = call("d.yaml")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert len(refused.stderr.strip().splitlines()) == 1
    assert "slect" in refused.stderr


def test_excluded_files_are_linted_only_by_name(call: Call, folder: Path) -> None:
    (folder / ".quiz.toml").write_text('exclude = ["d.yaml"]\n')
    assert call(".").returncode == 0
    assert call("d.yaml").returncode == 1


def test_what_is_kept_is_said_again(call: Call, folder: Path, tmp_path: Path) -> None:
    first, second = call("d.yaml"), call("d.yaml")
    assert (second.returncode, second.stdout) == (first.returncode, first.stdout) != (0, "")
    if sys.platform == "linux":
        assert [path.suffix for path in (tmp_path / "cache").rglob("*.*")] == [".json"]
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["d.yaml", "--changed-since", "HEAD"], "--prove"),
        (["d.yaml", "--format", "yaml"], "yaml"),
        (["d.yaml", "--prove", "--changed-since", "HEAD"], "repository"),
    ],
)
def test_what_makes_no_sense_is_refused(
    arguments: list[str], word: str, call: Call, folder: Path
) -> None:
    (folder / "d.yaml").write_text(DECK.replace("No", "'No'"))
    refused = call(*arguments, GIT_CEILING_DIRECTORIES=str(folder.parent))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert word in refused.stderr
    assert "Traceback" not in refused.stderr


def test_proving_what_did_not_change_proves_nothing(call: Call, folder: Path) -> None:
    proof = "proof: {experiment: all-reduce-bytes, truth: [wire_sent == 1.5*payload ± 1%]}"
    (folder / "d.yaml").write_text(DECK.replace("No, answer: x", f"'No', answer: x, {proof}"))
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "d.yaml"], ["commit", "-q", "-m", "a deck"]):
        subprocess.run([*git, *command], check=True)
    unchanged = call("d.yaml", "--prove", "--changed-since", "HEAD", "--format", "json")
    assert (unchanged.returncode, json.loads(unchanged.stdout)) == (0, [])
    (folder / "d.yaml").write_text(
        (folder / "d.yaml").read_text().replace("answer: x", "answer: y")
    )
    changed = call("d.yaml", "--prove", "--changed-since", "HEAD", "--format", "json")
    [note] = json.loads(changed.stdout)
    assert (note["rule"], note["severity"], note["verdict"]) == ("proof", "info", "proven")
    assert note["reason"] is None
    assert 0 < note["seconds"] < 60
