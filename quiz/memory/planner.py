"""Which cards to ask on a day, so that recall on the day of the exam is as high as it can be.

A card's worth on a study day is the chance that it is recalled on the exam day under the best
course from here, less what that course costs: its expected seconds, times a *price* per second.
By backward induction over the days left, with U the worth just after a sitting on day τ,

    U_τ(S, D) = max( R(T-τ, S),  max over t>τ of  Q_t(S, D, t-τ) )
    Q_t(S, D, e) = R·U_t(S+, D+) + (1-R)·U_t(S-, D-) - price_t·(R·recalled + (1-R)·failed)

with R = R(e, S), and S+, D+ and S-, D- what FSRS-6 makes of a recall, and of a failure relearned
in the same sitting. Today's gain of a card is Q without its price, less the worth of leaving it;
cards are asked in the order of gain per second. An infinite price is the greedy planner, which
counts on no later review; a low one saves time for better days. This is the Lagrangian relaxation
of a restless bandit (Whittle, 1988, "Restless bandits: activity allocation in a changing world").

The price rises towards the exam, over the days that a last look at every card takes: that is when
time is worth most, since what is recalled then is recalled at the exam.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from quiz.events import Grade
from quiz.memory.curves import Array, Curves, Mask
from quiz.memory.effort import Effort

PRICES = (0.0005, 0.001, 0.002, 0.004, 0.008, 1.0)
"""Points of recall of one card per second, to choose from; the last is as good as infinite."""

_WAITS = (1, 2, 3, 4, 5, 7, 9, 12, 16, 21, 28, 37, 50, 66, 88, 117, 156, 208, 277, 365)
"""Days until a next look that are considered: all, where it matters to the day, then wider."""

_RISE = 3.0  # how many times dearer than usual, on top, a second is on the last day
_STABILITIES = np.linspace(math.log(0.02), math.log(3000), 32)  # of the table: ln of days
_DIFFICULTIES = np.linspace(1, 10, 5)


@dataclass(frozen=True)
class Memories:
    """Cards as arrays of one shape. Stability and difficulty mean nothing where `new`."""

    stability: Array
    difficulty: Array
    elapsed: Array  # days since the last answer
    new: Mask


class Planner:
    """The worth of every memory on each of `days` study days; the exam is on the day after."""

    def __init__(
        self, curves: Curves, effort: Effort, days: int, price: float, sweep: float = 5.0
    ) -> None:
        """`price` is one of PRICES; `sweep` the days that a look at every card takes."""
        self.curves = curves
        self.effort = effort
        self.days = days
        left = days - 1 - np.arange(days)
        self._price = price * (1 + _RISE * np.exp(-left / max(1.0, 0.7 * sweep)))
        self._worth = np.zeros((days, len(_STABILITIES), len(_DIFFICULTIES)))
        stability, difficulty = np.meshgrid(np.exp(_STABILITIES), _DIFFICULTIES, indexing="ij")
        for day in reversed(range(days)):
            self._worth[day] = self._left(day, stability, difficulty, np.zeros_like(stability))
        again, good = curves.first(Grade.AGAIN), curves.first(Grade.GOOD)
        relearned = curves.relearned(np.array(again[0]), np.array(again[1]))
        share = effort.first_recall
        self._first = [
            float(
                share * self._after(day, np.array(good[0]), np.array(good[1]))
                + (1 - share) * self._after(day, *relearned)
            )
            for day in range(days)
        ]

    def gains(self, day: int, memories: Memories) -> Array:
        """Points of recall on the exam day, per second, for asking each card on `day`.

        Cards that are better left alone today get -inf. New cards gain alike.
        """
        of = memories
        chance, asked = self._asked(day, of.stability, of.difficulty, of.elapsed)
        left = self._left(day, of.stability, of.difficulty, of.elapsed)
        effort = self.effort
        gain = (asked - left) / self._seconds(chance)
        later = [self._first[t] - self._price[t] * effort.new for t in range(day + 1, self.days)]
        first = (self._first[day] - max([0.0, *later])) / effort.new
        gain = np.where(of.new, first, gain)
        return np.where(gain > 0, gain, -np.inf)

    def _left(self, day: int, stability: Array, difficulty: Array, elapsed: Array) -> Array:
        """The worth of cards that are not asked on `day`, `elapsed` days after their last one."""
        best = self.curves.recall(stability, elapsed + self.days - day)
        for wait in _WAITS:
            if day + wait >= self.days:
                break
            chance, asked = self._asked(day + wait, stability, difficulty, elapsed + wait)
            best = np.maximum(best, asked - self._price[day + wait] * self._seconds(chance))
        return best

    def _asked(
        self, day: int, stability: Array, difficulty: Array, elapsed: Array
    ) -> tuple[Array, Array]:
        """The chance of recall on `day`, and the worth of having asked, its seconds unpaid."""
        curves = self.curves
        chance = curves.recall(stability, elapsed)
        recalled = self._after(
            day,
            curves.recalled(stability, difficulty, chance),
            curves.difficulty(difficulty, Grade.GOOD),
        )
        forgotten = self._after(
            day,
            *curves.relearned(
                curves.forgotten(stability, difficulty, chance),
                curves.difficulty(difficulty, Grade.AGAIN),
            ),
        )
        return chance, chance * recalled + (1 - chance) * forgotten

    def _seconds(self, chance: Array) -> Array:
        failed = self.effort.failed + self.effort.relearning
        return chance * self.effort.recalled + (1 - chance) * failed

    def _after(self, day: int, stability: Array, difficulty: Array) -> Array:
        """The worth just after a sitting on `day`, from the table, linear between its points."""
        table = self._worth[day]
        row, up = _place(np.log(stability), _STABILITIES)
        column, right = _place(difficulty, _DIFFICULTIES)
        low = table[row, column] * (1 - right) + table[row, column + 1] * right
        high = table[row + 1, column] * (1 - right) + table[row + 1, column + 1] * right
        return np.asarray(low * (1 - up) + high * up)


def _place(value: Array, grid: Array) -> tuple[np.ndarray, Array]:
    """The cell of an even grid that holds each value, and how far into it the value lies."""
    at = np.clip((value - grid[0]) / (grid[1] - grid[0]), 0, len(grid) - 1)
    cell = np.minimum(at.astype(np.intp), len(grid) - 2)
    return cell, at - cell
