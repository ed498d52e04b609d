"""FSRS-6 over arrays: the curves of the engine, for planning, where a call a card is too slow.

Formulas: open-spaced-repetition/awesome-fsrs, "The Algorithm", FSRS-6. `w` are its 21 parameters.
Stability S is in days (recall falls to 90 % after S days), difficulty D runs from 1 to 10, and
retrievability R is a chance. The engine is what writes the schedule; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]

SHORTEST, LONGEST = 0.001, 36_500.0  # days of stability, as the engine clips it
_AGAIN, _HARD, _GOOD, _EASY = 1, 2, 3, 4


class Curves:
    """The curves for one set of parameters."""

    def __init__(self, parameters: Sequence[float]) -> None:
        self.w = tuple(float(number) for number in parameters)
        self._factor = 0.9 ** (-1 / self.w[20]) - 1

    def recall(self, stability: Array, elapsed: Array | float) -> Array:
        """R = (1 + F·t/S)^(-w20), F = 0.9^(-1/w20) - 1; `elapsed` is t in days."""
        return np.asarray((1 + self._factor * elapsed / stability) ** -self.w[20])

    def interval(self, stability: Array, retention: float) -> Array:
        """The days after which R has fallen to `retention`: the curve solved for t."""
        return np.asarray(stability / self._factor * (retention ** (-1 / self.w[20]) - 1))

    def first(self, grade: int) -> tuple[float, float]:
        """S and D after a first answer: S = w[grade-1], D = w4 - e^(w5·(grade-1)) + 1."""
        return self.w[grade - 1], float(min(max(self._first_difficulty(grade), 1), 10))

    def recalled(
        self, stability: Array, difficulty: Array, chance: Array, grade: int = _GOOD
    ) -> Array:
        """S after recall at R: S·(1 + e^w8·(11-D)·S^-w9·(e^(w10·(1-R))-1)), times w15 for Hard
        and w16 for Easy in the second term."""
        w = self.w
        bonus = {_HARD: w[15], _EASY: w[16]}.get(grade, 1.0)
        growth = np.exp(w[8]) * (11 - difficulty) * stability ** -w[9]
        return _clip(stability * (1 + growth * (np.exp(w[10] * (1 - chance)) - 1) * bonus))

    def forgotten(self, stability: Array, difficulty: Array, chance: Array) -> Array:
        """S after Again at R: w11·D^-w12·((S+1)^w13-1)·e^(w14·(1-R)), at most S/e^(w17·w18)."""
        w = self.w
        after = w[11] * difficulty ** -w[12] * ((stability + 1) ** w[13] - 1)
        longest = stability / np.exp(w[17] * w[18])
        return _clip(np.minimum(after * np.exp(w[14] * (1 - chance)), longest))

    def same_day(self, stability: Array, grade: int) -> Array:
        """S after another answer on the same day: S·e^(w17·(grade-3+w18))·S^-w19, and no less
        than S where it was recalled."""
        w = self.w
        change = np.exp(w[17] * (grade - 3 + w[18])) * stability ** -w[19]
        return _clip(stability * (np.maximum(change, 1) if grade > _AGAIN else change))

    def difficulty(self, difficulty: Array, grade: int) -> Array:
        """D after an answer: D - w6·(grade-3)·(10-D)/9, drawn to D of a first Easy by w7."""
        w = self.w
        moved = difficulty - w[6] * (grade - 3) * (10 - difficulty) / 9
        return np.clip(w[7] * self._first_difficulty(_EASY) + (1 - w[7]) * moved, 1, 10)

    def relearned(self, stability: Array, difficulty: Array) -> tuple[Array, Array]:
        """S and D once a card that was just failed has been recalled in the same sitting."""
        return self.same_day(stability, _GOOD), self.difficulty(difficulty, _GOOD)

    def _first_difficulty(self, grade: int) -> float:
        return float(self.w[4] - np.exp(self.w[5] * (grade - 1)) + 1)


def _clip(stability: Array) -> Array:
    return np.clip(stability, SHORTEST, LONGEST)
