"""A database of an earlier release becomes one of this release, and a copy of it is kept."""

from __future__ import annotations

import sqlite3
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from quiz.store import StoreFailed, StoreRefused, open_store, schema

DUMPS = Path(__file__).parents[2] / "data" / "stores"


def database(home: Path, version: int) -> Path:
    """A store as the release with that version of the schema left it."""
    home.mkdir()
    with sqlite3.connect(home / "quiz.db", isolation_level=None) as connection:
        connection.executescript((DUMPS / f"version-{version}.sql").read_text(encoding="utf-8"))
        connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    return home / "quiz.db"


def tables(connection: sqlite3.Connection) -> dict[str, str]:
    query = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"
    return dict(connection.execute(query))


def add_notes(database) -> None:
    database.execute("CREATE TABLE notes (text TEXT) STRICT")


def add_notes_badly(database) -> None:
    database.execute("CREATE TABLE notes (text TEXT) STRICT")
    raise sqlite3.OperationalError("no such function")


def lose_a_row(database) -> None:
    database.execute("DROP TRIGGER events_not_deleted")
    database.execute("DELETE FROM events WHERE seq = 1")


@pytest.fixture
def release(monkeypatch):
    """For a while, make this the next release, whose schema takes one more step."""

    @contextmanager
    def next_release(step):
        with monkeypatch.context() as context:
            context.setattr(schema, "STEPS", (*schema.STEPS, step))
            context.setattr(schema, "VERSION", schema.VERSION + 1)
            yield

    return next_release


def test_every_version_has_its_dump() -> None:
    assert {path.stem for path in DUMPS.iterdir()} == {
        f"version-{version}" for version in range(1, schema.VERSION + 1)
    }


@pytest.mark.parametrize("version", range(1, schema.VERSION + 1))
def test_every_version_is_read_as_it_is_and_upgraded_to_write(tmp_path, graded, version) -> None:
    path = database(tmp_path / "home", version)
    before = path.read_bytes()
    with open_store(path.parent, write=False) as store:
        events, state = list(store.events()), store.state()
        store.setting("plan")
    assert path.read_bytes() == before
    assert len(events) == 11
    assert state.of("dp/hold").answers == 3
    with open_store(path.parent, write=True) as store:
        assert (list(store.events()), store.state()) == (events, state)
        with open_store(tmp_path / "fresh", write=True) as fresh:
            assert tables(store.connection) == tables(fresh.connection)
        assert store.connection.execute("PRAGMA user_version").fetchone() == (schema.VERSION,)
        assert store.append(graded()).counter == 12
    copies = list(path.parent.glob("quiz.version-*.db"))
    assert len(copies) == (version < schema.VERSION)
    for copy in copies:
        assert copy.name == f"quiz.version-{version}.db"
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
        copied = sqlite3.connect(copy)
        assert copied.execute("PRAGMA user_version").fetchone() == (version,)
        assert copied.execute("SELECT count(*) FROM events").fetchone() == (11,)
        copied.close()


def test_the_next_release_upgrades_this_one_and_this_one_refuses_it(
    tmp_path, graded, release
) -> None:
    home = tmp_path / "home"
    with open_store(home, write=True) as store:
        written = store.append(graded())
    with release(add_notes):
        with open_store(home, write=False) as store:
            assert "notes" in tables(store.connection)
            assert list(store.events()) == [written]
        assert [path.name for path in home.iterdir()] == ["quiz.db"]
        for _ in range(2):
            with open_store(home, write=True) as store:
                assert list(store.events()) == [written]
    assert {path.name for path in home.iterdir()} == {
        "quiz.db",
        f"quiz.version-{schema.VERSION}.db",
    }
    with pytest.raises(StoreRefused, match="newer release"):
        open_store(home, write=True)


@pytest.mark.parametrize(
    ("step", "error"), [(add_notes_badly, StoreFailed), (lose_a_row, sqlite3.IntegrityError)]
)
def test_an_upgrade_that_goes_wrong_changes_nothing(tmp_path, graded, release, step, error) -> None:
    home = tmp_path / "home"
    with open_store(home, write=True) as store:
        written = store.append(graded())
    for _ in range(2):
        with release(step), pytest.raises(error):
            open_store(home, write=True)
    with open_store(home, write=True) as store:
        assert list(store.events()) == [written]
        assert "notes" not in tables(store.connection)
    copies = {path.name for path in home.glob("quiz.version-*")}
    assert copies == {f"quiz.version-{schema.VERSION}{more}.db" for more in ("", "-2")}


def test_of_two_that_upgrade_at_once_one_does_and_one_copy_is_kept(tmp_path) -> None:
    path = database(tmp_path / "home", 1)
    start = threading.Barrier(4)

    def upgrade(_: int) -> int:
        start.wait(30)
        with open_store(path.parent, write=True) as store:
            return len(list(store.events()))

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(upgrade, range(4))) == [11] * 4
    assert [copy.name for copy in path.parent.glob("quiz.version-*")] == ["quiz.version-1.db"]
