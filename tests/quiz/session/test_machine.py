"""The sitting, event by event."""

import pytest

from quiz.events import Confidence, Grade
from quiz.session import blocks, effects, inputs
from quiz.session.machine import RETURN_AFTER, RETURN_SOON_AFTER, step
from quiz.session.state import Phase, State, Turn
from verify.api import Text


def feed(state, *events):
    """The state after the events, and all effects on the way."""
    out = []
    for event in events:
        state, more = step(state, event)
        out += more
    return state, out


def shown(out, kind):
    return [e.block for e in out if isinstance(e, effects.Show) and isinstance(e.block, kind)]


def saves(out):
    return [e.draft for e in out if isinstance(e, effects.Save)]


@pytest.fixture
def start(make):
    def begin(*cards):
        turns = tuple(Turn(c) for c in cards)
        return feed(State.of(turns), inputs.Started())

    return begin


def letter(state, key):
    question = state.question
    return question.letter(next(c for c in question.order if c.key == key))


def test_the_next_question_waits_for_the_acknowledgement(make, start):
    state, _ = start(make.recall("one"), make.recall("two"))
    state, out = feed(state, inputs.Revealed(), inputs.Graded(Grade.GOOD))
    assert state.phase is Phase.SAVING
    assert len(saves(out)) == 1
    assert not shown(out, blocks.Ask)
    state, out = feed(state, inputs.Saved("row"))
    assert shown(out, blocks.Ask)[0].question.card.id == "two"


def test_a_grade_before_the_answer_is_shown_changes_nothing(make, start):
    state, _ = start(make.recall("one"))
    assert step(state, inputs.Graded(Grade.GOOD)) == (state, ())


def test_an_answer_that_could_not_be_saved_is_not_counted(make, start):
    state, _ = start(make.recall("one"))
    state, _ = feed(state, inputs.Revealed())
    failed, out = feed(state, inputs.Graded(Grade.GOOD), inputs.SaveFailed(Text(en="disk full")))
    assert failed == state
    assert shown(out, blocks.Notice)[0].text.en == "disk full"


@pytest.mark.parametrize(
    ("key", "confidence", "grade"),
    [
        ("truth", Confidence.SURE, Grade.GOOD),
        ("truth", Confidence.THINK_SO, Grade.GOOD),
        ("truth", Confidence.GUESS, Grade.HARD),
        ("twice", Confidence.SURE, Grade.AGAIN),
        ("twice", Confidence.GUESS, Grade.AGAIN),
    ],
)
def test_confidence_and_correctness_make_the_grade(make, start, key, confidence, grade):
    state, _ = start(make.trap("one"))
    _, out = feed(state, inputs.Chosen(letter(state, key)), inputs.Sure(confidence))
    (draft,) = saves(out)
    assert (draft.grade, draft.choice, draft.confidence) == (grade, key, confidence)
    assert draft.correct is (key == "truth")


def test_choices_keep_their_order_per_repetition_and_change_it_between(make, start):
    state, _ = start(make.trap("one"))
    orders = set()
    for repetition in range(6):
        turns = (Turn(make.trap("one"), repetition),)
        first, _ = feed(State.of(turns), inputs.Started())
        again, _ = feed(State.of(turns), inputs.Started())
        assert first.question == again.question
        orders.add(first.question.order)
    assert len(orders) > 1
    assert state.question.order in orders


def test_a_failed_card_comes_back_until_it_is_recalled(make, start):
    state, _ = start(make.recall("one"))
    for row in "ab":
        state, out = feed(state, inputs.Revealed(), inputs.Graded(Grade.AGAIN), inputs.Saved(row))
        assert shown(out, blocks.Ask)[0].question.card.id == "one"
    state, out = feed(state, inputs.Revealed(), inputs.Graded(Grade.HARD), inputs.Saved("c"))
    assert state.phase is Phase.DONE
    (summary,) = shown(out, blocks.Summary)
    assert (summary.answers, summary.cards, summary.recalled, summary.left) == (3, 1, 0, 0)


@pytest.mark.parametrize(
    ("confidence", "gap"),
    [(Confidence.SURE, RETURN_SOON_AFTER), (Confidence.GUESS, RETURN_AFTER)],
)
def test_wrong_and_sure_comes_back_sooner(make, start, confidence, gap):
    others = [make.recall(f"other-{n}") for n in range(9)]
    state, _ = start(make.trap("one"), *others)
    state, _ = feed(
        state,
        inputs.Chosen(letter(state, "twice")),
        inputs.Sure(confidence),
        inputs.Saved("row"),
        inputs.Next(),
    )
    assert [t.card.id for t in state.queue].index("one") == gap


def test_quitting_in_the_middle_of_a_card_logs_nothing(make, start):
    state, _ = start(make.trap("one"))
    state, out = feed(state, inputs.Chosen("a"), inputs.Quit())
    assert state.phase is Phase.FINISHED
    assert not saves(out)
    assert isinstance(out[-1], effects.Finish)


def test_leaving_while_a_row_is_being_saved_still_counts_it(make, start):
    state, _ = start(make.recall("one"), make.recall("two"))
    state, out = feed(state, inputs.Revealed(), inputs.Graded(Grade.GOOD), inputs.Quit())
    assert state.phase is Phase.SAVING
    state, out = feed(state, inputs.Saved("row"))
    assert shown(out, blocks.Summary)[0].answers == 1
    assert state.phase is Phase.FINISHED


