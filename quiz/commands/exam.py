"""`quiz exam`: a mock exam against the clock."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated

import typer

from quiz.commands.common import LANGUAGE, say, surroundings
from quiz.commands.json_line import json_line
from quiz.commands.options import Decks, check_minutes
from verify.api import Text, UsageError, printable

if TYPE_CHECKING:
    from quiz.clock import Clock
    from quiz.deck.card import Choice, Deck
    from quiz.exam.paper import Paper
    from quiz.exam.score import Result
    from quiz.memory.states import LogState
    from quiz.session.question import Question
    from quiz.store import Store

HELP = say(
    "時間を計って、四択の模擬試験をします。終わるまで正誤は表示しません。途中で止められませんが、"
    "画面が閉じても quiz exam で続けられます(時計は進みます)。解答は復習の間隔に影響せず、"
    "間違えた問題だけを、その日の quiz study で復習します。\n\n"
    "例: quiz exam\n\n例: quiz exam --items 20 --minutes 24\n\n例: quiz exam --last --json",
    "A timed mock exam of four-choice questions, without feedback until the end. It can't be"
    " paused; if the screen closes, quiz exam resumes it while the clock runs. Its answers don't"
    " touch the intervals; what was wrong is due in quiz study the same day.\n\n"
    "Example: quiz exam\n\nExample: quiz exam --items 20 --minutes 24\n\n"
    "Example: quiz exam --last --json",
)

NO_POOL = Text(
    ja="四択にできるカードがありません。",
    en="No card can be asked with four choices.",
)
GOES_ON = Text(ja="開いている模擬試験の続きです。", en="This goes on with the exam that is open.")
RAN_OUT = Text(
    ja="開いていた模擬試験は、時間切れになりました。",
    en="The exam that was open has run out of time.",
)
STILL_OPEN = Text(
    ja="模擬試験はまだ終わっていません。得点は終わってから表示します。quiz exam で続けられます。",
    en="The exam isn't over yet; its score comes at the end. quiz exam goes on with it.",
)
NONE_YET = Text(ja="模擬試験をまだ受けていません。", en="No mock exam has been taken yet.")


def command(
    decks: Decks = None,
    items: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help=say("問題の数(指定しなければ 100)", "questions (100)")
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            callback=check_minutes,
            help=say("制限時間(指定しなければ 1 問 72 秒)", "time limit (72 s a question)"),
        ),
    ] = None,
    last: Annotated[
        bool, typer.Option("--last", help=say("前回の得点を表示", "show the last score"))
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help=say("得点を JSON で出力", "print the score as JSON"))
    ] = False,
) -> None:
    from quiz.commands.decks import all_decks
    from quiz.commands.streams import reader, write
    from quiz.exam.paper import NAME as EXAM
    from quiz.exam.paper import Paper
    from quiz.exam.paper import question as make_question
    from quiz.exam.score import given, result
    from quiz.memory.stats import standing_answers
    from quiz.screens.exam import ExamScreen, result_lines
    from quiz.screens.lines import Page
    from quiz.store import open_store

    around = surroundings()
    found = all_decks(decks or [])
    page = Page(LANGUAGE, around.width, {deck.id: deck.title for deck in found})

    def tell(text: Text) -> None:
        if not as_json:
            typer.echo("\n".join(page.prose(text)))

    with open_store(around.home, write=not last) as store:
        paper = Paper.of(store.setting(EXAM))
        unscored = NONE_YET if paper is None else STILL_OPEN
        if last and (paper is None or _is_open(paper, around.clock)):
            typer.echo(json_line(None) if as_json else "\n".join(page.prose(unscored)))
            return
        if paper is None or (paper.ended and not last):
            paper = _begin(found, around.clock, items, minutes, tell)
            store.set(EXAM, paper.record())
        elif not last:
            tell(GOES_ON if _is_open(paper, around.clock) else RAN_OUT)
        state = store.state()
        answers = given(paper, standing_answers(list(store.events())))
        every = {card.key: card for deck in found for card in deck.cards}
        if any(key not in every for key in paper.cards):
            every |= {card.key: card for deck in all_decks([]) for card in deck.cards}
        questions = {
            key: made
            for key in paper.cards
            if key in every
            and (made := make_question(every[key], paper.sitting, state.of(key).answers))
        }
        over = last
        gone = [key for key in paper.cards if key not in every and key not in answers]
        if gone and not last and _is_open(paper, around.clock):
            raise _gone(gone)  # not the end: what isn't asked would count as not right
        if not last:
            left = [made for key, made in questions.items() if key not in answers]
            desk = _Desk(store, state, around.clock, paper)
            screen = ExamScreen(page, desk, reader(), write, lambda: around.clock.now().at)
            over = screen.run(left, len(paper.cards), paper.deadline)
        if not over:
            return
        if not last:
            store.set(EXAM, replace(paper, ended=True).record())
        came_to = result(paper, given(paper, standing_answers(list(store.events()))))
    if as_json:
        typer.echo(json_line(_record(paper, came_to)))
    else:
        typer.echo("\n".join(result_lines(page, came_to, questions)))


def _is_open(paper: Paper, clock: Clock) -> bool:
    return not paper.ended and clock.now().at < paper.deadline


def _gone(cards: Sequence[str]) -> UsageError:
    first, count = printable(cards[0])[:80], len(cards)
    return UsageError(
        Text(
            ja=f"開いている模擬試験の問題 {count} 問({first} など)が、どのデッキにもありません。",
            en=f"No deck has {first}, one of {count} questions left in the exam that is open.",
        ),
        Text(
            ja="始めたときのデッキも指定してください: quiz exam DECK。なければ、試験は時間切れで"
            "終わります。",
            en="Name the deck it was begun with: quiz exam DECK. Without it, the exam ends when its"
            " time is up.",
        ),
    )


def _begin(
    decks: Sequence[Deck],
    clock: Clock,
    items: int | None,
    minutes: float | None,
    tell: Callable[[Text], None],
) -> Paper:
    """Draw a paper and say how it compares with the real exam. Raises UsageError where no card
    can be asked."""
    from quiz.exam.paper import FULL, PACE, fitting, set_paper

    cards = [card for deck in decks for card in deck.cards]
    pool = fitting(cards)
    if not pool:
        raise UsageError(
            NO_POOL,
            Text(
                ja="誤答が三つ以上ある選択問題か計算問題が必要です。",
                en="A trap or compute card with three lures or more is needed.",
            ),
        )
    count = min(items or FULL, pool)
    seconds = 60 * minutes if minutes is not None else PACE * count
    paper = set_paper(cards, str(uuid.uuid4()), clock.now().at, count, seconds)
    questions = f"{count} question{'s' * (count != 1)}"
    time = f"{round(seconds / 60, 1):g}"  # minutes
    tell(
        Text(
            ja=f"{count} 問、{time} 分です。本番は {FULL} 問 120 分で、"
            f"四択にできるカードは {pool} 枚あります。始めます。",
            en=f"{questions}, {time} minutes. The real exam has {FULL}"
            f" in 120 minutes; {pool} cards can be asked with four choices. The clock runs.",
        )
    )
    return paper


class _Desk:
    """Appends answers of an exam. They never enter FSRS; a wrong one makes its card due today."""

    def __init__(self, store: Store, state: LogState, clock: Clock, paper: Paper) -> None:
        self._store, self._state, self._clock, self._paper = store, state, clock, paper

    def save(self, question: Question, choice: Choice, typed: str, seconds: float) -> None:
        from quiz.deck.content import content_hash
        from quiz.events import Answer, EventKind, Grade, Origin
        from quiz.memory.scheduler import engine

        card = question.card
        answer = Answer(
            card=card.key,
            card_kind=card.kind.value,
            content=content_hash(card),
            origin=Origin.EXAM,
            sitting=self._paper.sitting,
            repetition=question.repetition,
            grade=Grade.GOOD if choice.is_truth else Grade.AGAIN,
            seconds=round(max(0.0, seconds), 3),
            parameters=dict(question.parameters),
            order=tuple(each.key for each in question.order),
            choice=choice.key,
            raw=typed,
            correct=choice.is_truth,
            parameter_set=self._state.parameter_set,
            engine=engine(),
        )
        self._store.append(self._clock.now().event(EventKind.ANSWER, answer=answer))


def _record(paper: Paper, came_to: Result) -> dict[str, object]:
    return {
        "sitting": paper.sitting,
        "at": paper.at.isoformat(),
        "seconds": paper.seconds,
        "scores": [
            {
                name: round(value, 4) if isinstance(value, float) else value
                for name, value in asdict(score).items()
            }
            for score in came_to.scores
        ],
        "wrong": [answer.card for answer in came_to.wrong],
        "unanswered": came_to.unanswered,
    }
