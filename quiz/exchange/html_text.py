"""HTML of a flash card to deck text: lines, and mathematics between `$`.

Anki keeps formulas within HTML, so tags and entities go first and formulas are looked for in what
is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

from quiz.deck.problem import CONTROL
from quiz.exchange.formulas import SPACES, formulas
from verify.api import Text

_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "center", "dd", "details", "div", "dl", "dt",
    "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr",
    "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tr", "ul",
})  # fmt: skip
_SILENT = frozenset({"script", "style", "head", "title", "template", "noscript"})
_INLINE = frozenset({
    "a", "abbr", "acronym", "anki-mathjax", "audio", "b", "base", "bdi", "bdo", "big", "body",
    "br", "button", "caption", "cite", "code", "col", "colgroup", "data", "del", "dfn", "em",
    "embed", "fieldset", "font", "html", "i", "iframe", "img", "input", "ins", "kbd", "label",
    "legend", "link", "map", "mark", "meta", "meter", "object", "option", "output", "param",
    "picture", "progress", "q", "rp", "rt", "ruby", "s", "samp", "select", "small", "source",
    "span", "strike", "strong", "sub", "sup", "svg", "tbody", "td", "textarea", "tfoot", "th",
    "thead", "time", "track", "tt", "u", "var", "video", "wbr",
})  # fmt: skip
_TAGS = _BLOCKS | _SILENT | _INLINE
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)(?=[\s/>])")
_UNTIL = re.compile(r"[^<>\"']*")
_ATTRIBUTE = re.compile(r"""\b(src|alt)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_BUDGET = 1_000_000  # characters looked at for ends of tags that have none
_LONGEST_NAME = 200
_INDEX = {"sub": "_", "sup": "^"}
_NOT_TEXT = re.compile("[\ufdd0-\ufdef\ufffe\uffff]|[\U0001fffe\U0001ffff]")
_SOUND = re.compile(r"\[sound:([^\]\n]{1,200})\]")

STEERING = Text(
    ja="画面を乱す制御文字 {count} 個は、[U+202E] のような表記に変えました",
    en="control characters, written out like [U+202E]: {count}",
)


@dataclass
class Seen:
    """What was met on the way and can't be carried as it was."""

    pictures: int = 0
    sounds: int = 0
    steering: int = 0  # characters that would steer a terminal


def deck_text(html: str, seen: Seen) -> str:
    """HTML as deck text; what is missing from it is counted in `seen`."""
    reader = _Reader()
    text = reader.read(html)
    seen.pictures += reader.pictures
    return plain_text(text, seen)


def plain_text(text: str, seen: Seen, *, dollars: bool = False) -> str:
    """Text without tags as deck text. A `$` that stands there is mathematics only if `dollars`."""
    seen.sounds += len(_SOUND.findall(text))
    text = _SOUND.sub(r"[sound: \1]", text)
    pieces: list[str] = []
    for is_formula, piece in formulas(text):
        if is_formula:
            if pieces and pieces[-1].endswith("\\"):
                pieces.append(" ")  # a backslash would take the formula's first sign
            pieces.append(piece)
        else:
            pieces.append(piece if dollars else piece.replace("$", "\\$"))
    return _tidy(visible("".join(pieces), seen))


def visible(text: str, seen: Seen) -> str:
    """`text` with each character that would steer a terminal or reorder a line written out."""

    def named(match: re.Match[str]) -> str:
        seen.steering += 1
        return f"[U+{ord(match[0]):04X}]"

    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = text.encode("utf-8", "replace").decode()
    return _NOT_TEXT.sub(named, CONTROL.sub(named, text))


