"""The union of logs: the same in either order, whatever the clocks said; nothing bad gets in."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quiz.events import EventKind, Grade
from quiz.store import StoreRefused, open_log, open_store
from quiz.store.merging import LAST_COUNTER, Merged, merge

ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["answer", "answer", "answer", "undo", "flag", "suspend", "reattach"]),
        st.sampled_from("abc"),
        st.sampled_from(Grade),
        st.integers(-40, 400),  # days by which this machine's clock is off
    ),
    max_size=8,
)


@pytest.fixture
def play(graded, at):
    """Do what a machine did, by its own clock."""

    def perform(store, actions) -> None:
        for kind, letter, grade, days in actions:
            card = f"deck/{letter}"
            if kind == "answer":
                store.append(graded(card, grade, days))
            elif kind == "undo":
                if (last := store.state().of(card).last_answer) is not None:
                    store.append(at(days).event(EventKind.UNDO, card=card, target=last))
            elif kind == "reattach":
                store.append(at(days).event(EventKind.REATTACH, card=card, target="deck/c"))
            else:
                store.append(at(days).event(EventKind(kind), card=card))

    return perform


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(ACTIONS, ACTIONS, ACTIONS)
def test_copied_folders_that_went_separate_ways_come_together(
    tmp_path_factory, play, before, here, there
) -> None:
    """The copy has the same ids and counters; both sides go on counting from there."""
    root = tmp_path_factory.mktemp("machines")
    with open_store(root / "here", write=True) as store:
        play(store, before)
    shutil.copytree(root / "here", root / "there")
    for name, actions in (("here", here), ("there", there)):
        with open_store(root / name, write=True) as store:
            play(store, actions)
        shutil.copytree(root / name, root / f"{name}-alone")
    with ExitStack() as stack:
        one, two = (
            stack.enter_context(open_store(root / n, write=True)) for n in ("here", "there")
        )
        for store, other in ((one, "there-alone"), (two, "here-alone")):
            with open_log(root / other / "quiz.db") as log:
                total = len(list(log.events()))
                first = merge(store, log)
                assert first.added + first.known == total
                assert merge(store, log) == Merged(0, total)
        assert list(one.events()) == list(two.events())
        assert one.state() == two.state()
        state = one.state()
        for card in state.cards:
            assert one.refreshed(state, card).of(card) == state.of(card)
        highest = max((event.counter for event in one.events()), default=0)
        play(one, [("answer", "a", Grade.GOOD, 0)])
        assert max(event.counter for event in one.events()) == highest + 1


def test_three_logs_merge_the_same_in_any_order(tmp_path, play) -> None:
    actions = {"a": 0, "b": -30, "c": 365}  # one clock is a month slow, one a year fast
    for name, days in actions.items():
        with open_store(tmp_path / name, write=True) as store:
            play(store, [("answer", "a", Grade.GOOD, days), ("answer", name, Grade.HARD, days + 1)])
    merged = []
    for order in ("abc", "cab", "bca", "cba"):
        with open_store(tmp_path / order, write=True) as store:
            for name in order:
                with open_log(tmp_path / name / "quiz.db") as other:
                    merge(store, other)
            merged.append((list(store.events()), store.state()))
    assert len(merged[0][0]) == 6
    assert all(each == merged[0] for each in merged)


@pytest.fixture
def other(tmp_path, graded) -> Path:
    """Another log: a folder with two answers."""
    with open_store(tmp_path / "other", write=True) as store:
        store.append(graded("deck/x"))
        store.append(graded("deck/y"))
    return tmp_path / "other" / "quiz.db"


def spoilt(path: Path, *statements: str) -> Path:
    """Edit a log as a program of someone else's might."""
    with sqlite3.connect(path) as connection:
        triggers = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
        kept = connection.execute(triggers).fetchall()
        for name, _ in kept:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        for _, sql in kept:
            connection.execute(sql)
    connection.close()
    return path


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("counter", LAST_COUNTER + 1),
        ("counter", 2**63 - 1),
        ("card", "'deck/\x1b[2J'"),
        ("card", "'deck/\u202ex'"),
        ("card", f"'{'x' * 300}'"),
        ("id", "'\x07'"),
        ("seconds", "9e999"),
        ("at", "'yesterday'"),
        ("at", "'2026-10-01T00:00:00'"),
        ("raw", f"'{'x' * 70_000}'"),
        ("value", """'{"x": NaN}'"""),
        ("parameters", "'[]'"),
        ("choice_order", f"'{'[' * 50_000}'"),
    ],
)
def test_a_row_that_no_log_of_ours_holds_lets_nothing_in(tmp_path, other, field, value) -> None:
    spoilt(other, f"UPDATE events SET {field} = {value} WHERE seq = 2")
    with open_store(tmp_path / "home", write=True) as store:
        with open_log(other) as log, pytest.raises(StoreRefused) as refusal:
            merge(store, log)
        assert list(store.events()) == []
        for language in ("ja", "en"):
            said = refusal.value.render(language)
            assert not any(c in said for c in "\x1b\x07\u202e")
        assert store.append(next(iter_answers(other))).counter == 1


