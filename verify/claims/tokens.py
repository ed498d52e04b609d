"""A claim's text cut into tokens. ASCII only, but for `±`; anything else is refused in place."""

from __future__ import annotations

import re
from typing import NamedTuple

from verify.claims.errors import ClaimError
from verify.text import Text

MAX_LENGTH = 500

_SPACE = re.compile(r"[ \t\r\n]*")
_TOKEN = re.compile(
    _SPACE.pattern + r"(?:(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z][A-Za-z0-9_]*)"
    r"|(?P<sign>±|\+/-|==|!=|<=|>=|\*\*|[-+*/()\[\],.%<>]))",
    re.ASCII,
)

_HINTS = {
    "=": Text(ja="等しいことは == と書きます。", en="Equality is written ==."),
    "^": Text(ja="累乗は ** と書きます。", en="A power is written **."),
    "×": Text(ja="掛け算は * と書きます。", en="Multiplication is written *."),
    "·": Text(ja="掛け算は * と書きます。", en="Multiplication is written *."),
    "−": Text(ja="引き算と負号は - と書きます。", en="Minus is written -."),
    "÷": Text(ja="割り算は / と書きます。", en="Division is written /."),
    "≤": Text(ja="<= と書きます。", en="Write <=."),
    "≥": Text(ja=">= と書きます。", en="Write >=."),
    "≠": Text(ja="!= と書きます。", en="Write !=."),
}
_ASCII_HINT = Text(
    ja="半角の英数字と記号で書いてください（± だけは使えます）。",
    en="Write with ASCII letters, digits and signs; ± is the only exception.",
)


class Token(NamedTuple):
    """`kind` is `number`, `name` or `end`; a sign is its own kind."""

    kind: str
    text: str
    start: int
    end: int


def tokenize(text: str) -> list[Token]:
    """The tokens of a text, closed by an empty one of kind `end`.

    Raises ClaimError where the text is too long or holds a character that has no meaning here.
    """
    if len(text) > MAX_LENGTH:
        raise ClaimError(
            Text(
                ja=f"主張が長すぎます（{len(text)} 文字）。",
                en=f"The claim is too long ({len(text)} characters).",
            ),
            Text(ja=f"{MAX_LENGTH} 文字以内にしてください。", en=f"Keep it within {MAX_LENGTH}."),
            start=MAX_LENGTH,
            end=len(text),
        )
    tokens: list[Token] = []
    at = 0
    while (match := _TOKEN.match(text, at)) is not None:
        kind = str(match.lastgroup)
        found = match[kind]
        at = match.end()
        tokens.append(Token(found if kind == "sign" else kind, found, at - len(found), at))
    if space := _SPACE.match(text, at):
        at = space.end()
    if at < len(text):
        raise _refused(text[at], at)
    tokens.append(Token("end", "", at, at))
    return tokens


def _refused(character: str, at: int) -> ClaimError:
    shown = f"U+{ord(character):04X}"
    if character.isprintable() and not character.isspace():
        shown = f"{character} ({shown})"
    return ClaimError(
        Text(ja=f"{shown} は使えない文字です。", en=f"The character {shown} can't be used here."),
        _HINTS.get(character, _ASCII_HINT),
        start=at,
        end=at + 1,
    )
