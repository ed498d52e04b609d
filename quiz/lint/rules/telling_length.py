"""The truth is much longer, or much shorter, than every lure of its trap.

Whoever guesses takes the odd one out. It is a warning from 1.6 times the longest
lure on, or at 0.4 times the shortest one, where that is 24 columns or more.

Bad:

    choices:
      - text: It sends every gradient once in each direction around the ring of all the ranks
        claim: wire_sent > 0
      - {text: It sends nothing, claim: wire_sent == 0, belief: nothing-to-send}

Good:

    choices:
      - {text: It sends its gradients, claim: wire_sent > 0}
      - {text: It sends nothing, claim: wire_sent == 0, belief: nothing-to-send}
"""

from __future__ import annotations

from collections.abc import Iterator

from quiz.deck.card import Card, Kind
from quiz.deck.problem import Problem
from quiz.lint.rule import Context
from quiz.lint.texts import by_language, place_in
from verify.api import Language, Text, cells

id = "telling-length"

_LONG, _SHORT = 1.6, 0.4
_COLUMNS = 24


def check(context: Context) -> Iterator[Problem]:
    for card in context.cards:
        if card.kind is Kind.TRAP:
            place = next(n for n, choice in enumerate(card.choices) if choice.belief is None)
            for language, written in by_language(card.choices[place].text):
                if (message := _message(card, written, language or "ja")) is not None:
                    yield context.problem(
                        id,
                        card,
                        place_in(card, ("choices", place, "text"), language),
                        message,
                        Text(
                            ja="誤答と同じくらいの長さにしてください。",
                            en="Make it about as long as the lures.",
                        ),
                        severity="warning",
                    )
                    break


def _message(card: Card, truth: str, language: Language) -> Text | None:
    texts = [c.text.ja if language == "ja" else c.text.en for c in card.choices if c.belief]
    lures = [text for text in texts if text is not None]
    lengths = [len(text) for text in lures]
    if not lures or 0.2 * min(lengths) < len(truth) < 0.8 * max(lengths):  # spares the widths
        return None
    own, others = cells(truth), [cells(lure) for lure in lures]
    longest, shortest = max(others), min(others)
    if own >= _LONG * longest and own - longest >= _COLUMNS:
        return Text(
            ja="正解だけがどの誤答よりもずっと長く、読まなくても選べます。",
            en="The truth is much longer than every lure, which gives it away.",
        )
    if own <= _SHORT * shortest and shortest - own >= _COLUMNS:
        return Text(
            ja="正解だけがどの誤答よりもずっと短く、読まなくても選べます。",
            en="The truth is much shorter than every lure, which gives it away.",
        )
    return None
