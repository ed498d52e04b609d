"""Fitting FSRS-6 to a log, and whether the fit predicts later answers better than what it had.

What is predicted is recall at a card's first answer of a later day; same-day answers belong to the
history, and are never predicted: FSRS-6 has no curve for them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fsrs_rs_python import FSRS, FSRSItem, FSRSReview

from quiz.events import Answer, Event, Grade, Origin
from quiz.memory.scheduler import default_parameters, retrievability

FEWEST = 100
"""Predictions without which nothing is fitted: 21 numbers can't be told from fewer answers."""

TRAINED_SHARE = 0.8  # of the predictions, the earliest, when a fit is judged on the rest

_Given = tuple[str, int, int, bool]  # card, study day, grade, whether it may be predicted


@dataclass(frozen=True, slots=True)
class Item:
    """One answer to predict, and what came before it: (grade, days since the one before)."""

    day: int
    card: str
    history: tuple[tuple[int, int], ...]
    grade: int
    elapsed: int  # 1 or more


@dataclass(frozen=True)
class Fit:
    """A fit and its trial. Losses are mean log losses in nats, unweighted; lower is better."""

    parameters: tuple[float, ...]  # fitted on everything
    items: int
    before: float  # on everything, with the parameters in force
    after: float  # on everything, with `parameters`: seen by the fit, so optimistic
    later: int  # items of the trial: the latest
    later_before: float  # on these, with the parameters in force
    later_after: float  # on these, with a fit that had seen only the earlier ones

    @property
    def better(self) -> bool:
        """Whether a fit predicts answers it hasn't seen better than the parameters in force, and
        isn't just those once more."""
        return self.later_after < self.later_before and self.after < self.before


def given_in(answers: Iterable[tuple[Event, Answer, str]]) -> list[_Given]:
    """What of a log enters a fit (`standing_answers`): answers that entered FSRS. Exam and cram
    answers don't; one given after an undo is history, but isn't predicted: its key was seen."""
    return [
        (card, event.day, int(answer.grade), not answer.after_undo)
        for event, answer, card in answers
        if answer.origin in (Origin.STUDY, Origin.IMPORT)
    ]


def items_of(given: Iterable[_Given]) -> list[Item]:
    """The predictions that answers allow, oldest first; `given` comes in the order of the log."""
    histories: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    last: dict[str, int] = {}
    items: list[Item] = []
    for card, day, grade, predictable in given:
        elapsed = max(0, day - last.get(card, day))
        history = histories[card]
        if elapsed >= 1 and predictable:
            items.append(Item(day, card, tuple(history), grade, elapsed))
        history.append((grade, elapsed))
        last[card] = day
    return sorted(items, key=lambda item: item.day)


def fitted(items: Sequence[Item]) -> tuple[float, ...]:
    """The engine's fit. Raises ValueError where the items tell it too little."""
    numbers: dict[str, int] = {}
    cards = [numbers.setdefault(item.card, len(numbers)) for item in items]
    whole = [_engine_item((*item.history, (item.grade, item.elapsed))) for item in items]
    parameters = FSRS(list(default_parameters())).compute_parameters(whole, card_ids=cards)
    return tuple(parameters)


def log_loss(parameters: Sequence[float], items: Sequence[Item]) -> float:
    """The mean of -ln of the chance that was given to what happened."""
    states = FSRS(list(parameters)).memory_state_batch([_engine_item(i.history) for i in items])
    total = 0.0
    for item, state in zip(items, states, strict=True):
        chance = retrievability(state.stability, item.elapsed, parameters)
        total -= math.log(chance if item.grade > Grade.AGAIN else max(1 - chance, 1e-9))
    return total / len(items)


def fit(items: Sequence[Item], now: Sequence[float]) -> Fit | None:
    """Fit and try: `now` are the parameters in force. None where FEWEST items are not there."""
    if len(items) < FEWEST:
        return None
    cut = int(TRAINED_SHARE * len(items))
    earlier, later = items[:cut], items[cut:]
    parameters = fitted(items)
    return Fit(
        parameters,
        len(items),
        log_loss(now, items),
        log_loss(parameters, items),
        len(later),
        log_loss(now, later),
        log_loss(fitted(earlier), later),
    )


def _engine_item(history: Sequence[tuple[int, int]]) -> FSRSItem:
    return FSRSItem([FSRSReview(grade, elapsed) for grade, elapsed in history])
