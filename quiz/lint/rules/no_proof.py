"""A card that no run can prove.

Nothing in a deck is taken on trust: a trap needs the experiment that its claims speak of, and a
proof needs a truth (in a trap the choices bring it). A recall or compute card without any proof can
be studied, so it is a warning.

Bad:

    - {id: who-sends, kind: recall, ask: Who sends?, answer: Everyone}

Good:

    - id: who-sends
      kind: recall
      ask: Who sends?
      answer: Everyone
      proof: {experiment: all-reduce-bytes, truth: [min(wire_sent) > 0]}
"""

from __future__ import annotations

from collections.abc import Iterator

from quiz.deck.card import Kind
from quiz.deck.problem import Problem
from quiz.lint.rule import Context
from verify.api import Text

id = "no-proof"


def check(context: Context) -> Iterator[Problem]:
    for card in context.cards:
        if card.proof is None:
            yield context.problem(
                id,
                card,
                ("id",),
                Text(ja="このカードには証明がありません。", en="This card has no proof."),
                Text(
                    ja="proof に experiment と truth を書いてください。",
                    en="Add a proof with an experiment and a truth.",
                ),
                part=(card.id, 0, len(card.id)),
                severity="error" if card.kind is Kind.TRAP else "warning",
            )
        elif card.kind is not Kind.TRAP and not card.proof.truth:
            yield context.problem(
                id,
                card,
                ("proof",),
                Text(
                    ja="この証明には確かめることがありません。",
                    en="This proof has nothing to confirm.",
                ),
                Text(ja="truth に主張を書いてください。", en="Add claims under truth."),
            )
