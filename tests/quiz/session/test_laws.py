"""Laws of the sitting under any sequence of events."""

from dataclasses import replace

import hypothesis.strategies as st
from hypothesis import HealthCheck, given, settings

from quiz.events import Confidence, EventKind, Grade
from quiz.session import effects, inputs
from quiz.session.machine import step
from quiz.session.state import Phase, State, Turn
from verify.api import Text

EVENTS = st.one_of(
    st.sampled_from(
        [
            inputs.Started(), inputs.Revealed(), inputs.HintAsked(), inputs.ProofAsked(),
            inputs.UndoAsked(), inputs.Skipped(), inputs.Next(), inputs.Quit(),
            inputs.ProofDone(None), inputs.ProofDone("evidence"),
            inputs.SaveFailed(Text(en="disk full")),
        ]
    ),
    st.builds(inputs.Graded, st.sampled_from(Grade)),
    st.builds(inputs.Chosen, st.sampled_from(["a", "b", "c", "z", "", "aa", "é"])),
    st.builds(inputs.Sure, st.sampled_from(Confidence)),
    st.builds(inputs.Typed, st.sampled_from(["6 MiB", "4 MiB", "3", "", "x" * 5000])),
    st.builds(inputs.Saved, st.uuids().map(str)),
)  # fmt: skip
MARKS = st.one_of(
    st.builds(inputs.Marked, st.sampled_from(EventKind), st.booleans()),
    st.just(inputs.Edited({})),
)
QUITLESS = EVENTS.filter(lambda e: not isinstance(e, inputs.Quit))


def turns(make):
    return (
        Turn(make.recall("recall", hint=Text(en="h"), proof=make.proof)),
        Turn(make.trap("trap", proof=make.proof), 3),
        Turn(make.compute("compute")),
        Turn(make.recall("other")),
    )


BOUNDED = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@BOUNDED
@given(events=st.lists(EVENTS | MARKS, max_size=60))
def test_no_sequence_of_events_raises_or_counts_what_was_not_saved(make, events):
    state = State.of(turns(make))
    rows = 0
    for event in events:
        before = state
        state, out = step(before, event)
        if isinstance(event, inputs.Saved):
            rows += {Phase.SAVING: 1, Phase.UNDOING: -1}.get(before.phase, 0)
            if before.marking is not None and before.marking.kind is not EventKind.FLAG:
                rows += 1
        assert len(state.given) + len(state.aside) == rows
        assert sum(isinstance(e, effects.Save) for e in out) <= 1
        asks = any(type(getattr(e, "block", None)).__name__ == "Ask" for e in out)
        assert not (asks and state.phase in (Phase.SAVING, Phase.UNDOING, Phase.MARKING))
        if before.phase is Phase.FINISHED:
            assert state == before
            assert not out


@BOUNDED
@given(events=st.lists(QUITLESS, max_size=60))
def test_undo_restores_what_was_there_before_the_answer(make, events):
    """Queue, answers and skips come back exactly; only the row count and the seen key stay."""
    state, _ = step(State.of(turns(make)), inputs.Started())
    asked: dict[int, State] = {}  # by number of answers: the state when the next was asked
    for event in events:
        if state.phase is Phase.SAVING:
            asked[len(state.given)] = state
        state, _ = step(state, event)
    while state.given:
        if state.phase in (Phase.SAVING, Phase.UNDOING):
            state, _ = step(state, inputs.SaveFailed(Text(en="disk full")))
        if state.phase is Phase.PROVING:
            state, _ = step(state, inputs.ProofDone())
        if state.phase is Phase.CHOSEN:
            state, _ = step(state, inputs.UndoAsked())
        count = len(state.given)
        state, out = step(state, inputs.UndoAsked())
        assert isinstance(out[0], effects.RemoveLast)
        state, _ = step(state, inputs.Saved("tombstone"))
        earlier = asked[count - 1]
        assert state.phase is Phase.ASKED
        assert replace(
            earlier,
            phase=Phase.ASKED,
            question=state.question,
            chosen=None,
            draft=None,
            back=state.back,
            seen=state.seen,
            evidence=None,
            proving=None,
            repetitions=state.repetitions,
        ) == replace(state, skipped=earlier.skipped)
        assert state.skipped == earlier.skipped
        assert state.question.card == earlier.question.card
        assert state.question.card.key in state.seen


@BOUNDED
@given(grades=st.lists(st.sampled_from(Grade), min_size=1, max_size=40))
def test_the_sitting_ends_once_every_card_has_been_recalled(make, grades):
    state = State.of(tuple(Turn(make.recall(f"card-{n}")) for n in range(6)))
    state, _ = step(state, inputs.Started())
    last: dict[str, Grade] = {}
    for number, grade in enumerate([*grades, *[Grade.GOOD] * 20]):
        if state.phase is Phase.DONE:
            break
        last[state.question.card.key] = grade
        for event in (inputs.Revealed(), inputs.Graded(grade), inputs.Saved(str(number))):
            state, _ = step(state, event)
    assert state.phase is Phase.DONE
    assert len(last) == 6
    assert min(last.values()) > Grade.AGAIN