def iter_answers(path: Path):
    with open_log(path) as log:
        yield from log.events()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW more AS SELECT 1",
        "CREATE TRIGGER greedy AFTER INSERT ON evidence BEGIN SELECT 1; END",
        "CREATE TABLE notes (text)",
        "DROP INDEX events_card",
    ],
)
def test_tables_of_another_making_are_refused(tmp_path, other, statement) -> None:
    spoilt(other, statement)
    with open_store(tmp_path / "home", write=True) as store:
        with open_log(other) as log, pytest.raises(StoreRefused, match="nothing was imported"):
            merge(store, log)
        assert list(store.events()) == []


def test_an_endless_view_in_place_of_the_log_is_never_read(tmp_path, other) -> None:
    with sqlite3.connect(other) as connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(events)")]
        connection.execute("DROP TABLE events")
        columns = ", ".join(f"'x' AS \"{name}\"" for name in names)
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        connection.execute(f"CREATE VIEW events AS {endless} SELECT {columns} FROM n")
        for name in ("updated", "deleted"):
            connection.execute(
                f"CREATE TRIGGER events_not_{name} AFTER INSERT ON evidence BEGIN SELECT 1; END"
            )
    connection.close()
    with open_store(tmp_path / "home", write=True) as store:
        with open_log(other) as log, pytest.raises(StoreRefused, match="nothing was imported"):
            merge(store, log)
        assert list(store.events()) == []


def test_a_row_told_differently_is_refused_both_ways(tmp_path, other) -> None:
    """Rows never change; where one did, a union would depend on the order."""
    shutil.copytree(other.parent, tmp_path / "home")
    spoilt(other, "UPDATE events SET grade = 4 WHERE seq = 1")
    homes = (tmp_path / "home", other.parent)
    for here, there in (homes, homes[::-1]):
        with open_store(here, write=True) as store:
            with (
                open_log(there / "quiz.db") as log,
                pytest.raises(StoreRefused, match="differs from the one in your log"),
            ):
                merge(store, log)
            assert len(list(store.events())) == 2


def test_a_log_that_is_open_elsewhere_is_read_with_its_latest_rows(tmp_path, graded) -> None:
    with open_store(tmp_path / "other", write=True) as busy:
        busy.append(graded("deck/x"))
        before = {path.name: path.read_bytes() for path in (tmp_path / "other").iterdir()}
        with (
            open_store(tmp_path / "home", write=True) as store,
            open_log(busy.path) as log,
        ):
            assert merge(store, log) == Merged(1, 0)
        assert {p.name: p.read_bytes() for p in (tmp_path / "other").iterdir()} == before
