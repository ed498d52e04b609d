"""A kept deck is the deck that was read."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from pathlib import Path

import pytest

from quiz.cache import Cache
from quiz.deck import kept
from quiz.deck.card import Card
from quiz.deck.content import content_hash
from quiz.deck.kept import loader
from quiz.deck.library import read_decks
from quiz.deck.load import load

FILES = sorted((Path(__file__).parents[3] / "decks").glob("*.yaml"))


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_shipped_decks_come_back_the_same(
    path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "_SMALLEST", 0)
    first = loader(cache)(path)
    monkeypatch.setattr(kept, "_parsed", None)  # what is kept isn't parsed again
    again = loader(cache)(path)
    assert first.deck is not None
    assert again.deck == first.deck == load(path).deck
    assert [*map(content_hash, again.deck.cards)] == [*map(content_hash, first.deck.cards)]
    assert again.places["deck",] == first.places["deck",]
    assert again.declared.keys() == first.declared.keys()


def test_a_card_is_read_when_it_is_asked_for_and_then_an_ordinary_one(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "_SMALLEST", 0)
    plain, again = [loader(cache)(FILES[0]).deck for _ in range(2)]
    assert plain is not None
    assert again is not None
    one, same = plain.cards[0], again.cards[0]
    assert "ask" not in vars(same)
    assert (same.key, same.after, same.idea) == (one.key, one.after, one.idea)
    assert "ask" not in vars(same)
    with ThreadPoolExecutor() as pool:
        assert set(pool.map(lambda _: same.ask, range(100))) == {one.ask}
    assert type(same) is Card
    assert vars(same).keys() - {"key"} == {field.name for field in fields(Card)}
    assert replace(again.cards[2], id="x").id == "x"


def test_a_change_is_seen(tmp_path: Path, cache: Cache) -> None:
    path = tmp_path / "d.yaml"
    text = FILES[0].read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    read = loader(cache)
    before = read(path)
    path.write_text(text.replace("title: ", "title: &x ", 1), encoding="utf-8")
    assert [problem.rule for problem in read(path).problems] == ["yaml-feature"]
    path.write_text(text, encoding="utf-8")
    assert read(path).deck == before.deck


def test_an_entry_of_another_shape_is_read_anew(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    for strange in ({}, [], 3, [1, 2, 3, 4], ["d", [1, 1], "t", [["a"]]], ["d", [1, 1], [], []]):
        found = (strange, memoryview(b"[]"))
        monkeypatch.setattr(cache, "get_with", lambda *_, found=found: found)
        assert loader(cache)(FILES[0]).deck == load(FILES[0]).deck


def test_two_decks_of_one_id_are_still_found(tmp_path: Path, cache: Cache) -> None:
    paths = [tmp_path / "a.yaml", tmp_path / "b.yaml"]
    for path in paths:
        path.write_bytes(FILES[0].read_bytes())
    for _ in range(2):
        _, second = read_decks(paths, loader(cache))
        assert [problem.rule for problem in second.problems] == ["duplicate-id"]


def test_a_missing_file_is_still_a_problem(tmp_path: Path, cache: Cache) -> None:
    assert [p.rule for p in loader(cache)(tmp_path / "no.yaml").problems] == ["unreadable"]
