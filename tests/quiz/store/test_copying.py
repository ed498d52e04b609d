"""Copies taken while others write."""

from __future__ import annotations

import sqlite3
import stat
import threading

import pytest

from quiz.store import StoreFailed, StoreRefused, open_log, open_store
from quiz.store.copying import copy


def test_a_copy_taken_while_another_writes_is_whole(tmp_path, graded) -> None:
    """Each copy holds a beginning of the log: every row up to some counter, none above it."""
    stop = threading.Event()

    def write() -> None:
        with open_store(tmp_path / "home", write=True) as store:
            while not stop.is_set():
                store.append(graded(raw="x" * 500))

    with open_store(tmp_path / "home", write=True) as store:
        store.append(graded())
        writer = threading.Thread(target=write)
        writer.start()
        lengths = []
        try:
            for number in range(20):
                copy(store.connection, tmp_path / f"{number}.db")
        finally:
            stop.set()
            writer.join()
        events = {event.id: event for event in store.events()}
    for number in range(20):
        with open_log(tmp_path / f"{number}.db") as log:
            copied = list(log.events())
        assert all(events[event.id] == event for event in copied)
        assert sorted(event.counter for event in copied) == list(range(1, len(copied) + 1))
        lengths.append(len(copied))
    assert lengths == sorted(lengths)
    assert lengths[-1] > lengths[0]


def test_a_copy_is_the_owners_alone_and_nothing_lies_beside_it(tmp_path, graded) -> None:
    with open_store(tmp_path / "home", write=True) as store:
        store.append(graded())
        copy(store.connection, tmp_path / "copy.db")
    assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o600
    assert {path.name for path in tmp_path.iterdir()} == {"home", "copy.db"}


def test_what_is_there_stays_unless_it_is_to_be_replaced(tmp_path, graded) -> None:
    target, link = tmp_path / "copy.db", tmp_path / "link.db"
    target.write_text("mine")
    link.symlink_to("nowhere")
    with open_store(tmp_path / "home", write=True) as store:
        store.append(graded())
        for taken in (target, link):
            with pytest.raises(StoreRefused, match="exists already and was not overwritten"):
                copy(store.connection, taken)
        assert target.read_text() == "mine"
        assert link.is_symlink()
        copy(store.connection, target, replace=True)
    with open_log(target) as log:
        assert len(list(log.events())) == 1


def test_a_database_in_use_is_not_replaced(tmp_path, graded) -> None:
    """Its log would be read into the new file."""
    with (
        open_store(tmp_path / "home", write=True) as store,
        open_store(tmp_path / "other", write=True) as other,
    ):
        written = other.append(graded())
        with pytest.raises(StoreRefused, match="in use and was not replaced"):
            copy(store.connection, other.path, replace=True)
        assert list(other.events()) == [written]


def test_where_nothing_can_be_written_nothing_is_left(tmp_path, graded) -> None:
    with open_store(tmp_path / "home", write=True) as store:
        store.append(graded())
        with pytest.raises(StoreFailed, match="can't be created"):
            copy(store.connection, tmp_path / "no" / "such" / "folder.db")
        folder = tmp_path / "folder"
        folder.mkdir()
        link = tmp_path / "link"
        link.symlink_to(folder)
        for taken in (folder, link):
            with pytest.raises(StoreFailed, match="can't be created"):
                copy(store.connection, taken, replace=True)
        assert link.is_symlink()
    assert {path.name for path in tmp_path.iterdir()} == {"home", "folder", "link"}
    assert list(folder.iterdir()) == []


def test_a_damaged_source_gives_no_copy(tmp_path, graded) -> None:
    """The copy is checked before it gets its name."""
    home = tmp_path / "home"
    with open_store(home, write=True) as store:
        for number in range(200):
            store.append(graded(f"deck/{number}", raw="x" * 300))
    data = bytearray((home / "quiz.db").read_bytes())
    data[4096 * 20 : 4096 * 22] = b"\xa5" * 8192
    (home / "quiz.db").write_bytes(bytes(data))
    source = sqlite3.connect(home / "quiz.db", isolation_level=None)
    with pytest.raises(StoreRefused, match="damaged"):
        copy(source, tmp_path / "copy.db")
    source.close()
    assert {path.name for path in tmp_path.iterdir()} == {"home"}
