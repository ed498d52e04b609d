from __future__ import annotations

import sqlite3
import stat

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quiz.events import Answer, Confidence, Event, EventKind, Grade, Origin
from quiz.memory.states import LogState
from quiz.memory.study_day import LAST_DAY
from quiz.store import CardChanged, StoreFailed, StoreRefused, open_store
from quiz.store.columns import from_cells, to_cells
from verify.api import UsageError
from verify.api.worlds import Evidence


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "home", write=True) as opened:
        yield opened


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
JSON = st.dictionaries(TEXT, st.integers(-9, 9) | st.floats(-1e9, 1e9) | TEXT, max_size=3)
ANSWERS = st.builds(
    Answer,
    card=TEXT,
    card_kind=TEXT,
    content=TEXT,
    origin=st.sampled_from(Origin),
    sitting=TEXT,
    repetition=st.integers(0, 99),
    grade=st.sampled_from(Grade),
    seconds=st.floats(0, 1e6),
    parameters=JSON,
    order=st.lists(TEXT, max_size=3).map(tuple),
    choice=st.none() | TEXT,
    raw=st.none() | TEXT,
    correct=st.none() | st.booleans(),
    confidence=st.none() | st.sampled_from(Confidence),
    due=st.none() | st.integers(0, 99_999),
    retention=st.floats(0.01, 0.99),
    parameter_set=TEXT,
    engine=TEXT,
    evidence=st.none() | TEXT,
    after_undo=st.booleans(),
)


@given(ANSWERS)
def test_an_answer_survives_its_columns(answer: Answer) -> None:
    event = Event(
        "id", 1, "2026-10-01T00:00:00.000000+00:00", 540, 5, EventKind.ANSWER,
        clamped=True, card=answer.card, answer=answer, value={"note": "x"},
    )  # fmt: skip
    assert from_cells(to_cells(event)) == event


def test_rows_come_back_as_they_were_written(store, graded, at) -> None:
    written = [
        store.append(graded(raw="2 MiB", parameters={"ranks": 4}, order=("truth", "once"))),
        store.append(at().event(EventKind.FLAG, card="deck/a", value={"note": "誤り?"})),
        store.append(at().event(EventKind.PARAMETERS, value={"w": [0.5] * 21})),
    ]
    assert list(store.events()) == written
    assert [event.counter for event in written] == [1, 2, 3]
    assert list(store.events(since=2)) == written[2:]


def test_half_characters_from_a_terminal_are_stored_as_question_marks(store, graded) -> None:
    store.append(graded(raw="a\udc80b"))
    assert next(store.events()).answer.raw == "a?b"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET grade = 4",
        "DELETE FROM events",
        "INSERT OR REPLACE INTO events SELECT * FROM events",
        "INSERT OR REPLACE INTO events (id, counter, at, 'offset', day, kind, clamped, card,"
        " schema) SELECT id, 9, at, 0, 1, 'flag', 0, card, 1 FROM events",
    ],
)
def test_the_log_is_append_only(store, graded, statement) -> None:
    written = store.append(graded())
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        store.connection.execute(statement)
    other = sqlite3.connect(store.path)  # another program, with pragmas of its own
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        other.execute(statement)
    other.close()
    assert list(store.events()) == [written]


def test_a_clock_set_back_never_gives_an_earlier_day(store, graded, today) -> None:
    first = store.append(graded(days=10))
    second = store.append(graded(days=2))
    assert (first.day, first.clamped) == (today + 10, False)
    assert (second.day, second.clamped) == (today + 10, True)
    assert second.answer.due == today + 10 + 3  # promised 3 days ahead
    assert store.append(graded("deck/b", days=2)).clamped is False
    assert store.state().of("deck/a").due == today + 13


def test_an_undone_answer_of_a_wrong_clock_holds_no_later_one(store, graded, at, today) -> None:
    wrong = store.append(graded(days=10_000))
    undo = store.append(at(0).event(EventKind.UNDO, card="deck/a", target=wrong.id))
    assert undo.day == wrong.day
    again = store.append(graded(days=0))
    assert (again.day, again.clamped) == (today, False)


def test_a_promise_never_goes_past_the_calendar(store, graded, today) -> None:
    last = store.append(graded(days=LAST_DAY - today, due=LAST_DAY))
    assert store.append(graded(days=0, due=today + 3)).answer.due == last.day == LAST_DAY


