from __future__ import annotations

import random
import time
from dataclasses import replace

import pytest
from fsrs_rs_python import DEFAULT_PARAMETERS
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.events import Answer, Event, EventKind, Grade, Origin
from quiz.memory.fold import fold, predictions
from quiz.memory.rows import merge, renames, rows_of
from quiz.memory.scheduler import Scheduler, retrievability
from quiz.memory.states import NEW

CARD = "deck/a"
FITTED = [w * 1.1 for w in DEFAULT_PARAMETERS[:4]] + list(DEFAULT_PARAMETERS[4:])


def state(events, card=CARD, **options):
    return fold(rows_of(events), **options).of(card)


def test_the_reference_course_gives_its_stabilities(log) -> None:
    """Stability of FSRS-6 as the engine inside Anki computes it."""
    seen = []
    for day, grade in [(0, Grade.AGAIN)] + [(day, Grade.GOOD) for day in (1, 3, 9, 26, 70)]:
        log.answer(CARD, day, grade)
        seen.append(state(log.events, fuzz=False).stability)
    expected = [0.212, 1.8868, 6.2692, 17.3792, 43.8421, 102.264]
    assert seen == pytest.approx(expected, abs=1e-4)
    assert state(log.events, fuzz=False).due == 70 + 102


def test_the_fold_agrees_with_what_the_scheduler_previewed(log) -> None:
    scheduler, of, day = Scheduler(), NEW, 10
    for grade in (Grade.GOOD, Grade.AGAIN, Grade.AGAIN, Grade.HARD, Grade.EASY, Grade.GOOD):
        outcome = scheduler.outcomes(CARD, of.answers, of.memory, of.last_day, day)[grade]
        log.answer(CARD, day, grade, due=outcome.due)
        of = state(log.events)
        assert of.memory is not None
        assert of.memory.stability == pytest.approx(outcome.memory.stability, rel=1e-5)
        assert of.memory.difficulty == pytest.approx(outcome.memory.difficulty, rel=1e-5)
        assert of.due == outcome.due
        day = outcome.due


def test_a_failed_card_is_due_the_same_day_until_recalled(log) -> None:
    log.answer(CARD, 5, Grade.GOOD, due=8)
    log.answer(CARD, 8, Grade.AGAIN, due=8)
    of = state(log.events)
    assert (of.failed, of.due, of.lapses, of.missed_day) == (True, 8, 1, 8)
    log.answer(CARD, 8, Grade.AGAIN, due=8)
    assert state(log.events).lapses == 1  # forgotten once, however often asked again
    log.answer(CARD, 8, Grade.GOOD, due=9)
    of = state(log.events)
    assert (of.failed, of.due, of.repetitions) == (False, 9, 4)


def test_a_promise_before_the_answer_counts_as_its_day(log) -> None:
    """No store of ours writes one; a log from elsewhere may hold it."""
    log.answer(CARD, 8, due=2)
    assert state(log.events).due == 8


@pytest.mark.parametrize("origin", [Origin.EXAM, Origin.CRAM])
def test_exams_and_cramming_never_enter_fsrs(log, origin) -> None:
    log.answer(CARD, 5, due=20)
    before = state(log.events)
    log.answer(CARD, 7, Grade.AGAIN, origin=origin)
    after = state(log.events)
    assert after.memory == before.memory
    assert (after.last_day, after.repetitions) == (before.last_day, before.repetitions)
    assert after.due == (7 if origin is Origin.EXAM else 20)
    assert after.answered_day == 7


def test_a_wrong_exam_answer_makes_even_a_new_card_due(log) -> None:
    log.answer(CARD, 7, Grade.AGAIN, origin=Origin.EXAM)
    log.answer("deck/b", 7, Grade.GOOD, origin=Origin.EXAM)
    assert (state(log.events).due, state(log.events).is_new) == (7, True)
    assert state(log.events, "deck/b").due is None


def test_undo_removes_one_row_and_marks_the_next_answer(log) -> None:
    log.answer(CARD, 5, Grade.GOOD, due=8)
    before = state(log.events)
    wrong = log.answer(CARD, 8, Grade.AGAIN, due=8)
    log.undo(wrong, 8)
    of = state(log.events)
    assert of.after_undo
    assert of.answers == 2  # the next repetition differs, so its fuzz is drawn anew
    assert of.memory == before.memory
    assert (of.due, of.last_day, of.failed, of.lapses) == (8, 5, False, 0)
    assert of.last_answer == before.last_answer
    assert of.last_event == log.events[-1].id
    log.answer(CARD, 8, Grade.GOOD, due=15)
    assert not state(log.events).after_undo


