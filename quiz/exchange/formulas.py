r"""Formulas as Anki writes them to deck text: mathematics between `$`.

Anki knows `\( \)`, `\[ \]`, `[$] [/$]`, `[$$] [/$$]` and `[latex] [/latex]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

SPACES = re.compile(r"[ \t\r\n\f\xa0]+")  # what HTML shows as one

_CLOSERS = {
    "[latex]": "[/latex]",
    "[$]": "[/$]",
    "[$$]": "[/$$]",
    "\\(": "\\)",
    "\\[": "\\]",
}
_OPENER = re.compile("|".join(map(re.escape, _CLOSERS)), re.IGNORECASE)
_DISPLAY = ("[$$]", "\\[")
_INNER = re.compile(r"\$\$(.+?)\$\$|\$([^$]+)\$", re.DOTALL)
_ENVIRONMENT = re.compile(r"\\(begin|end)\{(displaymath|math|equation|eqnarray)\*?\}")


def formulas(text: str) -> Iterator[tuple[bool, str]]:
    """Stretches of text (False), and the formulas between them (True) with their `$`."""
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
    body = SPACES.sub(" ", body).strip()
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
