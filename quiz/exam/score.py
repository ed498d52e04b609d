"""The score of a mock exam, from the log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from quiz.events import Answer, Event, Origin
from quiz.exam.paper import Paper

Z95 = 1.959964  # a normal variable lies within so many deviations in 95 % of cases


@dataclass(frozen=True, slots=True)
class Score:
    """How much of a theme was right. The interval is for the share one would get in the long run,
    at 95 %."""

    theme: str | None  # a deck's id; None for the whole exam
    items: int
    right: int
    low: float
    high: float


@dataclass(frozen=True)
class Result:
    scores: tuple[Score, ...]  # the whole, then deck by deck
    wrong: tuple[Answer, ...]
    unanswered: int  # these count as not right


def wilson(right: int, items: int, z: float = Z95) -> tuple[float, float]:
    """The score interval of a share (Wilson, 1927, JASA 22, 209-212); (0, 1) of nothing."""
    if items == 0:
        return 0.0, 1.0
    share, square = right / items, z * z
    middle = (share + square / (2 * items)) / (1 + square / items)
    spread = z / (1 + square / items)
    spread *= (share * (1 - share) / items + square / (4 * items * items)) ** 0.5
    return max(0.0, min(share, middle - spread)), min(1.0, max(share, middle + spread))


def given(paper: Paper, answers: Iterable[tuple[Event, Answer, str]]) -> Mapping[str, Answer]:
    """The answers of this exam by card, from `standing_answers`: the first of each counts."""
    found: dict[str, Answer] = {}
    for _, answer, _ in answers:
        if answer.sitting == paper.sitting and answer.origin is Origin.EXAM:
            found.setdefault(answer.card, answer)
    return found


def result(paper: Paper, answers: Mapping[str, Answer]) -> Result:
    """What a paper came to. A card's deck is the part of its key before the slash."""
    decks = list(dict.fromkeys(_deck(card) for card in paper.cards))

    def score(theme: str | None) -> Score:
        cards = [card for card in paper.cards if theme in (None, _deck(card))]
        right = sum(card in answers and answers[card].correct is True for card in cards)
        return Score(theme, len(cards), right, *wilson(right, len(cards)))

    return Result(
        tuple(score(theme) for theme in (None, *decks)),
        tuple(answers[c] for c in paper.cards if c in answers and not answers[c].correct),
        sum(card not in answers for card in paper.cards),
    )


def _deck(card: str) -> str:
    return card.partition("/")[0]
