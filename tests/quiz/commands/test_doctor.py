"""`quiz doctor`: what it finds, that it writes nothing unasked, and reattaching."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from quiz.store import open_store


@pytest.fixture
def doctor(inside, graded_home, deck_file):
    """Its exit code and record. The deck stands, so that nothing is an orphan."""

    def run(*more: object) -> tuple[int, dict]:
        words = ("doctor", deck_file(3), "--json", *more)
        code, out, errors = inside(*words, QUIZ_HOME=str(graded_home))
        assert errors == ""
        return code, json.loads(out)

    return run


def edit(home: Path, *statements: str) -> None:
    """Write as another program might, past our triggers."""
    with sqlite3.connect(home / "quiz.db") as connection:
        query = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
        triggers = connection.execute(query).fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        for _, sql in triggers:
            connection.execute(sql)
    connection.close()


def test_a_sound_log_has_no_findings_and_nothing_is_written(doctor, graded_home) -> None:
    before = {path.name: path.read_bytes() for path in graded_home.iterdir()}
    assert doctor() == (0, {"events": 2, "orphans": [], "findings": []})
    assert {path.name: path.read_bytes() for path in graded_home.iterdir()} == before


def test_without_a_log_there_is_nothing_to_find(inside, home) -> None:
    assert inside("doctor")[0] == 0
    assert not home.exists()


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("CREATE TABLE notes (text)", "table notes isn't of proofdeck's making"),
        ("DROP INDEX events_card", "index events_card is missing"),
        ("UPDATE events SET parameters = '[]' WHERE seq = 1", "can't be read as an event"),
        ("UPDATE events SET choice_order = '{}' WHERE seq = 2", "can't be read as an event"),
        ("UPDATE events SET seconds = 9e999 WHERE seq = 2", "can't be read as an event"),
        ("UPDATE events SET day = day + 900 WHERE seq = 2", "dated 900 days ahead"),
        (
            "INSERT INTO evidence (key, experiment, at, json) VALUES ('k', 'x', '2026', '{')",
            "Evidence k can't be read",
        ),
        (
            "INSERT INTO events (id, counter, at, offset, day, kind, clamped, card, target, schema)"
            " VALUES ('u', 3, '2026-10-01T00:00:00+00:00', 0, 20727, 'undo', 0, 'many/c000', '?',"
            " 1)",
            "Row u undoes an answer that isn't here",
        ),
        (
            "INSERT INTO events (id, counter, at, offset, day, kind, clamped, value, schema)"
            " VALUES ('p', 3, '2026-10-01T00:00:00+00:00', 0, 20727, 'parameters', 0,"
            " '{\"w\": [1]}', 1)",
            "parameters in row p can't be used",
        ),
    ],
)
def test_each_finding_is_named_and_exits_with_1(doctor, graded_home, statement, said) -> None:
    edit(graded_home, statement)
    before = (graded_home / "quiz.db").read_bytes()
    code, record = doctor()
    assert code == 1
    assert len(record["findings"]) == 1
    assert said in record["findings"][0]
    assert (graded_home / "quiz.db").read_bytes() == before


def test_an_index_that_disagrees_with_its_table_is_damage(doctor, graded_home) -> None:
    """quick_check, done whenever a store is opened, doesn't look for this."""
    with sqlite3.connect(graded_home / "quiz.db") as connection:
        connection.execute("PRAGMA writable_schema = ON")
        query = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
        (card,), (counter,) = (
            connection.execute(query, (name,)).fetchone()
            for name in ("events_undone", "events_counter")
        )
        swap = "UPDATE sqlite_schema SET rootpage = ? WHERE name = ?"
        connection.execute(swap, (card, "events_counter"))
        connection.execute(swap, (counter, "events_undone"))
    connection.close()
    code, record = doctor()
    assert code == 1
    assert any("The file is damaged" in finding for finding in record["findings"])


def test_files_that_others_can_read_are_named(doctor, graded_home) -> None:
    (graded_home / "quiz.db").chmod(0o644)
    graded_home.chmod(0o777)
    code, record = doctor()
    assert code == 1
    folder, file = record["findings"]
    assert folder.endswith("Close it with chmod 700.")
    assert file.endswith("Close it with chmod 600.")
    assert (graded_home / "quiz.db").stat().st_mode & 0o777 == 0o644


def test_orphans_are_listed_and_reattached(inside, graded_home, deck_file) -> None:
    around = {"QUIZ_HOME": str(graded_home)}
    renamed = deck_file(2, deck="lots")
    code, out, _ = inside("doctor", renamed, **around)
    assert code == 1
    assert "many/c000: no deck has this card (answers: 1)." in out
    assert "quiz doctor --reattach OLD NEW" in out

    for old, new, said in (
        ("many/c000", "lots/c009", "There is no card lots/c009"),
        ("many/c007", "lots/c000", "There is no history of many/c007"),
        ("none", "lots", "No history of none fits a card of lots"),
    ):
        code, out, errors = inside("doctor", renamed, "--reattach", old, new, **around)
        assert (code, out) == (2, "")
        assert said in errors

    code, out, _ = inside("doctor", renamed, "--reattach", "many", "lots", **around)
    assert (code, out) == (0, " many/c000 → lots/c000\n many/c001 → lots/c001\n")
    assert inside("doctor", renamed, **around)[0] == 0
    _, out, _ = inside("reviews", "--json", **around)
    assert [json.loads(line)["card"] for line in out.splitlines()] == ["lots/c000", "lots/c001"]
    code, out, _ = inside("due", renamed, "--json", **around)
    assert (json.loads(out)["due"], json.loads(out)["new"]) == (1, 0)


def test_a_wrong_reattachment_is_mended_by_another(inside, graded_home, deck_file) -> None:
    around, renamed = {"QUIZ_HOME": str(graded_home)}, deck_file(2, deck="lots")
    for new in ("lots/c001", "lots/c000"):
        words = ("doctor", renamed, "--reattach", "many/c000", new)
        assert inside(*words, **around)[0] == 0
    with open_store(graded_home, write=False) as store:
        state = store.state()
    assert (state.of("lots/c000").answers, state.of("lots/c001").answers) == (1, 0)


def test_the_history_of_a_card_that_is_there_stays_with_it(inside, graded_home, deck_file) -> None:
    around, deck = {"QUIZ_HOME": str(graded_home)}, deck_file(3)
    words = ("doctor", deck, "--reattach", "many/c000", "many/c002")
    code, out, errors = inside(*words, **around)
    assert (code, out) == (2, "")
    assert "many/c000 is still in a deck" in errors
