"""What is refused, and that refusing changes nothing."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sqlite3
import tempfile
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from quiz.store import StoreFailed, StoreRefused, open_store
from quiz.store.schema import APPLICATION_ID, VERSION
from verify.api import ProofdeckError


def snapshot(home: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(home)): path.read_bytes() if path.is_file() else None
        for path in home.rglob("*")
    }


@pytest.fixture
def home(tmp_path, graded) -> Path:
    """A store with enough answers to fill many pages."""
    with open_store(tmp_path / "home", write=True) as store:
        store.insert(
            event.__class__(**{**fields(event), "counter": number + 1})
            for number, event in enumerate(graded(f"deck/{n}", raw="x" * 200) for n in range(400))
        )
    return tmp_path / "home"


def fields(event) -> dict[str, object]:
    return {name: getattr(event, name) for name in event.__slots__}


def foreign(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE notes (text)")
    connection.close()


def newer(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()


def no_database(path: Path) -> None:
    path.write_text("my notes on all-reduce\n" * 20)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "kept.txt").write_text("kept")


def short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:60])


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def scribbled(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096 * 5 : 4096 * 15] = b"\xa5" * (4096 * 10)
    path.write_bytes(bytes(data))


def dropped(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE events")
    connection.close()


REFUSALS = {
    foreign: "another program",
    newer: "a newer release",
    no_database: "not a database",
    empty: "not a database",
    folder: "a folder, not a file",
    short: "damaged",
    truncated: "damaged",
    scribbled: "damaged",
    dropped: "tables are missing",
}


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize("spoil", REFUSALS, ids=lambda spoil: spoil.__name__)
def test_a_file_that_is_not_ours_to_open_stays_as_it_is(home, spoil, write) -> None:
    spoil(home / "quiz.db")
    before = snapshot(home)
    with pytest.raises(StoreRefused, match=REFUSALS[spoil]) as refusal:
        open_store(home, write=write)
    assert snapshot(home) == before
    for language in ("ja", "en"):
        message, hint = refusal.value.render(language).split("\n")
        assert str(home / "quiz.db") in message
        assert hint.strip()
    assert refusal.value.exit_code == 2


def test_a_path_is_named_as_it_is_and_steers_no_terminal(tmp_path) -> None:
    """U+3000, the space of Japanese, is no control character: the name must lead to the file."""
    home = tmp_path / "学習　記録\x1b[2J"
    (home / "quiz.db").mkdir(parents=True)
    with pytest.raises(StoreRefused) as refusal:
        open_store(home, write=True)
    for language in ("ja", "en"):
        assert r"学習　記録\x1b[2J/quiz.db" in refusal.value.render(language)


def test_a_device_and_a_dead_link_are_refused(tmp_path) -> None:
    (tmp_path / "quiz.db").symlink_to("nowhere")
    with pytest.raises(StoreRefused, match="leads nowhere"):
        open_store(tmp_path, write=True)
    (tmp_path / "quiz.db").unlink()
    os.mkfifo(tmp_path / "quiz.db")
    with pytest.raises(StoreRefused, match="not a regular file"):
        open_store(tmp_path, write=True)


def test_a_home_on_a_disk_that_is_not_there_is_no_empty_log(tmp_path) -> None:
    (tmp_path / "link").symlink_to("unmounted")
    for home in (tmp_path / "link", tmp_path / "link" / "within"):
        for write in (True, False):
            with pytest.raises(StoreRefused, match="link: this link leads nowhere"):
                open_store(home, write=write)
    assert not (tmp_path / "unmounted").exists()


def test_a_home_that_is_a_file_is_refused(tmp_path) -> None:
    (tmp_path / "home").write_text("x")
    for write in (True, False):
        with pytest.raises(StoreRefused, match="not a folder"):
            open_store(tmp_path / "home", write=write)
    with pytest.raises((StoreRefused, StoreFailed)):
        open_store(tmp_path / "home" / "deeper", write=True)


def test_reading_where_nothing_was_written_creates_nothing(tmp_path) -> None:
    with open_store(tmp_path / "home", write=False) as store:
        assert list(store.events()) == []
        assert store.state().cards == {}
        assert store.evidence("x") is None
    assert list(tmp_path.iterdir()) == []


def test_reading_leaves_the_folder_as_it_was(home) -> None:
    before = snapshot(home)
    with open_store(home, write=False) as store:
        assert len(list(store.events())) == 400
    assert snapshot(home) == before


def test_the_file_says_whose_it_is(home) -> None:
    header = (home / "quiz.db").read_bytes()[:100]
    assert int.from_bytes(header[68:72]) == APPLICATION_ID
    assert int.from_bytes(header[60:64]) == VERSION
    assert [path.name for path in home.iterdir()] == ["quiz.db"]


def test_odd_names_of_folders_work(tmp_path, graded) -> None:
    home = tmp_path / "a?b#c%20 データ"
    with open_store(home, write=True) as store:
        store.append(graded())
    with open_store(home, write=False) as store:
        assert len(list(store.events())) == 1


def test_writing_through_a_reader_is_refused(home, graded) -> None:
    with open_store(home, write=False) as store, pytest.raises(StoreRefused, match="be written"):
        store.append(graded())


def read_and_try_to_write(home: Path, results: Connection) -> None:
    """As someone without root's right to write everywhere."""
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    with open_store(home, write=False) as store:
        results.send(len(list(store.events())))
    try:
        open_store(home, write=True)
    except ProofdeckError as error:
        results.send(error.render("en"))


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("with_log_beside", [False, True])
def test_a_folder_that_cannot_be_written_is_read(graded, with_log_beside) -> None:
    root = Path(tempfile.mkdtemp())
    home = root / "home"
    store = open_store(home, write=True)
    try:
        for number in range(7):
            store.append(graded(f"deck/{number}"))
        if with_log_beside:  # as a killed process leaves it
            copy = root / "copy"
            shutil.copytree(home, copy)
            (copy / "quiz.db-shm").unlink()
            home = copy
        store.close()
        for path in home.iterdir():
            path.chmod(0o444)
        home.chmod(0o555)
        root.chmod(0o755)
        before = snapshot(home)
        fork = multiprocessing.get_context("fork")  # the interpreter may lie where root alone reads
        ours, theirs = fork.Pipe(duplex=False)
        reader = fork.Process(target=read_and_try_to_write, args=(home, theirs))
        reader.start()
        assert ours.poll(30)
        assert ours.recv() == 7
        assert ours.poll(30)
        message, hint = ours.recv().split("\n")
        assert f"{home / 'quiz.db'}: this can't be written" in message
        assert "QUIZ_HOME" in hint
        reader.join(30)
        assert snapshot(home) == before
    finally:
        store.close()
        home.chmod(0o755)
        shutil.rmtree(root)
