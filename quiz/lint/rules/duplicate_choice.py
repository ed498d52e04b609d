"""Two choices of a trap, or two lures of a compute card, say the same.

They differ in nothing but case, spaces or punctuation, or make the same claim. A lure like the
truth can't be told from it; one like another lure is no choice.

Bad:

    choices:
      - {text: It sends nothing, claim: wire_sent > 0}
      - {text: 'It sends nothing.', claim: wire_sent == 0, belief: nothing-to-send}

Good:

    choices:
      - {text: It sends gradients, claim: wire_sent > 0}
      - {text: It sends nothing, claim: wire_sent == 0, belief: nothing-to-send}
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from quiz.deck.card import Card, Place
from quiz.deck.problem import Problem
from quiz.lint.claims import parsed, parsed_expression
from quiz.lint.rule import Context
from verify.api import Text
from verify.api.claims import ClaimError, render

id = "duplicate-choice"

_PUNCTUATION = " \t\n.,;:!?。、，．！？："
_NOT_WORDS = re.compile(r"[\s.,;:!?。、，．！？]+")


def check(context: Context) -> Iterator[Problem]:
    for card in context.cards:
        if card.choices:
            yield from _texts(context, card)
            yield from _claims(context, card)
        elif card.lures:
            seen: dict[str, str] = {}  # one like the result is found by compute-lure-collision
            for number, lure in enumerate(card.lures):
                key = _expression(lure.result)
                if key in seen:
                    place: Place = ("lures", number, "result")
                    yield _problem(context, card, place, seen[key])
                seen.setdefault(key, lure.belief)


def _texts(context: Context, card: Card) -> Iterator[Problem]:
    texts = [choice.text for choice in card.choices]
    if _all_apart([text.ja or "" for text in texts]) and _all_apart([t.en or "" for t in texts]):
        return
    seen: dict[tuple[str, str], str] = {}
    for number, choice in enumerate(card.choices):
        keys = [("ja", _words(choice.text.ja or "")), ("en", _words(choice.text.en or ""))]
        found = next((seen[key] for key in keys if key in seen and key[1]), None)
        if found is not None:
            yield _problem(context, card, ("choices", number, "text"), found)
        for key in keys:
            seen.setdefault(key, choice.belief or "")


def _claims(context: Context, card: Card) -> Iterator[Problem]:
    if len({choice.statement.claim[-8:] for choice in card.choices}) == len(card.choices):
        return  # no two end alike
    seen: dict[str, str] = {}
    for number, choice in enumerate(card.choices):
        claim = _claim(choice.statement.claim)
        if claim in seen:
            yield _problem(context, card, ("choices", number, "claim"), seen[claim])
        seen.setdefault(claim, choice.belief or "")


def _all_apart(texts: list[str]) -> bool:
    """Whether they can't be the same: no two begin and end in the same letters."""
    ends = {(text[:3] + text.rstrip(_PUNCTUATION)[-3:]).casefold() for text in texts}
    return len(ends) == len(texts) or ends == {""}


@lru_cache(maxsize=2**16)
def _words(text: str) -> str:
    """The text without case, width, spaces and punctuation."""
    return _NOT_WORDS.sub("", unicodedata.normalize("NFKC", text).casefold())


@lru_cache(maxsize=2**16)
def _claim(text: str) -> str:
    tree = parsed(text)
    return text if isinstance(tree, ClaimError) else render(tree)


@lru_cache(maxsize=2**16)
def _expression(text: str) -> str:
    """The expression in its canonical form."""
    tree = parsed_expression(text)
    return text if isinstance(tree, ClaimError) else render(tree)


def _problem(context: Context, card: Card, place: Place, earlier: str) -> Problem:
    other = Text(ja=f"「{earlier}」の誤答", en=f"the lure {earlier}")
    other = other if earlier else Text(ja="正解", en="the truth")
    return context.problem(
        id,
        card,
        place,
        Text(ja=f"{other.ja}と同じ内容です。", en=f"This says the same as {other.en}."),
        Text(ja="どちらかを変えるか、消してください。", en="Change one of them or delete it."),
    )
