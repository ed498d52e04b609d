"""One sitting as a pure state machine: step(state, event) -> (state, effects).

Every answer is saved before anything follows it: Save goes out, and only Saved brings the feedback
or the next question. A failed card comes back until it is recalled (successive relearning: Rawson
and Dunlosky, 2011). An event that makes no sense where it comes changes nothing.
"""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch

from quiz.deck.card import Kind
from quiz.deck.draw import is_right
from quiz.events import Confidence, EventKind, Grade
from quiz.numbers import Unclear, answer_for
from quiz.session import inputs, notices
from quiz.session.blocks import Ask, AskConfidence, Feedback, Hint, Key, Notice, Summary
from quiz.session.effects import Effect, Finish, Mark, Prove, RemoveLast, Save, Show, Warm
from quiz.session.inputs import Input
from quiz.session.question import Draft, Question
from quiz.session.state import (
    OPEN,
    WAITING,
    WRITING,
    Aside,
    Given,
    Phase,
    State,
    Turn,
    markable,
    provable,
)
from verify.api import Text, UsageError

RETURN_AFTER = 4  # cards between a failed answer and its return
RETURN_SOON_AFTER = 2  # the same where the learner was sure

GRADE_OF_CHOICE = {
    (True, Confidence.SURE): Grade.GOOD,
    (True, Confidence.THINK_SO): Grade.GOOD,
    (True, Confidence.GUESS): Grade.HARD,  # one time in so many it is right by chance
    (False, Confidence.SURE): Grade.AGAIN,  # returns soonest: RETURN_SOON_AFTER
    (False, Confidence.THINK_SO): Grade.AGAIN,
    (False, Confidence.GUESS): Grade.AGAIN,
}
"""How a choice is graded: by whether it is right and how sure the learner was."""

Step = tuple[State, tuple[Effect, ...]]


def step(state: State, event: Input) -> Step:
    """The next state and what to do about it. Raises UsageError only where a card can't be asked.

    The caller performs the effects in order and answers Save, RemoveLast and Prove with an event.
    """
    return _react(event, state)


@singledispatch
def _react(event: object, state: State) -> Step:
    raise TypeError(f"not an event of a sitting: {event!r}")


def _stay(state: State, *blocks: Text) -> Step:
    return state, tuple(Show(Notice(text)) for text in blocks)


@_react.register
def _started(_: inputs.Started, state: State) -> Step:
    if state.phase is not Phase.READY:
        return _stay(state)
    warm = (Warm(),) if any(turn.card.proof for turn in state.queue) else ()
    state, effects = _ask(state)
    return state, (*effects, *warm)


def _ask(state: State) -> Step:
    """Ask the first card of the queue, or close the sitting where none is left."""
    state = replace(state, chosen=None, draft=None, evidence=None, back=Phase.ASKED)
    if not state.queue:
        undoable = bool(state.given or state.aside)
        phase = Phase.DONE if undoable else Phase.FINISHED
        end: tuple[Effect, ...] = () if undoable else (Finish(),)
        return replace(state, phase=phase, question=None), (Show(_summary(state)), *end)
    turn = state.queue[0]
    try:
        question = Question.of(turn.card, state.repetitions.get(turn.card.key, turn.repetition))
    except UsageError as error:  # lint names it; the rest of the sitting is worth having
        without = _without(state, turn.card.key)
        unasked = Notice(notices.CANNOT_ASK.fill(card=turn.card.key)), Notice(error.message)
        state, effects = _ask(without)
        return state, (*map(Show, unasked), *effects)
    left = len(state.queue)
    asked = Ask(question, state.total - left + 1, state.total)
    return replace(state, phase=Phase.ASKED, question=question), (Show(asked),)


@_react.register
def _revealed(_: inputs.Revealed, state: State) -> Step:
    question = state.question
    if state.phase is not Phase.ASKED or question is None or question.card.kind is not Kind.RECALL:
        return _stay(state)
    shown = Key(question, after_undo=question.card.key in state.seen)
    return replace(state, phase=Phase.REVEALED), (Show(shown),)


@_react.register
def _graded(event: inputs.Graded, state: State) -> Step:
    if state.phase is not Phase.REVEALED or state.question is None:
        return _stay(state)
    return _save(state, Draft(state.question, event.grade))


@_react.register
def _chosen(event: inputs.Chosen, state: State) -> Step:
    question = state.question
    if state.phase not in (Phase.ASKED, Phase.CHOSEN) or question is None or not question.order:
        return _stay(state)
    choice = question.choice(event.letter)
    if choice is None:
        return _stay(state, notices.NO_SUCH_CHOICE)
    asked = Show(AskConfidence(question, choice))
    return replace(state, phase=Phase.CHOSEN, chosen=choice), (asked,)


