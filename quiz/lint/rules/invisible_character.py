"""A character that can't be seen: a zero-width space, a soft hyphen, a tag character.

Two answers can look alike and differ, a search doesn't find the word, and text can be hidden from
whoever reviews the deck. A joiner within an emoji is fine.

Bad:

    answer: "all\\u200breduce"

Good:

    answer: all-reduce
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from quiz.deck.problem import Problem
from quiz.lint.rule import Context
from quiz.lint.texts import place_in
from verify.api import Text

id = "invisible-character"

# Unicode's Default_Ignorable_Code_Point without bidirectional controls (`control-character`) and
# without the variation selectors and joiners that emoji and old characters need; braille's blank.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200c\u2060-\u2064\u206a-\u206f"
    "\u200d\u2800\u3164\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_EMOJI = re.compile("[\u2600-\u27bf\U0001f000-\U0001faff]")
_ENOUGH = 100  # findings: a file full of them needs no list


def check(context: Context) -> Iterator[Problem]:
    text = context.loaded.source.text
    number = 0
    for match in _INVISIBLE.finditer(text):
        if match[0] == "\u200d" and _EMOJI.match(text, match.end()):
            continue
        number += 1
        if number > _ENOUGH:
            return
        yield context.problem_at(id, match.start(), 1, _message(match[0]), _HINT)
    if not any(escape in text for escape in ("\\u", "\\x", "\\U", "\\_")):
        return
    for card, place, language, written in context.written:
        if found := None if written.isascii() else _INVISIBLE.search(written):
            inner = place_in(card, place, language)
            line = context.loaded.source.line(card.at(*inner).line)
            if found[0] not in line and "\\" in line:  # it came from an escape
                yield context.problem(id, card, inner, _message(found[0]), _HINT)


_HINT = Text(ja="その文字を消してください。", en="Delete it.")


def _message(character: str) -> Text:
    code = f"U+{ord(character):04X}"
    return Text(
        ja=f"目に見えない文字 {code} があります。", en=f"There is the invisible character {code}."
    )
