"""The mock exam on the plain screen: a question, then one line read. No feedback until the end."""

from __future__ import annotations

import unicodedata
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from quiz.deck.card import Choice
from quiz.events import Answer
from quiz.exam.score import Result
from quiz.screens.lines import Page
from quiz.screens.wrap import columns, named, spread, wrap
from quiz.session.blocks import Ask
from quiz.session.question import Question
from verify.api import Text

KEYS = (
    Text(ja="a–d 答える", en="a–d answer"),
    Text(ja="Enter あとで答える", en="Enter leave it for later"),
    Text(ja="q 提出する", en="q hand in"),
)
SURE = Text(
    ja="未解答が {left} 問あります。提出するなら、もう一度 q を入力してください。",
    en="{left} not answered. Enter q once more to hand in.",
)
CHOOSE = Text(ja="a–d で答えてください。", en="Answer with a–d.")
TIME_IS_UP = Text(
    ja="時間になりました。いまの解答は数えません。", en="Time is up. That answer doesn't count."
)
OVER = Text(ja="時間になりました。", en="Time is up.")
LEFT_OPEN = Text(
    ja="試験は終わっていません。時計は進んでいます。quiz exam で {clock} まで続けられます。",
    en="The exam isn't over and the clock runs on. quiz exam resumes it until {clock}.",
)
TO_STUDY = Text(
    ja="間違えた {wrong} 問は、今日の quiz study で復習します。",
    en="Answered wrong: {wrong}. Due today in quiz study.",
)


class Desk(Protocol):
    """Where answers of an exam go."""

    def save(self, question: Question, choice: Choice, typed: str, seconds: float) -> None:
        """Make the answer durable. Raises ProofdeckError where that fails."""


class ExamScreen:
    """Asks what is left of an exam until it is answered, handed in, or out of time."""

    def __init__(
        self,
        page: Page,
        desk: Desk,
        read: Callable[[], str | None],
        write: Callable[[str], None],
        now: Callable[[], datetime],
    ) -> None:
        self._page, self._desk, self._read, self._write, self._now = page, desk, read, write, now

    def run(self, left: Sequence[Question], total: int, deadline: datetime) -> bool:
        """Whether the exam is over. It isn't where the input ended before that."""
        waiting, warned = deque(left), False
        while waiting and (began := self._now()) < deadline:
            question = waiting[0]
            self._ask(question, total - len(waiting) + 1, total, deadline - began)
            line = self._read()
            now = self._now()
            if now >= deadline:
                self._say(TIME_IS_UP if line else OVER)
                break
            if line is None:
                clock = f"{deadline.astimezone():%H:%M}"
                self._say(LEFT_OPEN.fill(clock=clock))
                return False
            key = unicodedata.normalize("NFKC", line[:100]).strip().lower()
            choice = question.choice(key)
            if choice is not None:
                self._desk.save(question, choice, key, (now - began).total_seconds())
                waiting.popleft()
            elif not key:
                waiting.rotate(-1)
            elif key == "q":
                if warned:
                    break
                self._say(SURE.fill(left=len(waiting)))
                warned = True
                continue
            else:
                self._say(CHOOSE)
            warned = False
        return True

    def _ask(self, question: Question, number: int, total: int, left: timedelta) -> None:
        seconds = max(1, int(left.total_seconds()))
        minutes = -(-seconds // 60)
        clock = Text(ja=f"残り {minutes} 分", en=f"{minutes} min left")
        if seconds < 60:
            clock = Text(ja=f"残り {seconds} 秒", en=f"{seconds} s left")
        width, keys, told = self._page.width, [*map(self._page.say, KEYS)], self._page.say(clock)
        below = spread("   ".join(keys), told, width)
        self._print(self._page.lines(Ask(question, number, total)))
        self._print(below if len(below) == 1 else columns([*keys, told], width))

    def _say(self, text: Text) -> None:
        self._print(wrap(self._page.say(text), self._page.width))

    def _print(self, lines: Sequence[str]) -> None:
        self._write("".join(f"{line}\n" for line in lines))


def result_lines(page: Page, result: Result, questions: Mapping[str, Question]) -> list[str]:
    """The score by theme, then each wrong answer beside the right one."""
    head = Text(ja="\t正解\t正答率\t95 % の範囲", en="\tright\tshare\t95 % interval")
    rows = []
    for score in result.scores:
        title = page.titles.get(score.theme or "")
        name = Text(ja="全体", en="all") if score.theme is None else title
        rows.append(
            [
                page.say(name) if name else score.theme or "",
                f"{score.right} / {score.items}",
                f"{100 * score.right / score.items:.0f} %",
                f"{100 * score.low:.0f}–{100 * score.high:.0f} %",
            ]
        )
    lines = [
        "",
        *named([page.say(head).split("\t"), *rows], page.width),
    ]
    if result.unanswered:
        blank = Text(
            ja=f"未解答の {result.unanswered} 問は、正解に数えません。",
            en=f"Not answered: {result.unanswered}; these don't count as right.",
        )
        lines += ["", *wrap(page.say(blank), page.width)]
    for answer in result.wrong:
        lines += _wrong(page, answer, questions.get(answer.card))
    if result.wrong:
        told = TO_STUDY.fill(wrong=len(result.wrong))
        lines += ["", *wrap(page.say(told), page.width)]
    return lines


def _wrong(page: Page, answer: Answer, question: Question | None) -> list[str]:
    if question is None:
        return ["", *wrap(answer.card, page.width)]
    lines = ["", *page.prose(question.card.ask, question)]
    for sign, wanted in (("×", answer.choice), ("○", "truth")):
        for choice in question.order:
            if choice.key == wanted:
                lines += page.prose(choice.text, question, first=f"   {sign}  ")
                if sign == "×" and choice.why:
                    lines += page.prose(choice.why, question, first="      ")
    return lines