@_react.register
def _sure(event: inputs.Sure, state: State) -> Step:
    if state.phase is not Phase.CHOSEN or state.question is None or state.chosen is None:
        return _stay(state)
    right = state.chosen.is_truth
    draft = Draft(
        state.question,
        GRADE_OF_CHOICE[right, event.confidence],
        correct=right,
        choice=state.chosen.key,
        confidence=event.confidence,
    )
    return _save(state, draft)


@_react.register
def _typed(event: inputs.Typed, state: State) -> Step:
    question = state.question
    if state.phase is not Phase.ASKED or question is None or question.expected is None:
        return _stay(state)
    given = answer_for(question.expected.unit, event.text)
    if isinstance(given, Unclear):
        return _stay(state, given.reason)
    right = is_right(given, question.expected)
    lures = () if right else question.lures
    draft = Draft(
        question,
        Grade.GOOD if right else Grade.AGAIN,
        correct=right,
        choice=next((lure.belief for lure, value in lures if is_right(given, value)), None),
        raw=event.text.strip(),
        given=given,
    )
    return _save(state, draft)


def _save(state: State, draft: Draft) -> Step:
    key_seen = draft.question.card.key in state.seen
    draft = replace(draft, evidence=state.evidence, after_undo=key_seen)
    waiting = replace(state, phase=Phase.SAVING, draft=draft, back=state.phase)
    return waiting, (Save(draft),)


@_react.register
def _saved(event: inputs.Saved, state: State) -> Step:
    if state.phase is Phase.UNDOING:
        return _undone(state)
    if state.phase is Phase.MARKING and state.marking is not None:
        return _marked_durably(state, state.marking, event.event)
    if state.phase is not Phase.SAVING or state.draft is None:
        return _stay(state)
    draft, card = state.draft, state.draft.question.card
    answers = {**state.repetitions, card.key: draft.question.repetition + 1}
    given = Given(draft, event.event, state.queue, state.skipped)
    queue = state.queue[1:]
    if draft.grade is Grade.AGAIN:
        at = RETURN_SOON_AFTER if draft.fooled else RETURN_AFTER
        queue = (*queue[:at], Turn(card), *queue[at:])
    state = replace(
        state,
        queue=queue,
        given=(*state.given, given),
        repetitions=answers,
        seen=state.seen - {card.key},
        draft=None,
    )
    told = (Show(Notice(notices.LEECH.fill(times=event.leech))),) if event.leech else ()
    if state.leaving:
        return _finish(state)
    if card.kind is Kind.RECALL:
        state, effects = _ask(state)
        return state, (*told, *effects)
    feedback = Show(Feedback(draft, event.interval))
    return replace(state, phase=Phase.FEEDBACK), (feedback, *told)


@_react.register
def _save_failed(event: inputs.SaveFailed, state: State) -> Step:
    if state.phase not in WRITING:
        return _stay(state)
    state = replace(state, phase=state.back, back=Phase.ASKED, draft=None, marking=None)
    if state.leaving:
        state, effects = _finish(state)
        return state, (Show(Notice(event.reason)), *effects)
    return _stay(state, event.reason)


@_react.register
def _next(_: inputs.Next, state: State) -> Step:
    if state.phase is Phase.DONE:
        return replace(state, phase=Phase.FINISHED), (Finish(),)
    return _ask(state) if state.phase is Phase.FEEDBACK else _stay(state)


@_react.register
def _undo_asked(_: inputs.UndoAsked, state: State) -> Step:
    if state.phase is Phase.CHOSEN:  # the letter isn't an answer yet: take it back
        return _ask(state)
    if state.phase not in WAITING:
        return _stay(state)
    revealed = {state.question.card.key} if state.question and state.phase is Phase.REVEALED else ()
    waiting = replace(state, phase=Phase.UNDOING, back=state.phase, seen=state.seen.union(revealed))
    if (aside := _last_aside(state)) is not None:
        return waiting, (RemoveLast(aside.event, aside.card),)
    if not state.given:
        return _stay(state, notices.NOTHING_TO_UNDO)
    last = state.given[-1]
    return waiting, (RemoveLast(last.event, last.draft.question.card.key),)


def _last_aside(state: State) -> Aside | None:
    """The last card set aside, where that is the last thing that can be undone."""
    aside = state.aside[-1] if state.aside else None
    return aside if aside is not None and aside.answers == len(state.given) else None


def _undone(state: State) -> Step:
    if (aside := _last_aside(state)) is not None:
        state = replace(state, queue=aside.before, aside=state.aside[:-1])
        if state.leaving:
            return _finish(state)
        state, effects = _ask(state)
        return state, (Show(Notice(notices.BACK)), *effects)
    last = state.given[-1]
    state = replace(
        state,
        queue=last.before,
        given=state.given[:-1],
        seen=state.seen | {last.draft.question.card.key},
        skipped=last.skipped,
    )
    if state.leaving:
        return _finish(state)
    state, effects = _ask(state)
    return state, (Show(Notice(notices.UNDONE)), *effects)


