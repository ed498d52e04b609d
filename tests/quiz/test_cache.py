"""What is kept, what makes it stale, and that nothing in the folder is trusted."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from quiz import cache as caching
from quiz.cache import Cache, key_of, usual


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def entries(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache").iterdir())


def test_a_value_comes_back(cache: Cache) -> None:
    assert cache.get("deck", "k") is None
    cache.put("deck", "k", {"問い": [1, None, 0.5]})
    assert cache.get("deck", "k") == {"問い": [1, None, 0.5]}
    assert cache.get("lint", "k") is None


def test_more_comes_back_as_it_was(cache: Cache) -> None:
    cache.put("deck", "k", ["a\nb"], b"\n\x00\xff\n")
    assert cache.get("deck", "k") == ["a\nb"]
    assert cache.get_with("deck", "k") == (["a\nb"], b"\n\x00\xff\n")


@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b"not a sum\n[1]", b"\xff\xfe\n[1]", b"0" * 8 + b"\n[1]", b"[" * 10**6],
)
def test_a_damaged_entry_is_none(cache: Cache, tmp_path: Path, data: bytes) -> None:
    cache.put("deck", "k", [1])
    [path] = entries(tmp_path)
    path.write_bytes(data)
    assert cache.get("deck", "k") is None


def test_a_truncated_entry_is_none(cache: Cache, tmp_path: Path) -> None:
    cache.put("deck", "k", list(range(100)))
    [path] = entries(tmp_path)
    path.write_bytes(path.read_bytes()[:-3])
    assert cache.get("deck", "k") is None


def test_endless_brackets_behind_a_right_checksum_are_none(cache: Cache, tmp_path: Path) -> None:
    cache.put("deck", "k", [1])
    [path] = entries(tmp_path)
    payload = b"[" * 10**6
    path.write_bytes(caching._checksum(payload) + b"\n" + payload)
    assert cache.get("deck", "k") is None


def test_a_folder_that_can_not_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    cache = Cache(blocked / "cache")
    cache.put("deck", "k", [1])
    assert cache.get("deck", "k") is None


def test_only_the_newest_entries_stay(
    cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caching, "MOST_ENTRIES", 3)
    for number in range(5):
        cache.put("deck", f"k{number}", number)
        os.utime(tmp_path / "cache" / f"deck-k{number}.json", ns=(number, number))
    assert [path.name for path in entries(tmp_path)] == [f"deck-k{n}.json" for n in (2, 3, 4)]
    assert json.loads(entries(tmp_path)[0].read_bytes().split(b"\n")[1]) == 2


def test_a_key_belongs_to_its_parts_and_to_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    assert key_of(["ab", "c"]) != key_of(["a", "bc"])
    assert key_of(["a"]) == key_of([b"a"])
    before = key_of(["a"])
    assert key_of(["a"], code=()) != before
    monkeypatch.setattr(caching, "_program", lambda _: b"another")
    assert key_of(["a"]) != before


def test_an_unchanged_file_is_not_read_again(
    cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "deck.yaml"
    path.write_bytes(b"one")
    key, data = cache.content_of(path, Path.read_bytes)
    assert data == b"one"
    # Within two seconds of a change another one could share its instant: the file is read.
    assert cache.content_of(path, Path.read_bytes) == (key, b"one")
    monkeypatch.setattr(caching, "_RACE", -(10**18))
    assert cache.content_of(path, Path.read_bytes) == (key, None)
    path.write_bytes(b"two")
    changed, data = cache.content_of(path, Path.read_bytes)
    assert (changed != key, data) == (True, b"two")
    kept = path.stat()
    path.write_bytes(b"six")
    os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))  # as copying with times does
    assert cache.content_of(path, Path.read_bytes)[1] == b"six"
    path.write_bytes(b"one")
    assert cache.content_of(path, Path.read_bytes)[0] == key


@pytest.mark.skipif(sys.platform != "linux", reason="XDG folders")
def test_where_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    usual().put("deck", "k", [1])
    assert [path.name for path in (tmp_path / "proofdeck").iterdir()] == ["deck-k.json"]
