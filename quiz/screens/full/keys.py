"""Which keys apply where a sitting stands: one table for what they do and what the prompt says."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from quiz.deck.card import Kind
from quiz.events import EventKind
from quiz.screens.lines import CONFIDENCES, GRADES, Page
from quiz.session import inputs
from quiz.session.inputs import Input
from quiz.session.question import LETTERS, Question
from quiz.session.state import Phase, State, markable, provable
from quiz.sitting import Recorder
from verify.api import BYTE, ONE, Text


class Command(Enum):
    """What a key asks of the screen itself."""

    HELP = auto()
    PANE = auto()  # the proof, shown or not
    CLOSE = auto()  # help, else the proof pane
    STOP = auto()  # the proof that runs
    EDIT = auto()
    CONTRAST = auto()
    FLAG = auto()
    SUBMIT = auto()  # the number typed
    CLEAR = auto()


@dataclass(frozen=True)
class Action:
    """Keys that do one thing. Without a label it is on the help page alone."""

    keys: tuple[str, ...]
    does: Input | Command
    label: str = ""
    shown: str = ""  # what the prompt calls the keys

    @property
    def prompt(self) -> str:
        return f"{self.shown or self.keys[0]} {self.label}" if self.label else ""


def normal(key: str, character: str | None) -> str:
    """One name for each key: the half-width character, else the name of a special key."""
    if character is not None and character.isprintable():
        plain = unicodedata.normalize("NFKC", character)
        return "space" if plain == " " else plain
    return key


_ENTER = ("enter", "space", "n")


@dataclass(frozen=True)
class Where:
    """Where a key is pressed."""

    state: State
    page: Page
    recorder: Recorder
    helping: bool = False  # the help page is shown
    pane: bool = False  # the proof pane is shown
    has_report: bool = False  # there is something to show in it
    typed: bool = False  # a number has been begun
    proving: bool = False
    held: int = 0  # keys that wait for the end of the proof


def actions(where: Where) -> list[Action]:
    """Everything that a key can do there, in the order of the prompt."""
    say = where.page.say
    if where.helping:
        close = Action(("escape", "?", *_ENTER, "q"), Command.CLOSE, say(_CLOSE), "Esc")
        return [close, Action(("↑ ↓",), Command.HELP, say(_SCROLL)), _contrast()]
    if where.proving:
        return [
            Action(("escape",), Command.STOP, say(_STOP), "Esc"),
            Action(("q",), inputs.Quit(), say(_QUIT)),
            *_screen(where),
        ]
    if where.typed and where.state.phase is Phase.ASKED:
        submit = Action(("enter",), Command.SUBMIT, say(_HAND_IN), "Enter")
        return [submit, Action(("escape",), Command.CLEAR, say(_CLEAR), "Esc")]
    found = [*_answers(where), *_about_the_card(where)]
    if where.state.phase is Phase.CHOSEN:
        found.append(Action(("u", "escape"), inputs.UndoAsked(), say(_CHOOSE_AGAIN)))
    elif where.state.given or where.state.aside:
        found.append(Action(("u",), inputs.UndoAsked(), say(_UNDO)))
    return [*found, *_screen(where), Action(("q",), inputs.Quit())]


def meaning(name: str, where: Where) -> Action | None:
    """What the key does there, if anything. Capitals count as small letters unless they differ."""
    table = {key: action for action in reversed(actions(where)) for key in action.keys}
    return table.get(name) or table.get(name.lower() if len(name) == 1 else name)


def _answers(where: Where) -> Iterator[Action]:
    say, question = where.page.say, where.state.question
    match where.state.phase:
        case Phase.ASKED if question is not None:
            yield from _ways_to_answer(where, question)
            yield Action(("h",), inputs.HintAsked(), say(_HINT) if question.card.hint else "")
            yield Action(("s",), inputs.Skipped(), say(_SKIP))
        case Phase.CHOSEN if question is not None:
            for confidence, text in CONFIDENCES.items():
                yield Action((str(confidence.value),), inputs.Sure(confidence), say(text))
            yield from _letters(question, "")
        case Phase.REVEALED if question is not None:
            preview = where.recorder.preview(question)
            for grade, text in GRADES.items():
                label = f"{say(text)} ({where.page.days(preview[grade])})"
                yield Action((str(grade.value),), inputs.Graded(grade), label)
            yield Action(("s",), inputs.Skipped())
        case Phase.FEEDBACK:
            yield Action(_ENTER, inputs.Next(), say(_NEXT), "Enter")
        case Phase.DONE:
            yield Action(_ENTER, inputs.Next(), say(_END), "Enter")


def _ways_to_answer(where: Where, question: Question) -> Iterator[Action]:
    say = where.page.say
    if question.card.kind is Kind.RECALL:
        yield Action(("enter", "space"), inputs.Revealed(), say(_REVEAL), "Enter")
    elif question.order:
        yield from _letters(question, say(_ANSWER))
    else:
        unit = question.expected.unit if question.expected else ONE
        example = f"1.25 {question.card.unit or ('MiB' if unit == BYTE else unit)}"
        label = say(_SUBMIT).format(example="12, 3/11" if unit == ONE else example)
        yield Action(("enter",), Command.SUBMIT, label, "Enter")


def _letters(question: Question, label: str) -> Iterator[Action]:
    letters = LETTERS[: len(question.order)]
    for letter in letters:
        shown = f"{letters[0]}–{letters[-1]}"
        yield Action((letter,), inputs.Chosen(letter), label if letter == letters[0] else "", shown)


def _about_the_card(where: Where) -> Iterator[Action]:
    state, say = where.state, where.page.say
    target = provable(state)
    if target is not None and target.card.proof and state.phase is not Phase.CHOSEN:
        own = target is state.question and state.phase is not Phase.DONE
        if own and state.phase is Phase.ASKED:
            yield Action(("v",), inputs.ProofAsked())  # it would give the answer away
        elif own or state.phase is Phase.FEEDBACK:
            again = where.has_report
            yield Action(("v",), inputs.ProofAsked(), say(_MEASURE_AGAIN if again else _MEASURE))
        else:
            yield Action(("v",), inputs.ProofAsked(), say(_MEASURE_LAST))
    question = markable(state)
    if question is not None:
        yield Action(("E",), Command.EDIT)
        yield Action(("*",), Command.FLAG)
        yield Action(("=",), inputs.Marked(EventKind.BURY))
        yield Action(("@",), inputs.Marked(EventKind.SUSPEND))


def _screen(where: Where) -> Iterator[Action]:
    say = where.page.say
    if where.has_report or where.proving:
        yield Action(("tab",), Command.PANE, say(_HIDE if where.pane else _SHOW), "Tab")
    if where.pane and not where.proving and where.state.phase is not Phase.CHOSEN:
        yield Action(("escape",), Command.CLOSE)
    yield _contrast()
    yield Action(("?",), Command.HELP, say(_KEYS))


def _contrast() -> Action:
    return Action(("T",), Command.CONTRAST)


_CLOSE = Text(ja="閉じる", en="close")
_SCROLL = Text(ja="スクロール", en="scroll")
_STOP = Text(ja="測定をやめる", en="stop measuring")
_QUIT = Text(ja="終了", en="quit")
_CHOOSE_AGAIN = Text(ja="選び直す", en="choose again")
_UNDO = Text(ja="取り消す", en="undo")
_HINT = Text(ja="ヒント", en="hint")
_SKIP = Text(ja="飛ばす", en="skip")
_NEXT = Text(ja="次へ", en="next")
_END = Text(ja="終わる", en="end")
_REVEAL = Text(ja="答えを見る", en="show the answer")
_ANSWER = Text(ja="答える", en="answer")
_SUBMIT = Text(ja="答える (例 {example})", en="answer, such as {example}")
_HAND_IN = Text(ja="答える", en="submit")  # “Enter answer” would ask for one
_CLEAR = Text(ja="消す", en="clear")
_MEASURE = Text(ja="測って確かめる", en="measure it")
_MEASURE_AGAIN = Text(ja="測り直す", en="measure again")
_MEASURE_LAST = Text(ja="前の問題を測る", en="measure the last card")
_SHOW = Text(ja="測定を表示", en="show the proof")
_HIDE = Text(ja="測定を隠す", en="hide the proof")
_KEYS = Text(ja="キー一覧", en="keys")
