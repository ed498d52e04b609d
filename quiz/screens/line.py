"""The plain screen: a block, then one line read per step. For a pipe, a dumb terminal, a reader."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from quiz.deck.card import Kind
from quiz.events import Confidence, Grade
from quiz.screens.lines import CONFIDENCES, GRADES, Page
from quiz.screens.wrap import columns, wrap
from quiz.session import inputs
from quiz.session.inputs import Input
from quiz.session.question import LETTERS
from quiz.session.state import Phase, State, provable
from quiz.sitting import Progress, Report, Sitting
from verify.api import BYTE, ONE, Text

HELP = Text(
    ja="Enter 答えを見る・終わる   1–4 思い出せた度合い (1 もう一度、4 簡単)\n"
    "a b c … 選ぶ   1 確信がある   2 たぶん   3 勘\n"
    "計算問題は数と単位で答えます (6 MiB = 6 × 2^20 B、6 MB = 6 × 10^6 B)。"
    "誤差 0.5% までは正解、個数はちょうどで正解です。\n"
    "v 測って確かめる (答えたあとなら、その問題)   h ヒント\n"
    "u 直前の解答を取り消す   s 飛ばす   q 終了 (記録は残ります)",
    en="Enter shows the answer, or ends   1–4 how well you recalled (1 again, 4 easy)\n"
    "a b c … choose   1 sure   2 think so   3 guess\n"
    "Compute: a number with its unit (6 MiB = 6 × 2^20 B, 6 MB = 6 × 10^6 B). "
    "Right within 0.5%; a count must be exact.\n"
    "v measure it (after an answer: that card)   h hint\n"
    "u undo the last answer   s skip   q quit (answers are kept)",
)
CONFUSED = {
    Phase.REVEALED: Text(ja="1–4 で答えてください。", en="Answer with 1–4."),
    Phase.CHOSEN: Text(ja="1–3 で答えてください。", en="Answer with 1–3."),
    Phase.DONE: Text(ja="Enter で終わります。", en="Press Enter to end."),
}
CHOOSE = Text(ja="選択肢の文字で答えてください。", en="Answer with the letter of a choice.")
REVEAL_FIRST = Text(
    ja="まず Enter で答えを見てください。", en="Press Enter to see the answer first."
)
NOTHING_TYPED = Text(ja="数を入力してください。", en="Type a number.")
_COMMANDS: dict[str, Input | Text] = {
    "?": HELP,
    "q": inputs.Quit(),
    "u": inputs.UndoAsked(),
    "s": inputs.Skipped(),
    "h": inputs.HintAsked(),
    "v": inputs.ProofAsked(),
}


def interpret(line: str, state: State) -> Input | Text:  # noqa: PLR0911  # a table reads best flat
    """What a line means where the sitting stands, or a short word on what would make sense."""
    key = unicodedata.normalize("NFKC", line[:100]).strip().lower()
    if key in _COMMANDS:
        return _COMMANDS[key]
    match state.phase:
        case Phase.ASKED if state.question is not None:
            return _answer(line, key, state.question.card.kind)
        case Phase.REVEALED if key in ("1", "2", "3", "4"):
            return inputs.Graded(Grade(int(key)))
        case Phase.CHOSEN if key in ("1", "2", "3"):
            return inputs.Sure(Confidence(int(key)))
        case Phase.CHOSEN if len(key) == 1 and key in LETTERS:
            return inputs.Chosen(key)
        case Phase.DONE if key in ("", "n"):
            return inputs.Next()
    return CONFUSED[state.phase]


def _answer(line: str, key: str, kind: Kind) -> Input | Text:
    if kind is Kind.RECALL:
        return REVEAL_FIRST if key else inputs.Revealed()
    if kind is Kind.TRAP:
        return inputs.Chosen(key) if len(key) == 1 and key in LETTERS else CHOOSE
    return inputs.Typed(line.strip()) if key else NOTHING_TYPED


class LineScreen:
    """Runs a sitting over `read`, which gives the next line or None at the end, and `write`."""

    def __init__(
        self,
        sitting: Sitting,
        page: Page,
        read: Callable[[], str | None],
        write: Callable[[str], None],
    ) -> None:
        self.sitting = sitting
        self.page = page
        self._read = read
        self._write = write

    def run(self) -> None:
        """From the first question to the summary. The end of the input ends it as `q` does."""
        self._send(inputs.Started())
        self._print(self._keys())
        while self.sitting.state.phase is not Phase.FINISHED:
            line = self._read()
            meant = inputs.Quit() if line is None else interpret(line, self.sitting.state)
            if isinstance(meant, Text):
                rows = self.page.say(meant).split("\n")  # a key stays beside what it does
                self._print(
                    [each for row in rows for each in columns(row.split("   "), self.page.width)]
                )
                continue
            before = self.sitting.state
            self._send(meant)
            if self.sitting.state.phase is Phase.FEEDBACK:
                self._send(inputs.Next())
            now = self.sitting.state
            if (now.phase, now.question) != (before.phase, before.question) or isinstance(
                meant, inputs.ProofAsked
            ):
                self._print(self._keys())
        self._print(self.page.upcoming(self.sitting.recorder.upcoming()))

    def _send(self, event: Input) -> None:
        proving = False
        for part in self.sitting.send(event):
            match part:
                case Progress(text):
                    if not proving:  # one line says what goes on; a reader shouldn't hear them all
                        self._print(wrap(self.page.say(text), self.page.width))
                    proving = True
                case Report(text):
                    self._print(["", *text.split("\n"), ""])
                case None:
                    pass
                case _:
                    self._print(self.page.lines(part))

    def _print(self, lines: list[str]) -> None:
        if lines:
            self._write("\n".join(lines) + "\n")

    def _keys(self) -> list[str]:
        """The keys that make sense now."""
        state, say = self.sitting.state, self.page.say
        question = state.question
        items: list[str] = []
        match state.phase:
            case Phase.ASKED if question is not None:
                items += self._ways_to_answer()
                if question.card.hint:
                    items.append(say(Text(ja="h ヒント", en="h hint")))
                items.append(say(Text(ja="s 飛ばす", en="s skip")))
            case Phase.CHOSEN:
                items += [f"{c.value} {say(text)}" for c, text in CONFIDENCES.items()]
                items.append(say(Text(ja="u 選び直す", en="u choose again")))
            case Phase.REVEALED if question is not None:
                preview = self.sitting.recorder.preview(question)
                items += [
                    f"{g.value} {say(text)} ({self.page.days(preview[g])})"
                    for g, text in GRADES.items()
                ]
            case Phase.DONE:
                items.append(say(Text(ja="Enter 終わる", en="Enter end")))
            case _:
                return []
        target = provable(state)
        if target is not None and target.card.proof and state.phase is not Phase.CHOSEN:
            if target is question and state.phase is not Phase.DONE:
                if state.phase is Phase.REVEALED:
                    items.append(say(Text(ja="v 測って確かめる", en="v measure it")))
            else:
                items.append(say(Text(ja="v 前の問題を測る", en="v measure the last card")))
        if state.given and state.phase is not Phase.CHOSEN:
            items.append(say(Text(ja="u 取り消す", en="u undo")))
        return columns([*items, say(Text(ja="? キー一覧", en="? keys"))], self.page.width)

    def _ways_to_answer(self) -> list[str]:
        question, say = self.sitting.state.question, self.page.say
        if question is None:
            return []
        if question.card.kind is Kind.RECALL:
            return [say(Text(ja="Enter 答えを見る", en="Enter show the answer"))]
        if question.order:
            last = LETTERS[len(question.order) - 1]
            return [say(Text(ja=f"a–{last} 答える", en=f"a–{last} answer"))]
        unit = question.expected.unit if question.expected else ONE
        example = question.card.unit or ("MiB" if unit == BYTE else "")
        if unit != ONE:
            example = f"1.25 {example or unit}"
            return [
                say(Text(ja=f"数と単位で答える (例 {example})", en=f"a number, such as {example}"))
            ]
        return [say(Text(ja="数で答える (例 12、3/11)", en="a number, such as 12 or 3/11"))]
