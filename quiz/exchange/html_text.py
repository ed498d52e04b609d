r"""HTML of a flash card to deck text: lines, and mathematics between `$`.

Anki keeps formulas as `\( \)`, `\[ \]`, `[$] [/$]`, `[$$] [/$$]` and `[latex] [/latex]` within
HTML, so tags and entities go first and formulas are looked for in what is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser

from quiz.deck.problem import CONTROL
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
_INDEX = {"sub": "_", "sup": "^"}
_SPACE = re.compile(r"[ \t\r\n\f\xa0]+")
_NOT_TEXT = re.compile("[\ufdd0-\ufdef\ufffe\uffff]|[\U0001fffe\U0001ffff]")

_CLOSERS = {
    "[latex]": "[/latex]",
    "[$]": "[/$]",
    "[$$]": "[/$$]",
    "\\(": "\\)",
    "\\[": "\\]",
}
_OPENER = re.compile("|".join(map(re.escape, _CLOSERS)), re.IGNORECASE)
_DISPLAY = ("[$$]", "\\[")
_SOUND = re.compile(r"\[sound:([^\]\n]{1,200})\]")
_INNER = re.compile(r"\$\$(.+?)\$\$|\$([^$]+)\$", re.DOTALL)
_ENVIRONMENT = re.compile(r"\\(begin|end)\{(displaymath|math|equation|eqnarray)\*?\}")

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
    reader.feed(html)
    reader.close()
    seen.pictures += reader.pictures
    return plain_text(reader.text(), seen)


def plain_text(text: str, seen: Seen, *, dollars: bool = False) -> str:
    """Text without tags as deck text. A `$` that stands there is mathematics only if `dollars`."""
    seen.sounds += len(_SOUND.findall(text))
    text = _SOUND.sub(r"[sound: \1]", text)
    pieces: list[str] = []
    for is_formula, piece in _formulas(text):
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


def _formulas(text: str) -> Iterator[tuple[bool, str]]:
    """Stretches of text, and the formulas between them with their `$`."""
    at, missing = 0, set[str]()
    while match := _OPENER.search(text, at):
        opener = match[0].lower()
        closer = _CLOSERS[opener]
        end = -1 if opener in missing else _find(text, closer, match.end())
        if end < 0:
            missing.add(opener)
            yield False, text[at : match.end()]
            at = match.end()
            continue
        yield False, text[at : match.start()]
        yield True, _formula(opener, text[match.end() : end])
        at = end + len(closer)
    yield False, text[at:]


def _find(text: str, closer: str, start: int) -> int:
    end = text.find(closer, start)
    return text.find(closer.upper(), start) if end < 0 else end


def _formula(opener: str, body: str) -> str:
    body = _SPACE.sub(" ", body).strip()
    if opener == "[latex]":
        return _latex(body)
    return _between("$$" if opener in _DISPLAY else "$", body)


def _latex(body: str) -> str:
    r"""A piece of a LaTeX document: text with formulas in it, or one displayed formula."""
    if "$" in body:
        pieces, end = [], 0
        for match in _INNER.finditer(body):
            block, inline = match.groups()
            pieces.append(body[end : match.start()].replace("$", "\\$"))
            pieces.append(_between("$$", block) if block else _between("$", inline))
            end = match.end()
        return "".join([*pieces, body[end:].replace("$", "\\$")])
    inner, displayed = _ENVIRONMENT.subn("", body)
    if displayed or "\\" in inner or "^" in inner or "_" in inner:
        return _between("$$" if displayed or "\\begin" in inner else "$", inner.strip())
    return body


def _between(sign: str, body: str) -> str:
    body = body.replace("$", "").strip()
    while body.endswith("\\"):
        body = body[:-1].rstrip()
    return f"{sign}{body}{sign}" if body else ""


class _Reader(HTMLParser):
    """Collects text; a tag that HTML doesn't know, such as `<y` in `x<y`, is text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[list[str]] = [[]]
        self.opened: list[str] = []  # sub and sup whose text is being collected
        self.silent = 0
        self.pre = 0
        self.numbers: list[int | None] = []  # of open lists
        self.pictures = 0
        self.cell = False  # a cell of the row came before

    def text(self) -> str:
        while self.opened:
            self._close_index()
        return "".join(self.parts[0])

    def handle_data(self, data: str) -> None:
        if self.silent:
            return
        if not self.pre:
            data = _SPACE.sub(" ", data)
            if data.startswith(" ") and self._at_start():
                data = data[1:]
        if data:
            self.parts[-1].append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TAGS:
            self.handle_data(self.get_starttag_text() or "")
        elif tag in _SILENT:
            self.silent += 1
        elif not self.silent:
            self._open(tag, dict(attrs))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _SILENT:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self.silent = max(0, self.silent - 1)
        elif self.silent:
            return
        elif tag not in _TAGS:
            self.handle_data(f"</{tag}>")
        elif tag in _INDEX and self.opened:
            self._close_index()
        elif tag in _BLOCKS:
            self._line()
            if tag == "pre":
                self.pre = max(0, self.pre - 1)
            elif tag in ("ul", "ol") and self.numbers:
                self.numbers.pop()

    def unknown_decl(self, data: str) -> None:
        self.handle_data(f"<![{data}")

    def _open(self, tag: str, attributes: dict[str, str | None]) -> None:
        if tag == "br":
            self.parts[-1].append("\n")
        elif tag == "img":
            self.pictures += 1
            self.handle_data(f"[image: {attributes.get('src') or attributes.get('alt') or '?'}]")
        elif tag in _INDEX:
            if len(self.opened) < 8:
                self.opened.append(tag)
                self.parts.append([])
        elif tag in ("td", "th"):
            if self.cell:
                self.parts[-1].append(" | ")
            self.cell = True
        elif tag in _BLOCKS:
            self._line()
            self._open_block(tag)

    def _open_block(self, tag: str) -> None:
        if tag == "pre":
            self.pre += 1
        elif tag in ("ul", "ol"):
            self.numbers.append(0 if tag == "ol" else None)
        elif tag == "tr":
            self.cell = False
        elif tag == "li":
            number = self.numbers[-1] if self.numbers else None
            if number is not None:
                self.numbers[-1] = number + 1
            self.parts[-1].append("- " if number is None else f"{number + 1}. ")

    def _close_index(self) -> None:
        inner = "".join(self.parts.pop()).strip()
        sign = _INDEX[self.opened.pop()]
        if inner:
            self.parts[-1].append(f"{sign}{inner}" if len(inner) == 1 else f"{sign}{{{inner}}}")

    def _at_start(self) -> bool:
        """Whether a space here would stand at the start of a line, or after another one."""
        last = next((part for part in reversed(self.parts[-1]) if part), "")
        return last.endswith(("\n", " ")) or (not last and not self.opened)

    def _line(self) -> None:
        """Go to a new line unless one was just begun."""
        last = next((part for part in reversed(self.parts[-1]) if part), "\n")
        if not last.endswith("\n"):
            self.parts[-1].append("\n")
