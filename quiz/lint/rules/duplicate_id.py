"""Two cards of a deck, or two decks, have the same id.

A card's identity is deck/card. Two cards with one identity would share their history.

Bad:

    - {id: ring, kind: recall, ask: Who sends?, answer: Everyone}
    - {id: ring, kind: recall, ask: How much?, answer: 2(N-1)/N}

Good:

    - {id: ring-who, kind: recall, ask: Who sends?, answer: Everyone}
    - {id: ring-how-much, kind: recall, ask: How much?, answer: 2(N-1)/N}
"""

from __future__ import annotations

from quiz.lint.rule import from_loader

id = "duplicate-id"
check = from_loader(id)
