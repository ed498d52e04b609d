"""A deck edited, renamed, moved or deleted, between sittings and while one is open."""

from __future__ import annotations

import json

import pexpect
import pytest


def edit(path) -> None:
    text = path.read_text()
    path.write_text(text.replace("Card 000 of the deck", "Card 000 put differently"))


def rename(path) -> None:
    path.rename(path.with_name("other-name.yaml"))


def move(path) -> None:
    (path.parent / "deeper").mkdir()
    path.rename(path.parent / "deeper" / path.name)


@pytest.mark.parametrize("change", [edit, rename, move])
def test_a_deck_changed_between_sittings_keeps_its_history(
    inside, graded_home, deck_file, change
) -> None:
    own = graded_home / "decks"
    own.mkdir()
    path = deck_file(3).rename(own / "many.yaml")
    around = {"QUIZ_HOME": str(graded_home)}
    change(path)
    code, out, _ = inside("due", "many", "--json", **around)
    assert code == 0
    assert (json.loads(out)["due"], json.loads(out)["new"]) == (1, 1)
    assert inside("doctor", **around)[0] == 0


def test_a_deleted_deck_leaves_its_history_and_finds_it_again(
    inside, graded_home, deck_file
) -> None:
    around = {"QUIZ_HOME": str(graded_home)}
    deck_file(3).unlink()
    code, out, _ = inside("doctor", "--json", **around)
    assert code == 1
    orphans = json.loads(out)["orphans"]
    assert orphans == [{"card": "many/c000", "answers": 1}, {"card": "many/c001", "answers": 1}]
    assert len(inside("reviews", "--json", **around)[1].splitlines()) == 2
    code, out, _ = inside("due", deck_file(3), "--json", **around)
    assert (json.loads(out)["due"], json.loads(out)["new"]) == (1, 1)


@pytest.mark.parametrize("change", [edit, rename, move, lambda path: path.unlink()])
def test_a_deck_changed_while_a_sitting_is_open_keeps_its_history(
    terminal, answers, deck_file, change
) -> None:
    path = deck_file(3)
    sitting = terminal("study", path, "--plain")
    for line in ("", "3"):
        sitting.expect_exact("> ")
        sitting.sendline(line)
    sitting.expect_exact("Card 001 of the deck")
    change(path)
    for line in ("", "1", "", "2", "q"):
        sitting.expect_exact("> ")
        sitting.sendline(line)
    sitting.expect(pexpect.EOF)
    sitting.wait()
    assert sitting.exitstatus == 0
    assert answers() == [("many/c000", 3), ("many/c001", 1), ("many/c002", 2)]
