"""Two cards of a deck ask nearly the same.

Their questions differ in nothing but case, punctuation, particles, articles or a plural. Both come
up again and again, and answering one gives the other away. Traps count as the same only where the
truth is the same too. Cards that are siblings on purpose share an `idea`.

Bad:

    - {id: ring, kind: recall, ask: What does each rank send?, answer: Gradients}
    - {id: ring-again, kind: recall, ask: What do the ranks send, answer: Gradients}

Good:

    - {id: ring, kind: recall, ask: What does each rank send?, answer: Gradients}
    - {id: ring-when, kind: recall, ask: When does a rank send?, answer: After backward}
"""

from __future__ import annotations

from collections.abc import Iterator

from quiz.deck.card import Card, Kind
from quiz.deck.problem import Problem
from quiz.lint.rule import Context
from quiz.lint.texts import place_in
from verify.api import Text

id = "near-duplicate"

_SMALL = {
    "a", "an", "the", "is", "are", "was", "were", "do", "does", "did", "each", "every", "all",
    "of", "in", "on", "at", "to", "for", "it", "its", "please",
}  # fmt: skip
_SIGNS = str.maketrans(
    dict.fromkeys(".,:;!?'\"()[]“”‘’「」『』()。、,.:;!?…・はがをにでとのもかへや")
)


def check(context: Context) -> Iterator[Problem]:
    seen: dict[tuple[str, ...], Card] = {}
    for card in context.cards:
        key = _key(card)
        earlier = seen.setdefault(key, card)
        if earlier is card or (card.idea is not None and card.idea == earlier.idea):
            continue
        line = earlier.at("ask").line
        yield context.problem(
            id,
            card,
            place_in(card, ("ask",), None),
            Text(
                ja=f"{line} 行目のカード {earlier.id} とほとんど同じ問題です。",
                en=f"The card {earlier.id} on line {line} asks nearly the same.",
            ),
            Text(
                ja="一方を変えるか消すか、両方に同じ idea を書いてください。",
                en="Change or delete one, or give both the same idea.",
            ),
            severity="warning",
        )


def _key(card: Card) -> tuple[str, ...]:
    ask = _words(card.ask)
    if card.kind is Kind.TRAP:
        return ask, _words(next(choice for choice in card.choices if choice.belief is None).text)
    return (ask, card.result or "")


def _words(text: Text) -> str:
    """The telling words, in one language."""
    written = text.ja if text.ja is not None else text.en or ""
    words = written.casefold().translate(_SIGNS).split()
    return "".join([word.removesuffix("s") for word in words if word not in _SMALL])
