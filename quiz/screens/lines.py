"""Each block of a sitting as lines of plain text, no wider than the screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from quiz.deck.draw import Worth
from quiz.deck.fill import fill
from quiz.events import Confidence, Grade
from quiz.numbers import amount
from quiz.screens.mathematics import readable
from quiz.screens.wrap import columns, spread, wrap
from quiz.session import blocks
from quiz.session.blocks import Ask, AskConfidence, Block, Feedback, Key, Summary
from quiz.session.question import Draft, Question
from verify.api import BYTE, ONE, Language, Text

GRADES: Mapping[Grade, Text] = {
    Grade.AGAIN: Text(ja="もう一度", en="again"),
    Grade.HARD: Text(ja="難しい", en="hard"),
    Grade.GOOD: Text(ja="正解", en="good"),
    Grade.EASY: Text(ja="簡単", en="easy"),
}
CONFIDENCES: Mapping[Confidence, Text] = {
    Confidence.SURE: Text(ja="確信がある", en="sure"),
    Confidence.THINK_SO: Text(ja="たぶん", en="think so"),
    Confidence.GUESS: Text(ja="勘", en="guess"),
}


@dataclass(frozen=True)
class Page:
    """How to write: the language, the width in columns, the titles of decks by id, and the days
    left to an exam, where one is planned."""

    language: Language
    width: int
    titles: Mapping[str, Text]
    exam_in: int | None = None

    def say(self, text: Text) -> str:
        return text.pick(self.language)

    def lines(self, block: Block) -> list[str]:
        """The block's lines, an empty one before it where it starts something new."""
        write: dict[type, Callable[[Any], list[str]]] = {
            blocks.Ask: self._ask,
            blocks.AskConfidence: self._ask_confidence,
            blocks.Hint: lambda block: self.prose(block.hint),
            blocks.Key: self._key,
            blocks.Feedback: self._feedback,
            blocks.Notice: lambda block: wrap(self.say(block.text), self.width),
            blocks.Summary: self._summary,
        }
        return write[type(block)](block)

    def prose(self, text: Text, question: Question | None = None, *, first: str = " ") -> list[str]:
        """Deck text: parameters filled in, simple mathematics made readable."""
        filled = fill(self.say(text), question.parameters if question else {})
        return wrap(readable(filled), self.width, first=first)

    def days(self, interval: int) -> str:
        """`今日中`, `3 日`; `today`, `3 days`."""
        if interval == 0:
            return self.say(Text(ja="今日中", en="today"))
        return self.say(Text(ja=f"{interval} 日", en=f"{interval} day" + "s" * (interval > 1)))

    def progress(self, block: Ask) -> str:
        """Which card of how many, and the days left: `3 / 12 · 本番まで 83 日`."""
        number, days = f"{block.number} / {block.total}", self.exam_in
        if days is None:
            return number
        left = Text(ja=f"本番まで {days} 日", en=f"{days} day{'s' * (days > 1)} to the exam")
        today = Text(ja="本番は今日です", en="the exam is today")
        return f"{number} · {self.say(left if days else today)}"

    def _ask(self, block: Ask) -> list[str]:
        question = block.question
        title = self.titles.get(question.card.deck)
        heading = self.say(title) if title else question.card.deck
        lines = ["", *spread(heading, self.progress(block), self.width), ""]
        lines += self.prose(question.card.ask, question)
        if question.order:
            lines.append("")
        for choice in question.order:
            lines += self.prose(choice.text, question, first=f"   {question.letter(choice)}  ")
        return [*lines, ""]

    def _ask_confidence(self, block: AskConfidence) -> list[str]:
        how_sure = Text(ja="どのくらい確信がありますか。", en="How sure are you?")
        return wrap(f"{block.question.letter(block.chosen)}  {self.say(how_sure)}", self.width)

    def _key(self, block: Key) -> list[str]:
        question = block.question
        lines = ["", *self.prose(question.card.answer or Text(en=""), question)]
        return [*lines, *self._explanation(question), ""]

    def _explanation(self, question: Question) -> list[str]:
        explain = question.card.explain
        return ["", *self.prose(explain, question)] if explain else []

    def _feedback(self, block: Feedback) -> list[str]:
        draft, question = block.draft, block.draft.question
        lines = [""]
        if draft.correct:
            lines += wrap(self.say(self._praise(block)), self.width)
            if question.expected:
                lines += wrap(self.result(question.expected), self.width)
        elif question.order:
            lines += self._belief(block)
        else:
            lines += self._wrong_number(block)
        lines += self._explanation(question)
        if block.draft.grade is Grade.AGAIN:
            back = Text(
                ja="この問題は、あとでもう一度出ます。", en="This card comes back later on."
            )
            lines += ["", *wrap(self.say(back), self.width)]
        return lines

    def _praise(self, block: Feedback) -> Text:
        if block.interval == 0:  # crammed while due: that stays
            return Text(
                ja="正解です。予定は変わりません。", en="Right. The schedule stays as it is."
            )
        again = self.days(block.interval)
        if block.draft.confidence is Confidence.GUESS:
            return Text(
                ja=f"正解です。勘だったので、早めの {again}後に復習します。",
                en=f"Right, by a guess, so it comes back sooner: in {again}.",
            )
        return Text(ja=f"正解です。次は {again}後です。", en=f"Right. Next in {again}.")

    def _belief(self, block: Feedback) -> list[str]:
        question = block.draft.question
        chosen = next(c for c in question.order if c.key == block.draft.choice)
        said = readable(fill(self.say(chosen.text), question.parameters))
        named = Text(
            ja=f"{question.letter(chosen)} ではありません。「{said}」",
            en=f"Not {question.letter(chosen)}: “{said}”",
        )
        lines = wrap(self.say(named), self.width)
        if chosen.why:
            lines += self.prose(chosen.why, question)
        truth = question.card.truth
        right = self.say(Text(ja="正解は", en="It is"))
        return [
            *lines,
            "",
            *self.prose(truth.text, question, first=f" {right} {question.letter(truth)}  "),
        ]

    def _wrong_number(self, block: Feedback) -> list[str]:
        draft, question = block.draft, block.draft.question
        if question.expected is None:
            return []
        result = self.result(question.expected)
        typed = self.amount(draft.given or Fraction(0), question.expected)
        text = Text(
            ja=f"{typed} ではありません。正解は {result} です。",
            en=f"Not {typed}: it is {result}.",
        )
        lines = wrap(self.say(text), self.width)
        for lure, _ in question.lures:
            if lure.belief == draft.choice and lure.why:
                lines += self.prose(lure.why, question)
        return lines

    def amount(self, value: Fraction | float, like: Worth) -> str:
        """A number in the unit of `like`: `6.00 MiB`, `0.25 s`, `3/11`, `12`."""
        return amount(value, like.unit)

    def result(self, expected: Worth) -> str:
        """The right number, rounded for reading, and beside it to the last digit."""
        shown, value = self.amount(expected.value, expected), Fraction(expected.value)
        if expected.unit == BYTE and value.denominator == 1 and value >= 1024:
            return f"{shown} ({int(value):,} B)"
        if expected.unit == ONE and value.denominator > 1 and "/" in shown:
            return f"{shown} ({float(value):.4f})"
        return shown

    def _summary(self, block: Summary) -> list[str]:
        if not block.answers:
            nothing = Text(ja="解答は記録していません。", en="No answer was recorded.")
            return ["", *wrap(self.say(nothing), self.width)]
        text = Text(
            ja=f"{block.cards} 問に {block.answers} 回答え、"
            f"一度で思い出せたのは {block.recalled} 問です。",
            en=f"{block.cards} card{'s' * (block.cards > 1)}, "
            f"{block.answers} answer{'s' * (block.answers > 1)}, "
            f"{block.recalled} recalled at once.",
        )
        lines = ["", *wrap(self.say(text), self.width)]
        if block.fooled:
            lines += wrap(self.say(Text(ja="惑わされた考え:", en="Fooled by:")), self.width)
        times = Counter((d.question.card.key, d.choice) for d in block.fooled)
        told = {(d.question.card.key, d.choice): d for d in reversed(block.fooled)}
        for belief, count in times.items():
            first = f"   {count}×  " if max(times.values()) > 1 else "   "
            lines += wrap(self._fooled(told[belief]), self.width, first=first)
        rest = [
            Text(ja=f"残り {block.left} 問", en=f"{block.left} left") if block.left else None,
            Text(ja=f"飛ばした問題 {block.skipped} 問", en=f"{block.skipped} skipped")
            if block.skipped
            else None,
        ]
        lines += columns([self.say(text) for text in rest if text], self.width)
        return lines

    def _fooled(self, draft: Draft) -> str:
        """What the lure says; of a number, which says nothing by itself, why it is wrong."""
        question, belief = draft.question, draft.choice or ""
        said = [choice.text for choice in question.order if choice.key == belief]
        said += [lure.why for lure, _ in question.lures if lure.belief == belief and lure.why]
        return readable(fill(self.say(said[0]), question.parameters)) if said else belief

    def upcoming(self, next_due: tuple[int, int] | None) -> list[str]:
        """When the next cards are due."""
        if next_due is None:
            return []
        days, count = next_due
        when = Text(
            ja=("今日" if days == 0 else "明日" if days == 1 else f"{days} 日後")
            + f"の復習は {count} 問です。",
            en=f"Next due: {count} card{'s' * (count > 1)} "
            + ("today." if days == 0 else "tomorrow." if days == 1 else f"in {days} days."),
        )
        return wrap(self.say(when), self.width)
