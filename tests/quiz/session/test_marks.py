"""Suspending, burying, flagging and editing cards within a sitting."""

from dataclasses import replace

import pytest

from quiz.events import EventKind, Grade
from quiz.session import effects, inputs
from quiz.session.blocks import Ask, Notice, Summary
from quiz.session.machine import step
from quiz.session.state import Phase, State, Turn
from verify.api import Text


def run(state, *events):
    out = ()
    for event in events:
        state, out = step(state, event)
    return state, out


def blocks(out, kind):
    return [e.block for e in out if isinstance(e, effects.Show) and isinstance(e.block, kind)]


@pytest.fixture
def started(make):
    cards = (make.recall("first"), make.trap("second"), make.recall("third"))
    return run(State.of(tuple(map(Turn, cards))), inputs.Started())[0]


@pytest.mark.parametrize("kind", [EventKind.SUSPEND, EventKind.BURY])
def test_a_card_set_aside_is_gone_once_the_store_says_so(started, kind):
    state, out = run(started, inputs.Marked(kind))
    assert out == (effects.Mark(kind, "deck/first", True),)
    assert not blocks(out, Ask)
    state, out = run(state, inputs.Saved("row"))
    assert blocks(out, Ask)[0].question.card.id == "second"
    assert [turn.card.id for turn in state.queue] == ["second", "third"]
    assert state.skipped == 0


def test_undo_brings_it_back_before_any_answer_given_earlier(started):
    state, _ = run(
        started, inputs.Revealed(), inputs.Graded(Grade.GOOD), inputs.Saved("answer"),
        inputs.Marked(EventKind.BURY), inputs.Saved("burial"),
    )  # fmt: skip
    state, out = run(state, inputs.UndoAsked())
    assert out == (effects.RemoveLast("burial", "deck/second"),)
    state, _ = run(state, inputs.Saved("tombstone"))
    assert state.question.card.id == "second"
    assert run(state, inputs.UndoAsked())[1] == (effects.RemoveLast("answer", "deck/first"),)


def test_the_last_card_set_aside_can_still_be_brought_back(make):
    state, _ = run(State.of((Turn(make.recall("only")),)), inputs.Started())
    state, out = run(state, inputs.Marked(EventKind.SUSPEND), inputs.Saved("row"))
    assert state.phase is Phase.DONE
    assert blocks(out, Summary)[0].answers == 0
    state, _ = run(state, inputs.UndoAsked(), inputs.Saved("tombstone"))
    assert state.question.card.id == "only"


def test_a_failed_card_suspended_after_its_answer_does_not_return(started):
    state, _ = run(
        started, inputs.Revealed(), inputs.Graded(Grade.GOOD), inputs.Saved("1"),
        inputs.Chosen("a"),
    )  # fmt: skip
    wrong = next(c for c in state.question.order if not c.is_truth)
    state, _ = run(
        state, inputs.Chosen(state.question.letter(wrong)), inputs.Sure(1), inputs.Saved("2")
    )
    assert "second" in [turn.card.id for turn in state.queue]
    state, out = run(state, inputs.Marked(EventKind.SUSPEND), inputs.Saved("3"))
    assert state.phase is Phase.FEEDBACK
    assert blocks(out, Notice)
    assert "second" not in [turn.card.id for turn in state.queue]


def test_a_flag_changes_nothing_else(started):
    state, out = run(started, inputs.Marked(EventKind.FLAG), inputs.Saved("row"))
    assert state == started
    assert blocks(out, Notice)
    _, out = run(started, inputs.Marked(EventKind.FLAG, on=False))
    assert out == (effects.Mark(EventKind.FLAG, "deck/first", False),)


def test_what_cannot_be_saved_leaves_the_card_where_it_was(started):
    reason = Text(en="disk full")
    state, out = run(started, inputs.Marked(EventKind.SUSPEND), inputs.SaveFailed(reason))
    assert state == started
    assert blocks(out, Notice) == [Notice(reason)]


def test_an_edited_card_is_asked_anew_and_its_answer_counts_as_seen(started, make):
    card = replace(make.recall("first"), ask=Text(en="better?"))
    state, out = run(started, inputs.Revealed(), inputs.Edited({"deck/first": card}))
    assert state.phase is Phase.ASKED
    assert blocks(out, Ask)[0].question.card is card
    assert "deck/first" in state.seen
    assert state.queue[0].card is card


def test_an_edit_reaches_cards_that_an_undo_would_bring_back(started, make):
    card = replace(make.recall("first"), ask=Text(en="better?"))
    state, _ = run(started, inputs.Revealed(), inputs.Graded(Grade.GOOD), inputs.Saved("1"))
    state, _ = run(state, inputs.Edited({"deck/first": card}))
    state, _ = run(state, inputs.UndoAsked(), inputs.Saved("tombstone"))
    assert state.question.card is card
