"""Cards from Markdown as hashcards has it: `Q:` and `A:`, or `C:` with `[…]` around what is hidden.

A card ends where the next tag begins, or at a line `---`. A file may begin with TOML between two
such lines, whose `name` is that of the deck. https://github.com/eudoxia0/hashcards
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from quiz.deck.fill import MATHEMATICS
from quiz.exchange.html_text import STEERING, Seen, plain_text
from quiz.exchange.material import (
    LONGEST_FIELD,
    BadLine,
    Found,
    Material,
    distinct,
    refused,
    short_hash,
)
from verify.api import Text

TAGS = ("Q:", "A:", "C:")
MOST_HIDDEN = 100  # clozes of one card
_PICTURE = re.compile(r"!\[[^\]\n]*\]\(([^)\n]*)\)")
_BRACKET = re.compile(r"\\[\[\]]|!\[|\[|\]")

_NO_QUESTION = Text(ja="Q: のない A: です", en="an A: without a Q:")
_NO_ANSWER = Text(ja="A: のない Q: です", en="a Q: without an A:")
_NO_TAG = Text(
    ja="Q:、A:、C: のどれにも属さない行です",
    en="this belongs to no Q:, A: or C:",
)
_NO_CLOZE = Text(ja="C: に [ ] がありません", en="a C: without [ ]")
_MANY = Text(
    ja=f"[ ] が {MOST_HIDDEN} 個を超えています(残りは省きました)",
    en=f"more than {MOST_HIDDEN} [ ]; the rest was left out",
)
_EMPTY = Text(ja="問題か答えが空です", en="the question or the answer is empty")
_LONG = Text(ja="長すぎます", en="it is too long")
_OPEN_HEADER = Text(ja="先頭の「---」が閉じていません", en="the --- at the top has no partner")
_BAD_HEADER = Text(ja="先頭の TOML を読めません", en="the TOML at the top can't be read")
_NO_CARDS = Text(ja="Q: も C: もありません", en="there is no Q: and no C: in it")


def read(text: str, name: str) -> Material:
    """The cards of a text. Raises UsageError where there is none."""
    group, body, first = _header(text, name)
    reader = _Reader(name, group)
    cards = tuple(distinct(reader.cards(body, first)))
    if not cards:
        raise refused(name, _first(reader.bad) if looks_so(text) and reader.bad else _NO_CARDS)
    left = []
    if reader.seen.pictures:
        left.append(
            Text(
                ja=f"画像 {reader.seen.pictures} か所(名前だけ残しました)",
                en=f"pictures ({reader.seen.pictures}), but for their names",
            )
        )
    if reader.seen.steering:
        left.append(STEERING.fill(count=reader.seen.steering))
    return Material(
        Text(ja=f"hashcards の Markdown({len(cards)} 枚)", en=f"hashcards, cards: {len(cards)}"),
        cards,
        bad=tuple(reader.bad),
        left=tuple(left),
    )


def _first(bad: Sequence[BadLine]) -> Text:
    line, why = bad[0].line, bad[0].message
    return Text(
        ja=f"カードになる部分がありません({line} 行目: {why.pick('ja')})",
        en=f"no part of it is a card (line {line}: {why.pick('en')})",
    )


def looks_so(text: str) -> bool:
    """Whether a text holds cards in this form."""
    return any(line.startswith(("Q:", "C:")) for line in text.split("\n"))


def _header(text: str, name: str) -> tuple[str, Sequence[str], int]:
    """The name of the deck, the lines after the header, and the number of the first."""
    lines = text.split("\n")
    stem = name.rpartition(".")[0] or name
    if not lines or lines[0].strip() != "---":
        return stem, lines, 1
    end = next((i for i, line in enumerate(lines[1:], 1) if line.strip() == "---"), None)
    if end is None:
        raise refused(name, _OPEN_HEADER)
    try:
        given = tomllib.loads("\n".join(lines[1:end])).get("name")
    except (ValueError, RecursionError) as error:  # no TOML, or a number of 5000 digits
        raise refused(name, _BAD_HEADER) from error
    return (given if isinstance(given, str) and given.strip() else stem), lines[end + 1 :], end + 2


@dataclass
class _Reader:
    name: str
    group: str
    bad: list[BadLine] = field(default_factory=list)
    seen: Seen = field(default_factory=Seen)

    def cards(self, lines: Sequence[str], first: int) -> Iterator[Found]:
        question: tuple[int, str] | None = None
        for line, tag, body in self._parts(lines, first):
            if tag == "A:":
                if question is None:
                    self._refuse(line, _NO_QUESTION)
                else:
                    yield from self._basic(*question, body)
                question = None
                continue
            if question is not None:
                self._refuse(question[0], _NO_ANSWER)
                question = None
            if tag == "Q:":
                question = line, body
            elif tag == "C:":
                yield from self._cloze(line, body)
        if question is not None:
            self._refuse(question[0], _NO_ANSWER)

    def _parts(self, lines: Sequence[str], first: int) -> Iterator[tuple[int, str, str]]:
        """Line, tag and text of each part; an empty tag for a separator."""
        tag, start, parts = "", first, list[str]()
        for number, line in enumerate(lines, first):
            if line[:2] in TAGS or line.strip() == "---":
                if tag:
                    yield start, tag, "\n".join(parts).strip()
                tag = line[:2] if line[:2] in TAGS else ""
                start, parts = number, [line[2:]] if tag else []
                if not tag:
                    yield number, "", ""
            elif tag:
                parts.append(line)
            elif line.strip():
                self._refuse(number, _NO_TAG)
        if tag:
            yield start, tag, "\n".join(parts).strip()

    def _basic(self, line: int, ask: str, answer: str) -> Iterator[Found]:
        yield from self._card(line, ask, answer, short_hash("basic", ask))

    def _cloze(self, line: int, body: str) -> Iterator[Found]:
        shown, spans = _hidden(body)
        if not spans:
            self._refuse(line, _NO_CLOZE)
            return
        if len(spans) > MOST_HIDDEN:
            self._refuse(line, _MANY)
        root = short_hash("cloze", shown)
        for number, (start, end) in enumerate(spans[:MOST_HIDDEN], 1):
            ask = f"{shown[:start]}[…]{shown[end:]}"
            idea = f"text-{root}" if len(spans) > 1 else None
            yield from self._card(line, ask, shown[start:end], f"{root}-{number}", idea)

    def _card(
        self, line: int, ask: str, answer: str, identity: str, idea: str | None = None
    ) -> Iterator[Found]:
        if max(len(ask), len(answer)) > LONGEST_FIELD:
            self._refuse(line, _LONG)
            return
        ask, answer = self._text(ask), self._text(answer)
        if not ask or not answer:
            self._refuse(line, _EMPTY)
            return
        source = f"imported from {self.name} (line {line}), unproven"
        yield Found(f"text-{identity}", self.group, ask, answer, source, idea=idea)

    def _text(self, text: str) -> str:
        made, pictures = _PICTURE.subn(r"[image: \1]", text)
        self.seen.pictures += pictures
        return plain_text(made, self.seen, dollars=True)

    def _refuse(self, line: int, why: Text) -> None:
        self.bad.append(BadLine(line, why))


def _hidden(text: str) -> tuple[str, list[tuple[int, int]]]:
    r"""The text without its brackets, and the stretches that were between them.

    `\[` and `\]` are brackets of the text, those of a picture and of a formula stay.
    """
    formulas = [match.span() for match in MATHEMATICS.finditer(text)]
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    at = size = formula = 0
    start: int | None = None
    picture = False

    def keep(piece: str) -> None:
        nonlocal size
        pieces.append(piece)
        size += len(piece)

    for match in _BRACKET.finditer(text):
        while formula < len(formulas) and formulas[formula][1] <= match.start():
            formula += 1
        keep(text[at : match.start()])
        at = match.end()
        sign = match[0]
        if formula < len(formulas) and formulas[formula][0] <= match.start():
            keep(sign)
        elif sign == "![":
            picture = True
            keep(sign)
        elif len(sign) == 2:
            keep(sign[1])
        elif picture:
            picture = picture and sign != "]"
            keep(sign)
        elif sign == "[":
            start = size
        elif start is not None:
            spans.append((start, size))
            start = None
    keep(text[at:])
    return "".join(pieces), [(a, b) for a, b in spans if b > a]