@_react.register
def _skipped(_: inputs.Skipped, state: State) -> Step:
    if state.phase not in OPEN or state.question is None:
        return _stay(state)
    return _ask(_without(state, state.question.card.key))


@_react.register
def _marked(event: inputs.Marked, state: State) -> Step:
    target = markable(state)
    if target is None or (event.kind, event.on) not in notices.MARKS:
        return _stay(state, notices.NOTHING_TO_MARK) if state.phase in WAITING else _stay(state)
    mark = Mark(event.kind, target.card.key, event.on)
    return replace(state, phase=Phase.MARKING, back=state.phase, marking=mark), (mark,)


def _marked_durably(state: State, mark: Mark, event: str) -> Step:
    told = Show(Notice(notices.MARKS[mark.kind, mark.on]))
    before, back = state.queue, state.back
    state = replace(state, phase=back, back=Phase.ASKED, marking=None)
    if mark.kind is not EventKind.FLAG:
        aside = Aside(mark.card, event, before, len(state.given))
        queue = tuple(turn for turn in before if turn.card.key != mark.card)
        state = replace(state, queue=queue, aside=(*state.aside, aside))
    if state.leaving:
        return _finish(state)
    if mark.kind is EventKind.FLAG or back is Phase.FEEDBACK:
        return state, (told,)
    state, effects = _ask(state)
    return state, (told, *effects)


@_react.register
def _edited(event: inputs.Edited, state: State) -> Step:
    """Cards as they are now, wherever the sitting holds them. The open one is asked anew."""

    def turned(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
        return tuple(replace(t, card=event.cards.get(t.card.key, t.card)) for t in turns)

    if state.phase not in WAITING:
        return _stay(state)
    edited = replace(
        state,
        queue=turned(state.queue),
        given=tuple(replace(g, before=turned(g.before)) for g in state.given),
        aside=tuple(replace(a, before=turned(a.before)) for a in state.aside),
    )
    question = state.question
    if state.phase not in OPEN or question is None or edited.queue == state.queue:
        return edited, ()
    return _ask(replace(edited, seen=edited.seen | {question.card.key}))  # the answer was in view


def _without(state: State, key: str) -> State:
    queue = tuple(turn for turn in state.queue if turn.card.key != key)
    return replace(state, queue=queue, skipped=state.skipped + 1)


@_react.register
def _hint_asked(_: inputs.HintAsked, state: State) -> Step:
    if state.phase not in OPEN or state.question is None:
        return _stay(state)
    hint = state.question.card.hint
    return (state, (Show(Hint(hint)),)) if hint else _stay(state, notices.NO_HINT)


@_react.register
def _proof_asked(_: inputs.ProofAsked, state: State) -> Step:
    target = provable(state)
    if state.phase not in WAITING or target is None:
        return _stay(state)
    if target.card.proof is None:
        return _stay(state, notices.NO_PROOF)
    seen = state.seen | {target.card.key} if _proves_unanswered(state, target) else state.seen
    proving = replace(state, phase=Phase.PROVING, back=state.phase, seen=seen, proving=target)
    return proving, (Prove(target),)


def _proves_unanswered(state: State, target: Question) -> bool:
    """Whether the proof gives the answer away. Of a recall card, the answer is out by then."""
    return state.phase in (Phase.ASKED, Phase.CHOSEN) and target is state.question


@_react.register
def _proof_done(event: inputs.ProofDone, state: State) -> Step:
    if state.phase is not Phase.PROVING:
        return _stay(state)
    of_this = state.proving is state.question and state.back in OPEN
    evidence = event.evidence if of_this else state.evidence
    back = replace(state, phase=state.back, back=Phase.ASKED, evidence=evidence, proving=None)
    return back, ()


@_react.register
def _quit(_: inputs.Quit, state: State) -> Step:
    if state.phase is Phase.FINISHED:
        return _stay(state)
    if state.phase in WRITING:
        return replace(state, leaving=True), ()
    if state.phase is Phase.DONE:  # its summary stands on the screen
        return replace(state, phase=Phase.FINISHED), (Finish(),)
    return _finish(state)


def _finish(state: State) -> Step:
    done = replace(state, phase=Phase.FINISHED, question=None, chosen=None, proving=None)
    return done, (Show(_summary(state)), Finish())


def _summary(state: State) -> Summary:
    first: dict[str, Draft] = {}
    for given in state.given:
        first.setdefault(given.draft.question.card.key, given.draft)
    return Summary(
        answers=len(state.given),
        cards=len(first),
        recalled=sum(draft.grade > Grade.AGAIN for draft in first.values()),
        fooled=tuple(g.draft for g in state.given if g.draft.correct is False and g.draft.choice),
        skipped=state.skipped,
        left=len(state.queue),
    )