def test_undoing_a_mark_is_not_undoing_an_answer(log) -> None:
    log.answer(CARD, 5, due=8)
    mark = log.row(EventKind.SUSPEND, 5, card=CARD)
    assert state(log.events).suspended
    log.undo(mark, 5)
    of = state(log.events)
    assert (of.suspended, of.after_undo) == (False, False)


def test_marks_can_be_taken_back(log) -> None:
    for kind in (EventKind.SUSPEND, EventKind.FLAG, EventKind.BURY):
        log.row(kind, 5, card=CARD)
    of = state(log.events)
    assert (of.suspended, of.flagged, of.buried_on) == (True, True, 5)
    for kind in (EventKind.SUSPEND, EventKind.FLAG, EventKind.BURY):
        log.row(kind, 6, card=CARD, value={"on": False})
    of = state(log.events)
    assert (of.suspended, of.flagged, of.buried_on) == (False, False, None)


def test_reattached_history_follows_there_and_back(log) -> None:
    log.answer("deck/old", 1, due=3)
    log.row(EventKind.REATTACH, 2, card="deck/old", target="deck/new")
    log.answer("deck/old", 3, due=9)  # by a machine that had not heard of it
    of = state(log.events, "deck/new")
    assert (of.repetitions, of.due) == (2, 9)
    assert state(log.events, "deck/old") == NEW
    back = log.row(EventKind.REATTACH, 4, card="deck/new", target="deck/old")
    assert state(log.events, "deck/old").repetitions == 2
    assert state(log.events, "deck/new") == NEW
    log.undo(back, 4)
    assert state(log.events, "deck/new").repetitions == 2


def reattached(pairs):
    """Rows that reattach one card after the other."""
    return [(0, n, str(n), "reattach", old, new, *[None] * 5) for n, (old, new) in enumerate(pairs)]


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), max_size=12))
def test_names_lead_where_one_rename_after_the_other_takes_them(pairs) -> None:
    names: dict[str, str] = {}  # the definition, in quadratic time
    for old, new in pairs:
        names |= {new: new, old: new}
        names = {name: new if at == old else at for name, at in names.items()}
    expected = {name: at for name, at in names.items() if name != at}
    assert renames(reattached(pairs), ()) == expected


def test_a_long_chain_of_renames_takes_time_in_proportion() -> None:
    """Ten times as many: about ten times as long; by the definition, a hundred times."""

    def seconds(length):
        rows = reattached([(str(n), str(n + 1)) for n in range(length)])
        began = time.process_time()
        assert set(renames(rows, ()).values()) == {str(length)}
        return time.process_time() - began

    assert min(seconds(20_000) for _ in range(3)) < 40 * min(seconds(2_000) for _ in range(3))


def test_a_fitted_set_applies_to_answers_after_it(log) -> None:
    log.answer(CARD, 0, Grade.AGAIN, due=0)
    log.answer("deck/b", 0, Grade.GOOD, due=2)
    before = fold(rows_of(log.events))
    fitted = log.row(EventKind.PARAMETERS, 0, value={"w": FITTED})
    after = fold(rows_of(log.events))
    assert after.cards == before.cards  # due days and memory stay
    assert after.parameter_set == fitted.id
    log.answer("deck/c", 0, Grade.GOOD, due=2)
    log.answer(CARD, 1, Grade.GOOD, due=3)
    of = fold(rows_of(log.events))
    assert of.of("deck/c").stability == pytest.approx(2.3065 * 1.1, rel=1e-4)
    memory = before.of(CARD).memory
    expected = Scheduler(of.parameters).outcomes(CARD, 1, memory, 0, 1)[Grade.GOOD].memory
    assert of.of(CARD).stability == pytest.approx(expected.stability, rel=1e-5)


def test_due_days_move_only_when_a_fit_was_asked_to(log) -> None:
    log.answer(CARD, 0, Grade.GOOD, due=30)
    log.answer("deck/failed", 0, Grade.AGAIN, due=0)
    log.row(EventKind.PARAMETERS, 1, value={"w": FITTED})
    assert state(log.events).due == 30
    log.row(EventKind.PARAMETERS, 1, value={"w": FITTED, "reschedule": True})
    of = state(log.events, fuzz=False)
    assert of.stability == pytest.approx(2.3065 * 1.1, rel=1e-4)  # the whole history anew
    assert of.due == 3  # 2.54 days at 90 %, rounded
    assert state(log.events, "deck/failed").due == 0


def test_an_undated_answer_with_hardly_any_desired_retention_has_a_due_day(log) -> None:
    given = log.answer(CARD, 5, origin=Origin.IMPORT)
    strange = replace(given, answer=replace(given.answer, retention=1e-40))
    assert state([strange]).due == 5 + 36_500