def test_undo_asks_the_card_again_and_marks_the_answer_that_follows(make, start):
    state, _ = start(make.recall("one"), make.recall("two"))
    state, _ = feed(state, inputs.Revealed(), inputs.Graded(Grade.EASY), inputs.Saved("row"))
    state, out = feed(state, inputs.UndoAsked())
    assert out == [effects.RemoveLast("row", "deck/one")]
    state, out = feed(state, inputs.Saved("tombstone"))
    assert state.question.card.id == "one"
    assert state.question.repetition == 1  # the undone row counts: it is still in the log
    state, out = feed(state, inputs.Revealed(), inputs.Graded(Grade.GOOD), inputs.Saved("next"))
    assert saves(out)[0].after_undo
    _, out = feed(state, inputs.Revealed(), inputs.Graded(Grade.GOOD))
    assert not saves(out)[0].after_undo


def test_the_last_answer_of_a_sitting_can_be_undone(make, start):
    state, _ = start(make.recall("one"))
    state, _ = feed(state, inputs.Revealed(), inputs.Graded(Grade.EASY), inputs.Saved("row"))
    assert state.phase is Phase.DONE
    state, _ = feed(state, inputs.UndoAsked(), inputs.Saved("tombstone"))
    assert state.phase is Phase.ASKED


def test_undo_takes_back_a_letter_that_is_not_an_answer_yet(make, start):
    state, _ = start(make.trap("one"))
    taken_back, out = feed(state, inputs.Chosen("a"), inputs.UndoAsked())
    assert taken_back == state
    assert not any(isinstance(e, effects.RemoveLast) for e in out)


def test_repetitions_count_every_row_through_several_undos(make, start):
    state, _ = start(make.recall("one"))
    for row in ("a", "b"):
        state, _ = feed(state, inputs.Revealed(), inputs.Graded(Grade.AGAIN), inputs.Saved(row))
    for _ in range(2):
        state, _ = feed(state, inputs.UndoAsked(), inputs.Saved("tombstone"))
    assert state.question.repetition == 2
    assert state.given == ()


def test_a_proof_before_the_answer_gives_the_key_away(make, start):
    state, _ = start(make.trap("one", proof=make.proof))
    state, out = feed(state, inputs.ProofAsked(), inputs.ProofDone("evidence"))
    assert isinstance(out[0], effects.Prove)
    assert state.phase is Phase.ASKED
    _, out = feed(state, inputs.Chosen(letter(state, "truth")), inputs.Sure(Confidence.SURE))
    (draft,) = saves(out)
    assert draft.after_undo
    assert draft.evidence == "evidence"


def test_a_proof_after_an_answer_is_of_that_card(make, start):
    state, _ = start(make.trap("one", proof=make.proof), make.recall("two"))
    first = state.question
    state, _ = feed(
        state,
        inputs.Chosen(letter(state, "twice")),
        inputs.Sure(Confidence.SURE),
        inputs.Saved("row"),
        inputs.Next(),
    )
    assert state.question.card.id == "two"
    proving, out = feed(state, inputs.ProofAsked())
    assert out == [effects.Prove(first)]
    after, _ = feed(proving, inputs.ProofDone("evidence"))
    assert after == state


def test_skipping_logs_nothing_and_goes_on(make, start):
    state, _ = start(make.recall("one"), make.recall("two"))
    state, out = feed(state, inputs.Skipped())
    assert state.question.card.id == "two"
    assert not saves(out)
    state, out = feed(state, inputs.Skipped())
    assert state.phase is Phase.FINISHED
    assert shown(out, blocks.Summary)[0].skipped == 2


def test_the_world_warms_up_only_where_something_can_be_proven(make, start):
    _, out = start(make.recall("one"))
    assert effects.Warm() not in out
    _, out = start(make.recall("one", proof=make.proof))
    assert out.index(effects.Warm()) > 0  # after the question: the learner doesn't wait for it


@pytest.mark.parametrize(
    ("typed", "correct", "belief"),
    [
        ("6 MiB", True, None),
        ("6291456 B", True, None),
        ("6.29 MB", True, None),  # 0.02 % off
        ("6 MB", False, None),  # 4.6 % off
        ("4 MiB", False, "once"),
        ("16 MiB", False, "all-to-all"),
    ],
)
def test_a_typed_number_is_right_or_names_its_belief(make, start, typed, correct, belief):
    card = make.compute("one", vary={"ranks": (4,), "payload": ("4 MiB",)})
    state, _ = start(card)
    _, out = feed(state, inputs.Typed(typed))
    (draft,) = saves(out)
    assert (draft.correct, draft.choice) == (correct, belief)
    assert draft.grade is (Grade.GOOD if correct else Grade.AGAIN)
    assert draft.raw == typed


@pytest.mark.parametrize("typed", ["6", "six", "6 MiB or so", "6 s", "9" * 10_000])
def test_what_is_no_answer_is_asked_again_and_not_graded(make, start, typed):
    state, _ = start(make.compute("one"))
    same, out = feed(state, inputs.Typed(typed))
    assert same == state
    assert shown(out, blocks.Notice)
    assert not saves(out)


def test_counts_must_be_exact(make, start):
    card = make.compute("one", vary={"ranks": (1000,)}, result="ranks-1", lures=())
    state, _ = start(card)
    for typed, right in (("999", True), ("1000", False), ("9.99e2", True)):
        _, out = feed(state, inputs.Typed(typed))
        assert saves(out)[0].correct is right


def test_a_card_that_cannot_be_asked_is_left_out(make, start):
    state, out = start(make.compute("broken", result="nothing_known"), make.recall("two"))
    assert state.question.card.id == "two"
    assert "deck/broken" in shown(out, blocks.Notice)[0].text.en


def test_an_empty_sitting_ends_at_once(start):
    state, out = start()
    assert state.phase is Phase.FINISHED
    assert shown(out, blocks.Summary)[0].answers == 0
