"""A choice speaks of the place of others: “all of the above”, 「上のいずれでもない」.

Choices are shuffled each time, so that nothing is above, below, first or last.

Bad:

    - {text: None of the above, claim: wire_sent == 0, belief: nothing-to-send}

Good:

    - {text: It sends nothing, claim: wire_sent == 0, belief: nothing-to-send}
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from quiz.deck.card import Kind
from quiz.deck.problem import Problem
from quiz.lint.rule import Context
from quiz.lint.texts import by_language, place_in
from verify.api import Text

id = "position-in-choice"

_ENGLISH = re.compile(
    r"\b(?:(?:all|none|both|neither|each|any) of (?:the )?(?:above|below|other (?:answers|choices))"
    r"|(?:answers?|choices?|options?) (?:above|below|[A-D]\b)|[A-D] (?:and|or) [A-D]\b"
    r"|the (?:first|last|previous|next|other) (?:answer|choice|option))",
    re.IGNORECASE,
)
_JAPANESE = re.compile(
    r"(?:以上|上記|下記|上|下)の?(?:すべて|全て|いずれ|どれ|どちら)|(?:他|ほか)の選択肢"
    r"|選択肢\s*[A-Da-dＡ-Ｄア-エ]"
)


def check(context: Context) -> Iterator[Problem]:
    for card in context.cards:
        if card.kind is not Kind.TRAP:
            continue
        for number, choice in enumerate(card.choices):
            for language, written in by_language(choice.text):
                match = _ENGLISH.search(written)
                if match is None and not written.isascii():
                    match = _JAPANESE.search(written)
                if match is not None:
                    yield context.problem(
                        id,
                        card,
                        place_in(card, ("choices", number, "text"), language),
                        Text(
                            ja=f"選択肢は毎回並べ替えられるので、「{match[0]}」は意味を持ちません。",
                            en=f"Choices are shuffled, so “{match[0]}” says nothing.",
                        ),
                        Text(ja="内容を書いてください。", en="Write what is meant."),
                        part=(written, match.start(), match.end()),
                        severity="warning",
                    )
