"""Anki's card templates: fields put into the two sides of a card, and its cloze deletions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

MOST = 2_000_000  # characters of one side; a template can repeat a field
_TAG = re.compile(r"\{\{([^{}]{0,300})\}\}")
_CLOZE = re.compile(r"\{\{c(\d{1,3})::|\}\}")
_BLANK = re.compile(r"(?:\s|&nbsp;|<(?:br|div|/div|p|/p)\s*/?>)*", re.IGNORECASE)
_ANSWER_LINE = re.compile(r"<hr[^<>]{0,100}\bid\s*=\s*[\"']?answer\b[^<>]{0,100}>", re.IGNORECASE)
_DEEPEST = 8  # clozes within clozes


@dataclass(frozen=True, slots=True)
class Template:
    """The front and the back of one kind of card."""

    front: str
    back: str


def front(template: Template, fields: Mapping[str, str], cloze: int | None) -> str:
    """The HTML of the question. `cloze` is the number that this card hides, for a cloze note."""
    return _render(template.front, fields, cloze, back=False)


def back(template: Template, fields: Mapping[str, str], cloze: int | None) -> tuple[str, str]:
    """The HTML of the answer: what stands before the answer line, and the rest.

    The front, where the template repeats it with FrontSide, is left out.
    """
    whole = _render(template.back, {**fields, "FrontSide": ""}, cloze, back=True)
    line = _ANSWER_LINE.search(whole)
    return ("", whole) if line is None else (whole[: line.start()], whole[line.end() :])


def clozes(text: str) -> dict[int, list[str]]:
    """What each number of a cloze text hides."""
    found: dict[int, list[str]] = {}
    _clozed(text, None, found)
    return found


def _render(template: str, fields: Mapping[str, str], cloze: int | None, *, back: bool) -> str:
    pieces: list[str] = []
    hidden: list[str] = []  # names of the open sections that are left out
    open_sections: list[bool] = []
    at = size = 0
    for match in _TAG.finditer(template):
        before, tag = template[at : match.start()], match[1].strip()
        at = match.end()
        if not hidden:
            pieces.append(before)
            size += len(before)
        if tag[:1] in ("#", "^"):
            filled = _is_filled(fields.get(tag[1:].strip(), ""), tag[1:].strip(), cloze, fields)
            shown = filled == (tag[0] == "#")
            open_sections.append(shown)
            if not shown:
                hidden.append(tag)
        elif tag[:1] == "/":
            if open_sections and not open_sections.pop():
                hidden.pop()
        elif not hidden and size < MOST:
            value = _value(tag, fields, cloze, back=back)
            pieces.append(value)
            size += len(value)
    if not hidden:
        pieces.append(template[at:])
    return "".join(pieces)[:MOST]


def _is_filled(value: str, name: str, cloze: int | None, fields: Mapping[str, str]) -> bool:
    if name.startswith("c") and name[1:].isdecimal() and name not in fields:
        return cloze == int(name[1:])
    return not _BLANK.fullmatch(value[:1000])


def _value(tag: str, fields: Mapping[str, str], cloze: int | None, *, back: bool) -> str:
    *filters, name = (part.strip() for part in tag.split(":"))
    value = fields.get(name, "")
    for kind in reversed(filters):
        if kind == "cloze":
            value = _cloze_side(value, cloze, back=back)
        elif kind.startswith("tts") or (kind in ("type", "hint") and not back):
            return ""  # spoken, a box to type in, or shown on demand
    return value


def _cloze_side(text: str, number: int | None, *, back: bool) -> str:
    if number is None:
        return text
    hidden: dict[int, list[str]] = {}
    shown = _clozed(text, number, hidden)
    return "; ".join(hidden.get(number, [])) if back else shown


def _clozed(text: str, number: int | None, hidden: dict[int, list[str]]) -> str:
    """The text with cloze `number` as `[…]` or its hint; what each hides is put into `hidden`."""
    stack: list[tuple[int, int, list[str]]] = [(-1, 0, [])]  # number, place, what is inside
    at = 0
    for match in _CLOZE.finditer(text):
        stack[-1][2].append(text[at : match.start()])
        at = match.end()
        if match[1] is not None:
            if len(stack) <= _DEEPEST:
                stack.append((int(match[1]), match.start(), []))
        elif len(stack) == 1:
            stack[-1][2].append(match[0])
        else:
            opened, place, parts = stack.pop()
            body, _, hint = "".join(parts).partition("::")
            within = text.rfind("\\(", 0, place) > text.rfind("\\)", 0, place)
            hidden.setdefault(opened, []).append(f"\\({body}\\)" if within else body)
            stack[-1][2].append(f"[{hint or '…'}]" if opened == number else body)
    stack[-1][2].append(text[at:])
    while len(stack) > 1:  # left open: the text stays
        *_, parts = stack.pop()
        stack[-1][2].append("".join(parts))
    return "".join(stack[0][2])
