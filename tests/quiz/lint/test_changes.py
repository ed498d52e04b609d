"""Which cards changed since a revision, in small repositories."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from quiz.deck.library import read_decks
from quiz.lint import changes
from quiz.lint.changes import changed_cards
from verify.api import UsageError

ONE = "  - {id: one, kind: recall, ask: Who?, answer: A, proof: {experiment: all-reduce-bytes}}\n"
TWO = "  - {id: two, kind: recall, ask: What?, answer: B}\n"
HEAD = "deck: d\ntitle: t\ncards:\n"
Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    def run(*arguments: str) -> str:
        name = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        command = ["git", "-C", str(tmp_path), *name, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    run("init", "--quiet")
    (tmp_path / "d.yaml").write_text(HEAD + ONE + TWO)
    run("add", "d.yaml")
    run("commit", "--quiet", "-m", "decks")
    return run


def changed(folder: Path, revision: str = "HEAD") -> list[str]:
    return [card.id for card in changed_cards(read_decks(sorted(folder.glob("*.yaml"))), revision)]


def test_nothing_changed_by_comments_and_order(tmp_path: Path, git: Git) -> None:
    (tmp_path / "d.yaml").write_text("# new\n" + HEAD + TWO + ONE)
    assert changed(tmp_path) == []


def test_an_edited_card_and_a_new_file(tmp_path: Path, git: Git) -> None:
    (tmp_path / "d.yaml").write_text(HEAD + ONE + TWO.replace("What?", "When?"))
    (tmp_path / "e.yaml").write_text(HEAD.replace("deck: d", "deck: e") + ONE)
    assert changed(tmp_path) == ["two", "one"]


def test_a_tag_and_a_file_that_was_broken_then(tmp_path: Path, git: Git) -> None:
    (tmp_path / "d.yaml").write_text("deck: [")
    git("commit", "--quiet", "-am", "break it")
    git("tag", "broken")
    (tmp_path / "d.yaml").write_text(HEAD + ONE + TWO)
    assert changed(tmp_path, "broken") == ["one", "two"]
    assert changed(tmp_path, "broken~1") == []


def test_a_changed_experiment(tmp_path: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "experiment.py"
    monkeypatch.setattr(changes.inspect, "getsourcefile", lambda _: str(file))
    changes._changed_experiment.cache_clear()
    file.write_text("a = 1\n")
    assert changed(tmp_path) == ["one"]  # not in the repository yet
    git("add", "experiment.py")
    git("commit", "--quiet", "-m", "an experiment")
    changes._changed_experiment.cache_clear()
    assert changed(tmp_path) == []
    file.write_text("a = 2\n")
    changes._changed_experiment.cache_clear()
    assert changed(tmp_path) == ["one"]
    changes._changed_experiment.cache_clear()


@pytest.mark.parametrize("revision", ["no-such", "--help", "-p", "", "HEAD\n", "HEAD..HEAD", "\0"])
def test_what_is_no_revision(tmp_path: Path, git: Git, revision: str) -> None:
    with pytest.raises(UsageError):
        changed(tmp_path, revision)


def test_outside_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / "d.yaml").write_text(HEAD + ONE)
    with pytest.raises(UsageError, match="in no git repository"):
        changed(tmp_path)