# The fixtures hold nothing that an example could change.
@settings(
    deadline=None,
    max_examples=20,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.tuples(st.integers(-40, 40), st.sampled_from(Grade)), max_size=8))
def test_any_clock_gives_days_that_never_fall(tmp_path_factory, graded, steps) -> None:
    with open_store(tmp_path_factory.mktemp("home"), write=True) as store:
        rows = [store.append(graded(grade=grade, days=days)) for days, grade in steps]
        days = [row.day for row in rows]
        assert days == sorted(days)
        assert all(row.answer.due - row.day == 3 for row in rows)
        assert store.state().of("deck/a").last_day == (days[-1] if days else None)


def test_a_card_changed_by_another_session_is_not_overwritten(store, graded, tmp_path) -> None:
    first = store.append(graded(), expected_last=None)
    last = store.state().of("deck/a").last_event
    assert last == first.id
    with open_store(tmp_path / "home", write=True) as other:
        other.append(graded(), expected_last=last)
    with pytest.raises(CardChanged, match="deck/a"):
        store.append(graded(), expected_last=last)
    with pytest.raises(CardChanged):
        store.append(graded(), expected_last=None)
    assert len(list(store.events())) == 2
    store.append(graded("deck/b"), expected_last=None)


def test_a_reattached_card_keeps_its_last_day_and_row(store, graded, at, today) -> None:
    store.append(graded("deck/old", days=5))
    store.append(at(5).event(EventKind.REATTACH, card="deck/old", target="deck/new"))
    of = store.state().of("deck/new")
    written = store.append(graded("deck/new", days=1), expected_last=of.last_event)
    assert (written.day, written.clamped) == (today + 5, True)


def test_refreshing_one_card_equals_folding_all(store, graded, at) -> None:
    store.append(graded("deck/old"))
    store.append(graded("deck/b"))
    stale = store.state()
    store.append(at(0).event(EventKind.REATTACH, card="deck/old", target="deck/a"))
    store.append(at(1).event(EventKind.PARAMETERS, value={"w": list(stale.parameters)}))
    wrong = store.append(graded("deck/a", Grade.AGAIN, days=3))
    store.append(at(3).event(EventKind.UNDO, card="deck/a", target=wrong.id))
    fresh = store.refreshed(stale, "deck/a")
    assert fresh.of("deck/a") == store.state().of("deck/a")
    assert fresh.of("deck/b") == stale.of("deck/b")


def test_refreshing_one_card_costs_the_same_whatever_others_undid(store, graded, at) -> None:
    """In steps of SQLite's machine: a sitting does it at each answer, `doctor` for each card."""
    store.append(graded("deck/a"))
    steps = []
    for _ in range(2):
        steps.append(0)
        store.connection.set_progress_handler(lambda: steps.append(steps.pop() + 1), 1)
        store.refreshed(LogState(), "deck/a")
        store.connection.set_progress_handler(None, 0)
        for number in range(100):
            row = store.append(graded(f"deck/{number}"))
            store.append(at(0).event(EventKind.UNDO, card=f"deck/{number}", target=row.id))
    few, many = steps
    assert 0 < many < 2 * few


@pytest.mark.parametrize("forbidden", ["day = 1000000000000000", "grade = 'x'"])
def test_a_row_that_its_table_forbids_is_damage(store, graded, forbidden) -> None:
    """On opening, a file of more than 32 MB isn't searched for these."""
    store.append(graded())
    store.append(graded(days=1))
    for trigger in ("PRAGMA ignore_check_constraints = ON", "DROP TRIGGER events_not_updated"):
        store.connection.execute(trigger)
    if "'" in forbidden:  # a strict table keeps text out, unless its words were changed
        store.connection.execute("PRAGMA writable_schema = ON")
        store.connection.execute("UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')')")
        store.connection.execute("PRAGMA writable_schema = RESET")
    store.connection.execute(f"UPDATE events SET {forbidden} WHERE seq = 2")
    for read in (store.state, store.predictions, lambda: store.refreshed(LogState(), "deck/a")):
        with pytest.raises(StoreRefused, match="the database is damaged"):
            read()


