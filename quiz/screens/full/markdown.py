"""Markdown of a deck as styled lines.

Deck text is data: HTML and images stay as they are written, a link is its label and its address,
and nothing of it reaches the markup of the screen library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from textual.content import Content

from quiz.deck.fill import MATHEMATICS
from quiz.screens.mathematics import one_line
from quiz.screens.wrap import clean
from verify.api import cells, fold

_FIRST, _LAST = 0xE000, 0xF8FF  # private characters: each stands for one formula
_MARKS = {"strong": "bold", "em": "italic", "s": "strike"}
_BULLET = "• "
_PRODUCT = re.compile(r"(?<=[0-9A-Za-z)])\*(?=[0-9A-Za-z(])")  # 2*3*4 has no emphasis


class Line(str):
    """A line of text that carries its styles with it."""

    content: Content

    @classmethod
    def of(cls, content: Content) -> Line:
        line = cls(content.plain)
        line.content = content
        return line


@dataclass
class _Paragraph:
    """Text that is wrapped as one; `first` starts the first of its lines, `rest` the others."""

    first: str
    rest: str
    parts: list[tuple[str, str]] = field(default_factory=list)  # text and style
    code: bool = False


def render(source: str, width: int, *, first: str = " ") -> list[Line]:
    """Lines no wider than `width` columns. `first` starts the first, blanks as wide the others."""
    lines: list[Line] = []
    rest = " " * cells(first)
    for paragraph in _paragraphs(source):
        if not paragraph.parts:
            lines.append(Line.of(Content("")))
            continue
        start = first if not lines else rest
        lines += _wrapped(paragraph, start, rest, width)
    return lines or [Line.of(Content(first.rstrip()))]


def _wrapped(paragraph: _Paragraph, first: str, rest: str, width: int) -> Iterator[Line]:
    content = Content.assemble(*paragraph.parts)
    first, rest = first + paragraph.first, rest + paragraph.rest
    room = max(4, width - max(cells(first), cells(rest)))
    start = 0
    for number, text in enumerate(content.plain.split("\n")):
        at = start
        for part in fold(text, room):
            at = content.plain.index(part, at)
            margin = first if number == 0 and at == start else rest
            yield Line.of(Content.assemble(margin, content[at : at + len(part)]))
            at += len(part)
        start += len(text) + 1


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("strikethrough")
    return parser.disable(["image", "entity", "reference", "html_block", "html_inline"])


def _paragraphs(source: str) -> list[_Paragraph]:
    formulas: list[str] = []

    def stand_in(formula: str) -> str:
        if len(formulas) > _LAST - _FIRST:
            return formula
        formulas.append(formula)
        return chr(_FIRST + len(formulas) - 1)

    text = "".join(c for c in clean(source) if not _FIRST <= ord(c) <= _LAST)
    text = MATHEMATICS.sub(lambda match: stand_in(match[0]), text)
    tokens = _parser().parse(_PRODUCT.sub(lambda match: stand_in(match[0]), text))
    return list(_Reader(formulas).read(tokens))


class _Reader:
    """Tokens to paragraphs, an empty one between two blocks."""

    def __init__(self, formulas: Sequence[str]) -> None:
        self.formulas = formulas
        self.margins: list[str] = []
        self.bullet = ""  # of the list item that begins with the next paragraph
        self.numbers: list[int | None] = []

    def read(self, tokens: Sequence[Token]) -> Iterator[_Paragraph]:
        began, tight = False, False
        for token in tokens:
            if token.type in ("paragraph_open", "heading_open", "fence", "code_block", "hr"):
                if began and not (tight and token.hidden):
                    yield _Paragraph("", "")
                began = True
                tight = token.hidden
            self._nest(token)
            match token.type:
                case "inline":
                    paragraph = self._paragraph()
                    bold = "bold" if token.level and self.heading else ""
                    paragraph.parts += self._inline(token.children or (), bold)
                    yield paragraph
                case "fence" | "code_block":
                    for line in token.content.rstrip("\n").split("\n"):
                        paragraph = self._paragraph("│ ")
                        paragraph.parts.append((self._plain(line) or " ", ""))
                        yield paragraph
                case "hr":
                    yield _Paragraph("", "", [("───", "")])

    heading = False

    def _nest(self, token: Token) -> None:
        match token.type:
            case "heading_open" | "heading_close":
                self.heading = token.nesting == 1
            case "bullet_list_open":
                self.numbers.append(None)
            case "ordered_list_open":
                self.numbers.append(int(token.attrs.get("start", 1)))
            case "bullet_list_close" | "ordered_list_close":
                self.numbers.pop()
            case "list_item_open":
                number = self.numbers[-1]
                self.bullet = _BULLET if number is None else f"{number}. "
                if number is not None:
                    self.numbers[-1] = number + 1
                self.margins.append(" " * cells(self.bullet))
            case "blockquote_open":
                self.margins.append("│ ")
            case "list_item_close" | "blockquote_close":
                self.margins.pop()
                self.bullet = ""

    def _paragraph(self, before: str = "") -> _Paragraph:
        rest = "".join(self.margins)
        first = "".join(self.margins[:-1]) + self.bullet if self.bullet else rest
        self.bullet = ""
        return _Paragraph(first + before, rest + before)

    def _inline(self, tokens: Sequence[Token], style: str) -> Iterator[tuple[str, str]]:
        marks: list[str] = [style] if style else []
        addresses: list[str] = []
        for token in tokens:
            name, _, what = token.type.rpartition("_")
            match token.type:
                case "text":
                    yield self._readable(token.content), " ".join(marks)
                case "code_inline":
                    yield self._plain(token.content), " ".join([*marks, "bold"])
                case "softbreak" | "hardbreak":
                    yield "\n", ""
                case "link_open":
                    addresses.append(str(token.attrs.get("href", "")))
                case "link_close":
                    yield f" ({clean(addresses.pop())})", " ".join(marks)
                case _ if name in _MARKS and what == "open":
                    marks.append(_MARKS[name])
                case _ if name in _MARKS and what == "close":
                    marks.remove(_MARKS[name])
                case _:
                    yield self._plain(token.content), " ".join(marks)

    def _readable(self, text: str) -> str:
        return "".join(self._formula(c, made=True) for c in text)

    def _plain(self, text: str) -> str:
        """As written: in code, `$` is a dollar sign."""
        return "".join(self._formula(c, made=False) for c in text)

    def _formula(self, character: str, *, made: bool) -> str:
        index = ord(character) - _FIRST
        if not 0 <= index < len(self.formulas):
            return character
        source = self.formulas[index]
        return clean((one_line(source) if made else None) or source)
