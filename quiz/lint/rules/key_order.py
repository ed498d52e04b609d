"""The keys of a card stand in another order than usual.

In every card the same thing is then found in the same place: who it is, what it asks, the answer,
and the proof last. `--fix` moves the keys together with the comments above them.

Bad:

    - kind: recall
      ask: Who sends?
      id: who-sends
      answer: Everyone

Good:

    - id: who-sends
      kind: recall
      ask: Who sends?
      answer: Everyone
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from quiz.deck.card import Card
from quiz.deck.problem import Edit, Problem
from quiz.deck.source import Source
from quiz.lint.rule import Context
from verify.api import Text

id = "key-order"

ORDER = (
    "id", "kind", "topic", "source", "after", "idea", "ask", "hint", "answer", "choices",
    "explain", "vary", "result", "unit", "lures", "proof",
)  # fmt: skip


def check(context: Context) -> Iterator[Problem]:
    for card in context.cards:
        late = _first_late(card.keys)
        if late is None:
            continue
        source, key = context.loaded.source, card.keys[late]
        if source.line(card.at().line)[card.at().column - 1 :].startswith("{"):
            continue  # on one line every order is as good
        edit = _sorted(source, card)
        yield context.problem(
            id,
            card,
            (key,),
            Text(ja=f"{key} の位置がいつもと違います。", en=f"{key} stands in an unusual place."),
            Text(
                ja=f"順序: {', '.join(ORDER)}(--fix で直せます)",
                en=f"The order is {', '.join(ORDER)}; --fix does it.",
            ),
            severity="warning",
            fixes=(edit,) if edit is not None else (),
        )


@lru_cache(maxsize=4096)
def _first_late(keys: tuple[str, ...]) -> int | None:
    """The first key that should stand before the one in front of it."""
    ranks = [ORDER.index(key) for key in keys]
    return next((n for n in range(1, len(ranks)) if ranks[n] < ranks[n - 1]), None)


def _sorted(source: Source, card: Card) -> Edit | None:
    """The lines of the card in order; None where they can't be told apart by their indentation."""
    start = card.at()
    indent = start.column - 1
    key = re.compile(rf" {{{indent}}}([a-z]+):(?:\s|$)")
    blocks: list[tuple[str, list[str]]] = []
    above: list[str] = []  # comments and empty lines, which belong to the next key
    number, last = start.line, start.line
    while number == start.line or _is_within(source, number, indent):
        line = source.text[source.offset(number) : source.offset(number + 1)]
        plain = line if number > start.line else " " * indent + line[indent:]
        if match := key.match(plain):
            blocks.append((match[1], [*above, plain]))
            above, last = [], number
        elif re.match(rf"\s*$| {{0,{indent}}}#", line):
            above.append(line)
        elif blocks:
            blocks[-1][1].extend([*above, plain])
            above, last = [], number
        number += 1
    lead = source.line(start.line)[:indent]
    names = [name for name, _ in blocks]
    whole = source.text[source.offset(start.line) : source.offset(last + 1)]
    if sorted(names) != sorted(card.keys) or not (whole.endswith("\n") and lead.strip() == "-"):
        return None
    blocks.sort(key=lambda block: ORDER.index(block[0]))
    first = blocks[0][1]
    at = next(n for n, line in enumerate(first) if key.match(line))
    comments, rest = first[:at], first[at:]
    lines = [lead + rest[0][indent:], *rest[1:], *(line for _, b in blocks[1:] for line in b)]
    text = "".join([*comments, *lines])
    return Edit(source.offset(start.line), source.offset(last + 1), text)


def _is_within(source: Source, number: int, indent: int) -> bool:
    """Whether a line belongs to the card: indented as far, or empty, or a comment."""
    if source.offset(number) >= len(source.text):
        return False
    line = source.line(number)
    bare = line.lstrip(" ")
    return not bare or bare.startswith("#") or len(line) - len(bare) >= indent
