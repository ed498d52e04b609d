"""What the card area holds: lines, and which choice each of them belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

from textual.content import Content

from quiz.deck.card import Choice
from quiz.deck.fill import fill
from quiz.numbers import answer_for, parse_number
from quiz.screens.full.entry import Entry
from quiz.screens.full.markdown import Line, render
from quiz.screens.full.reading import reading
from quiz.screens.lines import Page
from quiz.screens.wrap import spread, wrap
from quiz.session.blocks import Ask, AskConfidence, Block, Feedback
from quiz.session.question import Question
from verify.api import Text, cells

_OVER = Text(ja="今回の結果", en="This sitting")
RIGHT, WRONG, CHOSEN = "✓", "✗", "›"


@dataclass(frozen=True)
class StyledPage(Page):
    """A page whose deck text is rendered Markdown."""

    @classmethod
    def like(cls, page: Page) -> StyledPage:
        """A page that says the same."""
        return cls(**{each.name: getattr(page, each.name) for each in fields(page)})

    def prose(self, text: Text, question: Question | None = None, *, first: str = " ") -> list[str]:
        filled = fill(self.say(text), question.parameters if question else {})
        return [*render(filled, self.width, first=first)]


@dataclass(frozen=True)
class Row:
    """A line of the card area. `letter` is the choice that a click on it means."""

    content: Content
    letter: str | None = None


@dataclass(frozen=True)
class Sheet:
    """A card on screen and what was shown about it since."""

    asked: Ask | None = None
    after: tuple[Block, ...] = ()
    entry: Entry | None = None  # compute: what is being typed

    def shows(self, block: Block) -> Sheet:
        """With one more block; a new question begins a new sheet."""
        if isinstance(block, Ask):
            typed = Entry() if block.question.expected is not None else None
            return Sheet(block, entry=typed)
        kept = self.after
        if isinstance(block, AskConfidence):
            kept = tuple(b for b in kept if not isinstance(b, AskConfidence))
        if isinstance(block, Feedback):
            kept = tuple(b for b in kept if not isinstance(b, AskConfidence))
            return replace(self, after=(*kept, block), entry=None)
        return replace(self, after=(*kept, block))

    def heading(self, page: Page) -> tuple[str, str]:
        """The deck's title and how far the sitting is."""
        if self.asked is None:
            return page.say(_OVER) if self.after else "", ""
        title = page.titles.get(self.asked.question.card.deck)
        named = page.say(title) if title else self.asked.question.card.deck
        return named, page.progress(self.asked)

    def rows(self, page: StyledPage) -> list[Row]:
        """All lines, no wider than the page."""
        return [*self._question(page), *self._typed(page), *self._since(page)]

    def where_after_begins(self, page: StyledPage) -> int:
        """The row at which the last block begins."""
        before = len(replace(self, after=self.after[:-1]).rows(page))
        rows = self.rows(page)
        blank = before < len(rows) and not rows[before].content.plain.strip()
        return before + blank

    def _question(self, page: StyledPage) -> Iterator[Row]:
        if self.asked is None:
            return
        question = self.asked.question
        yield from _rows(page.prose(question.card.ask, question))
        if question.order:
            yield Row(Content(""))
        for choice in question.order:
            letter = question.letter(choice)
            first = f" {self._mark(choice)} {letter}  "
            for line in page.prose(choice.text, question, first=first):
                yield Row(_content(line), letter)

    def _mark(self, choice: Choice) -> str:
        """What stands before a choice: nothing, or what became of it."""
        for block in self.after:
            if isinstance(block, AskConfidence) and block.chosen == choice:
                return CHOSEN
            if isinstance(block, Feedback):
                if choice.is_truth:
                    return RIGHT
                if choice.key == block.draft.choice:
                    return WRONG
        return " "

    def _typed(self, page: StyledPage) -> Iterator[Row]:
        if self.entry is None or self.asked is None:
            return
        text, at = self.entry.text, self.entry.cursor
        under = text[at : at + 1] or " "
        yield Row(Content(""))
        yield Row(Content.assemble("  > ", text[:at], (under, "reverse"), text[at + 1 :]))
        expected = self.asked.question.expected
        if text.strip() and expected is not None:
            told = reading(text, parse_number(text), answer_for(expected.unit, text))
            yield from _rows(wrap(page.say(told), page.width, first="    "))
        else:
            yield Row(Content(""))

    def _since(self, page: StyledPage) -> Iterator[Row]:
        for block in self.after:
            if isinstance(block, AskConfidence):
                yield Row(Content(""))
            lines = page.lines(block)
            while lines and not lines[-1].strip():
                lines.pop()
            yield from _rows(lines)


def heading_rows(sheet: Sheet, page: Page, share: float, mark: str) -> list[Content]:
    """The title line and under it a rule, as much of it heavy as the sitting is through."""
    left, right = sheet.heading(page)
    lines = spread(left + mark, right, page.width) if left or right else [""]
    done = round(share * (page.width - 2))
    rule = Content.assemble(" ", "━" * done, ("─" * (page.width - 2 - done), "dim"))
    return [Content.styled(_fit(lines[0], page.width), "bold"), rule]


def _fit(line: str, width: int) -> str:
    while cells(line) > width:
        line = line[:-1]
    return line


def _rows(lines: Sequence[str]) -> Iterator[Row]:
    return (Row(_content(line)) for line in lines)


def _content(line: str) -> Content:
    return line.content if isinstance(line, Line) else Content(line)


def joined(rows: Sequence[Row]) -> Content:
    """The rows as one text, a line each."""
    return Content("\n").join(row.content for row in rows)