def test_a_merged_log_is_the_union(store, graded, tmp_path) -> None:
    store.append(graded("deck/a"))
    with open_store(tmp_path / "other", write=True) as other:
        other.append(graded("deck/b"))
        other.append(graded("deck/a", days=4))
        assert store.insert(other.events()) == 2
        assert store.insert(other.events()) == 0
        assert other.insert(store.events()) == 1
        assert list(other.events()) == list(store.events())
        assert other.state() == store.state()
    assert store.append(graded("deck/c")).counter == 3  # above all that it has seen


def test_a_row_that_no_log_could_hold_imports_nothing(store, graded) -> None:
    from dataclasses import replace

    good, bad = replace(graded(), counter=1), replace(graded(), counter=2, day=-4)
    with pytest.raises(UsageError, match="nothing was imported"):
        store.insert([good, bad])
    assert list(store.events()) == []


def test_a_full_disk_saves_nothing_and_says_so(store, graded) -> None:
    written = store.append(graded())
    (pages,) = store.connection.execute("PRAGMA page_count").fetchone()
    store.connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreFailed, match="disk is full; this was not saved"):  # noqa: PT012
        for _ in range(100):
            written = store.append(graded(raw="x" * 500))
    assert list(store.events())[-1] == written
    store.connection.execute("PRAGMA max_page_count = 100000")
    store.append(graded())


def test_the_files_are_the_owners_alone(store, graded) -> None:
    store.append(graded())
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700
    files = list(store.path.parent.iterdir())
    assert {file.name for file in files} == {"quiz.db", "quiz.db-shm", "quiz.db-wal"}
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_every_row_is_synced(store) -> None:
    assert store.connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store.connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL


EVIDENCE = {
    "experiment": "all-reduce-bytes",
    "parameters": {"ranks": 4},
    "quantities": {
        "wire_sent": {"per_rank": [6, 6], "unit": "B", "low": [6, 6], "high": [6, 6],
                      "source": "measured", "exact": ["6", "6"]},
    },
    "world": {"ranks": 4, "hosts": 1, "backend": "gloo", "device": "cpu", "launcher": "local"},
    "environment": {"torch": "2.13.0"},
    "seed": 1,
    "seconds": 0.3,
    "at": "2026-10-01T00:00:00Z",
}  # fmt: skip


def test_the_latest_evidence_under_a_prefix(store) -> None:
    old = Evidence.from_json({**EVIDENCE, "seed": 1})
    new = Evidence.from_json({**EVIDENCE, "seed": 2, "at": "2026-10-02T00:00:00Z"})
    store.put_evidence("all-reduce-bytes/abc", new)
    store.put_evidence("all-reduce-bytes/abd", old)
    assert store.evidence("all-reduce-bytes/") == new
    assert store.evidence("all-reduce-bytes/abd") == old
    assert store.evidence("all-reduce") == new
    assert store.evidence("ALL") is None
    assert store.evidence("%") is None


def test_broken_evidence_is_passed_over(store) -> None:
    kept = Evidence.from_json(EVIDENCE)
    store.put_evidence("key", kept)
    for text in ("{", "[]", '{"experiment": 1}', "9" * 5000):
        store.connection.execute(
            "INSERT INTO evidence (key, experiment, at, json) VALUES ('key', 'x', '2027', ?)",
            (text,),
        )
    assert store.evidence("key") == kept


def test_several_rows_are_written_like_one_after_the_other_or_not_at_all(
    tmp_path, graded, at
) -> None:
    cards = [f"old/{n}" for n in range(5)]
    moves = [at(-3).event(EventKind.REATTACH, card=card, target=f"new{card[3:]}") for card in cards]
    states = []
    for name in ("one", "all"):
        with open_store(tmp_path / name, write=True) as opened:
            for card in cards:
                opened.append(graded(card))
            if name == "one":
                written = [opened.append(move) for move in moves]
            else:
                written = opened.append_all(moves)
                broken = [graded("old/x"), graded("old/y", seconds=-1.0)]
                with pytest.raises(sqlite3.IntegrityError):
                    opened.append_all(broken)
            assert [event.counter for event in written] == [6, 7, 8, 9, 10]
            assert [event.day for event in written] == [event.day for event in opened.events()][-5:]
            state = opened.state()
            assert len(list(opened.events())) == 10
            states.append({card: (of.due, of.answers) for card, of in state.cards.items()})
    assert states[0] == states[1]
    assert states[0].keys() == {f"new/{n}" for n in range(5)}
