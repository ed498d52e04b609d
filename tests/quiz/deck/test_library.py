from __future__ import annotations

from pathlib import Path

import pytest

from quiz.deck.library import deck_id, find_decks, own_decks, shipped_decks
from verify.api import UsageError


def write(path: Path, deck: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# a deck\ndeck: {deck}\ntitle: T\ncards: []\n")
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write(tmp_path / "decks" / "any-name.yaml", "mine")
    write(tmp_path / "decks" / ".hidden.yaml", "hidden")
    write(tmp_path / "decks" / "nested" / "deep.yml", "deep")
    (tmp_path / "decks" / "notes.txt").write_text("no deck")
    return tmp_path


def test_a_deck_is_found_by_its_id_whatever_its_file_is_called(home: Path) -> None:
    assert find_decks(["mine"], home) == (home / "decks" / "any-name.yaml",)


def test_a_path_a_folder_and_nothing_twice(home: Path) -> None:
    file = str(home / "decks" / "any-name.yaml")
    found = find_decks([file, str(own_decks(home)), "mine"], home)
    assert [path.name for path in found] == ["any-name.yaml", "deep.yml"]


def test_no_names_mean_shipped_and_own_decks(home: Path) -> None:
    found = find_decks([], home)
    assert found[-2:] == find_decks([str(own_decks(home))], home)
    assert all(path.is_relative_to(shipped_decks()) for path in found[:-2])


def test_an_unknown_name_suggests_a_known_one(home: Path) -> None:
    with pytest.raises(UsageError) as caught:
        find_decks(["mime"], home)
    assert caught.value.hint is not None
    assert caught.value.hint.pick("en") == "Did you mean mine?"


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "\x1b[31m"])
def test_a_hostile_name_is_one_message(name: str, home: Path) -> None:
    with pytest.raises(UsageError) as caught:
        find_decks([name], home)
    assert "\x1b" not in caught.value.render("en")


def test_an_empty_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no deck in"):
        find_decks([str(tmp_path)], tmp_path)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("deck: a-b\n", "a-b"),  # the rest is missing, yet the head names it
        ("title: T\ndeck: 'quoted'\ncards: [{id: a, kind: recall, ask: q, answer: b}]\n", "quoted"),
        ("{deck: flow, title: T, cards: [{id: a, kind: recall, ask: q, answer: b}]}", "flow"),
        ("nothing: here\n", None),
    ],
)
def test_the_id_in_a_file(text: str, found: str | None, tmp_path: Path) -> None:
    path = tmp_path / "d.yaml"
    path.write_text(text)
    assert deck_id(path) == found
