"""The order in which due cards meet: those that are easily confused, side by side.

Interleaving teaches to tell apart what looks alike, where asking one theme after the other teaches
each alone (Kornell and Bjork, 2008, "Learning concepts and categories"). What may be confused is
read off the cards: they share a topic, a belief behind a lure, or an experiment, and belong to
different decks. Siblings, which share an idea, are one card in two dresses, and are not asked on
one day at all (`quiz.memory.queue`).
"""

from __future__ import annotations

from collections.abc import Sequence

from quiz.deck.card import Card

BLOCK = 8
"""Cards move within blocks of so many, so that what is urgent stays early."""


def contrast(one: Card, other: Card) -> int:
    """How much is learned from meeting one right after the other: 2 for another deck, and 1 for
    each of: the topic, a belief, an experiment that they share. Siblings have none."""
    if one.idea is not None and (one.deck, one.idea) == (other.deck, other.idea):
        return 0
    alike = (
        (one.topic is not None and one.topic == other.topic)
        + bool(_beliefs(one) & _beliefs(other))
        + bool(_experiments(one) & _experiments(other))
    )
    return 2 * (one.deck != other.deck) + alike


def interleaved(cards: Sequence[Card], block: int = BLOCK) -> list[Card]:
    """The same cards, each block reordered: every next card contrasts most with the one before,
    the earliest of equals. The first card stays first."""
    order: list[Card] = []
    for start in range(0, len(cards), block):
        left = list(cards[start : start + block])
        while left:
            worth = [contrast(order[-1], card) for card in left] if order else [0]
            order.append(left.pop(worth.index(max(worth))))
    return order


def _beliefs(card: Card) -> set[str]:
    chosen: Sequence[str | None] = [choice.belief for choice in card.choices]
    return {belief for belief in (*chosen, *(lure.belief for lure in card.lures)) if belief}


def _experiments(card: Card) -> set[str]:
    return {run.experiment for run in card.proof.runs} if card.proof else set()