def _tidy(text: str) -> str:
    lines = [line.rstrip() for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


@dataclass(frozen=True, slots=True)
class _Tag:
    name: str
    is_end: bool
    attributes: str


def _tokens(html: str) -> Iterator[str | _Tag]:
    """Text and tags in turn; comments are left out.

    Time grows with the length alone, which can't be said of the parser of the standard library: a
    `<` that begins no tag of HTML is text, and the search for the end of tags has a budget.
    """
    at, budget, commented = 0, _BUDGET, True
    last = html.rfind(">")
    while (start := html.find("<", at)) >= 0:
        yield html[at:start]
        at = start + 1
        if commented and html.startswith("<!--", start):
            end = html.find("-->", start + 4)
            commented = end >= 0
            at = end + 3 if commented else at
        elif (name := _TAG.match(html, start)) and name[2].lower() in _TAGS and budget > 0:
            end = _end_of_tag(html, name.end(), last)
            if end >= 0:
                yield _Tag(name[2].lower(), bool(name[1]), html[name.end() : end])
                at = end + 1
                continue
            budget += end
        if at == start + 1:
            yield "<"
    yield html[at:]


def _end_of_tag(html: str, at: int, last: int) -> int:
    """Where the `>` of a tag stands, outside of quotes; else minus the characters looked at."""
    start = at
    while at <= last:
        match = _UNTIL.match(html, at)
        at = match.end() if match is not None else last + 1
        sign = html[at : at + 1]
        if sign == ">":
            return at
        if sign not in ("'", '"') or not sign:
            break
        closing = html.find(sign, at + 1, last)
        if closing < 0:
            return -(last - start) - 1
        at = closing + 1
    return -(at - start) - 1


class _Reader:
    """Collects the text between tags."""

    def __init__(self) -> None:
        self.parts: list[list[str]] = [[]]
        self.opened: list[str] = []  # sub and sup whose text is being collected
        self.silent: str | None = None
        self.pre = 0
        self.numbers: list[int | None] = []  # of open lists
        self.pictures = 0
        self.cell = False  # a cell of the row came before

    def read(self, html: str) -> str:
        for token in _tokens(html):
            if isinstance(token, str):
                if self.silent is None:
                    self._text(unescape(token))
            elif self.silent is not None:
                if token.is_end and token.name == self.silent:
                    self.silent = None
            elif token.is_end:
                self._close(token.name)
            elif token.name in _SILENT:
                self.silent = None if token.attributes.endswith("/") else token.name
            else:
                self._open(token)
        while self.opened:
            self._close_index()
        return "".join(self.parts[0])

    def _text(self, data: str) -> None:
        if not self.pre:
            data = SPACES.sub(" ", data)
            if data.startswith(" ") and self._at_start():
                data = data[1:]
        if data:
            self.parts[-1].append(data)

    def _open(self, tag: _Tag) -> None:
        if tag.name == "br":
            self.parts[-1].append("\n")
        elif tag.name == "img":
            self.pictures += 1
            self._text(f"[image: {_picture(tag.attributes)}]")
        elif tag.name in _INDEX:
            if len(self.opened) < 8:
                self.opened.append(tag.name)
                self.parts.append([])
        elif tag.name in ("td", "th"):
            if self.cell:
                self.parts[-1].append(" | ")
            self.cell = True
        elif tag.name in _BLOCKS:
            self._line()
            self._open_block(tag.name)

    def _open_block(self, name: str) -> None:
        if name == "pre":
            self.pre += 1
        elif name in ("ul", "ol"):
            self.numbers.append(0 if name == "ol" else None)
        elif name == "tr":
            self.cell = False
        elif name == "li":
            number = self.numbers[-1] if self.numbers else None
            if number is not None:
                self.numbers[-1] = number + 1
            self.parts[-1].append("- " if number is None else f"{number + 1}. ")

    def _close(self, name: str) -> None:
        if name in _INDEX and self.opened:
            self._close_index()
        elif name in _BLOCKS:
            self._line()
            if name == "pre":
                self.pre = max(0, self.pre - 1)
            elif name in ("ul", "ol") and self.numbers:
                self.numbers.pop()

    def _close_index(self) -> None:
        inner = "".join(self.parts.pop()).strip()
        sign = _INDEX[self.opened.pop()]
        if inner:
            self.parts[-1].append(f"{sign}{inner}" if len(inner) == 1 else f"{sign}{{{inner}}}")

    def _at_start(self) -> bool:
        """Whether a space here would stand at the start of a line, or after another one."""
        if not self.parts[-1]:
            return not self.opened
        return self.parts[-1][-1].endswith(("\n", " "))

    def _line(self) -> None:
        """Go to a new line unless one was just begun."""
        if self.parts[-1] and not self.parts[-1][-1].endswith("\n"):
            self.parts[-1].append("\n")


def _picture(attributes: str) -> str:
    """The name of a picture; one that is part of the text itself has none."""
    found = {
        match[1].lower(): match[2] or match[3] or match[4] or ""
        for match in _ATTRIBUTE.finditer(attributes)
    }
    name = unescape(found.get("src", ""))
    if not name or name.lower().startswith("data:"):
        name = unescape(found.get("alt", ""))
    return name[:_LONGEST_NAME] or "?"