@pytest.mark.parametrize("value", [{}, {"w": [1.0]}, {"w": "x"}, {"w": [float("inf")] * 21}])
def test_parameters_that_fsrs_refuses_count_for_nothing(log, value) -> None:
    log.answer(CARD, 0)
    bad = log.row(EventKind.PARAMETERS, 0, value=value)
    of = fold(rows_of(log.events))
    assert (of.parameter_set, of.unusable) == ("default", (bad.id,))


def test_predictions_are_the_recall_expected_before_each_answer(log) -> None:
    log.answer(CARD, 0, Grade.GOOD)
    same_day = log.answer(CARD, 0, Grade.GOOD)
    memory = state(log.events).memory
    assert memory is not None
    later = log.answer(CARD, 4, Grade.AGAIN)
    log.row(EventKind.PARAMETERS, 4, value={"w": FITTED})
    memory_after = state(log.events).memory
    assert memory_after is not None
    last = log.answer(CARD, 6, Grade.GOOD)
    chances = predictions(rows_of(log.events))
    assert same_day.id not in chances
    assert chances[later.id] == pytest.approx(retrievability(memory.stability, 4), rel=1e-5)
    assert chances[last.id] == pytest.approx(
        retrievability(memory_after.stability, 2, FITTED), rel=1e-5
    )
    assert len(chances) == 2


# Laws

CARDS = st.sampled_from(["deck/a", "deck/b", "deck/c"])


@st.composite
def logs(draw: st.DrawFn, start: int = 0, size: int = 12) -> list[Event]:
    """A log as one machine writes it: counters rise, days rise but for clocks set back."""
    events: list[Event] = []
    prefix = draw(st.uuids(version=4)).hex
    day = 100
    for number in range(draw(st.integers(0, size))):
        day = max(0, day + draw(st.integers(-3, 9)))
        kind = draw(st.sampled_from([EventKind.ANSWER] * 6 + list(EventKind)))
        card: str | None = draw(CARDS)
        target, value, answer = None, {}, None
        if kind is EventKind.ANSWER:
            answer = Answer(
                card=card or "",
                card_kind="recall",
                content="0",
                origin=draw(st.sampled_from(Origin)),
                sitting="s",
                repetition=0,
                grade=draw(st.sampled_from(Grade)),
                seconds=1.0,
                due=draw(st.none() | st.integers(day, day + 50)),
            )
        elif kind is EventKind.UNDO and events:
            undone = draw(st.sampled_from(events))
            target, card = undone.id, undone.card
        elif kind is EventKind.REATTACH:
            target = draw(CARDS)
        elif kind is EventKind.PARAMETERS:
            card, value = None, {"w": FITTED, "reschedule": draw(st.booleans())}
        events.append(
            Event(
                id=f"{prefix}-{number}",
                counter=start + number + 1,
                at="2026-10-01T00:00:00.000000+00:00",
                offset=0,
                day=day,
                kind=kind,
                card=card,
                target=target,
                value=value,
                answer=answer,
            )
        )
    return events


@settings(deadline=None, max_examples=60)
@given(logs(), logs(), st.randoms(use_true_random=False))
def test_two_logs_merge_in_either_order(
    one: list[Event], other: list[Event], shuffle: random.Random
) -> None:
    merged = merge(one, other)
    assert merged == merge(other, one)
    assert merge(merged, one) == merged
    whole = fold(rows_of(merged))
    mixed = [*one, *other, *one]
    shuffle.shuffle(mixed)
    assert fold(rows_of(mixed)) == whole


@settings(deadline=None, max_examples=60)
@given(logs(), CARDS, st.sampled_from(Grade), st.sampled_from(Origin))
def test_undo_restores_the_state_exactly(
    before: list[Event], card: str, grade: Grade, origin: Origin
) -> None:
    day = max((event.day for event in before), default=100)
    counter = len(before)
    answer = Answer(card, "recall", "0", origin, "s", 0, grade, 1.0, due=day + 3)
    row = Event("row", counter + 1, "", 0, day, EventKind.ANSWER, card=card, answer=answer)
    undo = Event("undo", counter + 2, "", 0, day, EventKind.UNDO, card=card, target="row")

    def schedule(events: list[Event]) -> dict[str, object]:
        """All that an undo brings back: not the count of rows, nor that the key was seen."""
        plain = {"answers": 0, "last_event": None, "after_undo": False}
        folded = fold(rows_of(events), fuzz=False)
        kept = {name: replace(of, **plain) for name, of in folded.cards.items()}
        return {name: of for name, of in kept.items() if of != NEW}

    assert schedule([*before, row, undo]) == schedule(before)


@settings(deadline=None, max_examples=60)
@given(logs())
def test_no_card_is_due_before_its_last_answer(events: list[Event]) -> None:
    for of in fold(rows_of(events)).cards.values():
        if of.last_day is not None:
            assert of.due is not None
            assert of.due >= of.last_day
