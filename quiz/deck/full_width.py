"""Full-width signs where YAML's own are meant: `ask：だれ`, `－ id: a`, `｛ja: …｝`, `[3，4]`.

They are looked for only where the file can't be read as it stands, so that prose keeps its signs.
"""

from __future__ import annotations

import re

from quiz.deck.problem import Edit, Problem
from quiz.deck.source import Source
from verify.api import Text

RULE = "full-width-punctuation"
MEANT = {
    "：": ":", "－": "-", "，": ",", "、": ",", "｛": "{", "｝": "}", "［": "[", "］": "]",
    "＂": '"', "＇": "'", "\u3000": " ",
}  # fmt: skip
_OPENING = "－｛［＂＇\u3000"
_KEY = (
    "deck|title|cards|id|kind|ask|topic|source|explain|hint|after|idea|proof|answer|choices|vary"
    "|result|lures|unit|text|claim|belief|why|unless|experiment|with|fault|runs|truth|ja|en"
)
_MISPLACED = re.compile(
    r"^[ ]*(?P<first>[\u3000－])"
    rf"|(?:^[ ]*(?:-[ ]+)?|[{{,，、｛][ ]*)(?:{_KEY})[ ]*(?:(?P<colon>：)|:(?P<space>\u3000))"
    rf"|(?:^[ ]*(?:-[ ]+)?|[{{,][ ]*)(?:{_KEY}):[ ]+(?P<opening>[｛［＂＇])"
    rf"|(?P<comma>[，、])[ ]*(?:{_KEY}):[ ]"
)
_KEY_AND_COLON = re.compile(rf"(?:{_KEY})[ ]*(：)")
_COMMA_BETWEEN = re.compile(r"[\w')\]]([，、])", re.ASCII)
_NEAR = 3  # lines between such a sign and the place where YAML gives up


def before_error(source: Source, line: int) -> Problem | None:
    """The sign that made YAML give up on this line, if one stands there or shortly before."""
    for number in range(line, max(0, line - _NEAR), -1):
        if match := _MISPLACED.search(source.line(number)):
            return problem(source, source.offset(number) + match.start(match.lastgroup or 0), None)
    return None


def in_place_of_syntax(text: str, *, key: bool) -> int | None:
    """Where in a node that isn't what it should be a full-width sign stands in for YAML's own."""
    if text[:1] and text[0] in _OPENING:
        return 0
    match = (_KEY_AND_COLON.match if key else _COMMA_BETWEEN.search)(text)
    return match.start(1) if match else None


def problem(source: Source, index: int, card: str | None) -> Problem:
    """What to say of the sign at this offset."""
    sign = source.text[index]
    meant, name = MEANT[sign], "U+3000" if sign == "\u3000" else sign
    ja = {" ": "半角の空白", ":": "半角の「: 」"}.get(meant, f"半角の「{meant}」")
    en = {" ": "a plain space", ":": "“: ”"}.get(meant, f"“{meant}”")
    position = source.position(index)
    after = source.text[index + 1 : index + 2]
    written = meant + " " * (meant in ":-," and after not in (" ", "\n", "\u3000", ""))
    return Problem(
        RULE,
        position,
        Text(
            ja=f"全角の {name} は YAML の記号として読まれません。",
            en=f"The full-width {name} isn't read as a sign of YAML.",
        ),
        Text(ja=f"{ja}を使ってください。", en=f"Write {en}."),
        end=position._replace(column=position.column + 1),
        card=card,
        fixes=(Edit(index, index + 1, written),),
    )
