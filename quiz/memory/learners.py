"""Simulated learners: what a way of choosing cards comes to by the day of the exam.

A simulated card is recalled with the chance that the learner's own curves give; a failed one is
asked again in the same sitting until recalled. The one who chooses sees grades and days, and the
memory that the *assumed* curves make of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from quiz.events import Grade
from quiz.memory.curves import Array, Curves, Mask
from quiz.memory.effort import Effort
from quiz.memory.planner import PRICES, Memories, Planner

_MOST_RETRIES = 8  # of a card within one sitting; more are rarer than 1 in 25,000

Timed = Literal[
    "first_recalled", "first_failed", "recalled", "failed", "relearn_recalled", "relearn_failed"
]
Durations = Callable[[Timed, tuple[int, ...]], Array]
"""Seconds of answers of one sort: so many, in an array of that shape."""


class Policy(Protocol):
    """A way of choosing cards."""

    def order(self, day: int, memories: Memories) -> Array:
        """For each card, how early it comes on `day`: the highest first, -inf not at all."""

    def answered(self, day: int, asked: Mask, memories: Memories) -> None:
        """The cards that were asked, and the memories after it."""


@dataclass(frozen=True)
class Result:
    """What came of it, one row for each learner."""

    recall: Array  # learners × cards: the true chance of recall on the exam day
    seconds: Array  # learners × days: spent
    asked: Array  # learners × days: cards asked


class Planned:
    """The planner as a policy."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner

    def order(self, day: int, memories: Memories) -> Array:
        return self._planner.gains(day, memories)

    def answered(self, day: int, asked: Mask, memories: Memories) -> None:
        """The planner keeps no notes."""


def steady(effort: Effort) -> Durations:
    """Every answer takes its mean time."""
    return lambda sort, shape: np.full(shape, getattr(effort, sort))


def new_cards(learners: int, cards: int) -> Memories:
    """Cards that nobody has seen."""
    shape = learners, cards
    return Memories(np.ones(shape), np.full(shape, 5.0), np.zeros(shape), np.full(shape, True))


def simulate(
    start: Memories,
    policy: Policy,
    true: Curves,
    assumed: Curves,
    *,
    days: int,
    seconds: float,
    effort: Effort,
    random: np.random.Generator,
    durations: Durations | None = None,
) -> Result:
    """`days` study days of at most `seconds` each, from `start` (learners × cards).

    A card is begun while time is left; what it takes beyond that is missing the next day. `start`
    holds the assumed memory and counts as the true one as well.
    """
    durations = durations or steady(effort)
    shape = start.new.shape
    truth = memory = start
    spent, count = np.zeros((shape[0], days)), np.zeros((shape[0], days))
    over = np.zeros(shape[0])
    for day in range(days):
        chance = true.recall(truth.stability, truth.elapsed)
        chance = np.where(truth.new, effort.first_recall, chance)
        ok = random.random(shape) < chance
        retries = np.minimum(random.geometric(effort.relearn_recall, shape) - 1, _MOST_RETRIES)
        cost = _seconds(durations, truth.new, ok, retries)
        order = policy.order(day, memory)
        rank = np.argsort(-order, axis=1, kind="stable")
        wanted = np.take_along_axis(order, rank, 1) > -np.inf
        each = np.where(wanted, np.take_along_axis(cost, rank, 1), 0)
        total = np.cumsum(each, axis=1)
        taken = wanted & (total - each < (seconds - over)[:, None])
        spent[:, day], count[:, day] = np.where(taken, each, 0).sum(1), taken.sum(1)
        over = np.maximum(0, spent[:, day] - (seconds - over))
        asked = np.zeros(shape, bool)
        np.put_along_axis(asked, rank, taken, 1)
        truth, memory = (
            _answer(curves, of, asked, ok, retries)
            for curves, of in ((true, truth), (assumed, memory))
        )
        policy.answered(day, asked, memory)
        truth, memory = _tomorrow(truth), _tomorrow(memory)
    recall = np.where(truth.new, 0, true.recall(truth.stability, truth.elapsed))
    return Result(recall, spent, count)


def best_price(
    start: Memories,
    curves: Curves,
    *,
    days: int,
    seconds: float,
    effort: Effort,
    random: np.random.Generator,
) -> float:
    """The price with which the planner, believing its own curves, brings most recall."""
    seeds = random.integers(2**63)

    def recall(price: float) -> float:
        planner = planner_for(curves, effort, days, price, seconds, start.new.shape[1])
        same_luck = np.random.default_rng(seeds)
        result = simulate(
            start, Planned(planner), curves, curves,
            days=days, seconds=seconds, effort=effort, random=same_luck,
        )  # fmt: skip
        return float(result.recall.mean())

    return max(PRICES, key=recall)


def planner_for(
    curves: Curves, effort: Effort, days: int, price: float, seconds: float, cards: int
) -> Planner:
    """A planner whose price rises over the days that one look at each of `cards` takes."""
    return Planner(curves, effort, days, price, sweep=cards * effort.recalled / seconds)


def _seconds(durations: Durations, new: Mask, ok: Mask, retries: np.ndarray) -> Array:
    shape = new.shape
    first = np.where(ok, durations("first_recalled", shape), durations("first_failed", shape))
    later = np.where(ok, durations("recalled", shape), durations("failed", shape))
    again = durations("relearn_recalled", shape) + retries * durations("relearn_failed", shape)
    return np.where(new, first, later) + np.where(ok, 0, again)


def _answer(curves: Curves, of: Memories, asked: Mask, ok: Mask, retries: np.ndarray) -> Memories:
    """The memories after today, the failed cards relearned after so many `retries`."""
    chance = curves.recall(of.stability, of.elapsed)
    (again, harder), (good, easier) = curves.first(Grade.AGAIN), curves.first(Grade.GOOD)
    stability = np.where(of.new, again, curves.forgotten(of.stability, of.difficulty, chance))
    difficulty = np.where(of.new, harder, curves.difficulty(of.difficulty, Grade.AGAIN))
    for retry in range(int(retries.max(initial=0))):
        failed = retries > retry
        stability = np.where(failed, curves.same_day(stability, Grade.AGAIN), stability)
        difficulty = np.where(failed, curves.difficulty(difficulty, Grade.AGAIN), difficulty)
    stability, difficulty = curves.relearned(stability, difficulty)
    recalled = np.where(of.new, good, curves.recalled(of.stability, of.difficulty, chance))
    eased = np.where(of.new, easier, curves.difficulty(of.difficulty, Grade.GOOD))
    return Memories(
        np.where(asked, np.where(ok, recalled, stability), of.stability),
        np.where(asked, np.where(ok, eased, difficulty), of.difficulty),
        np.where(asked, 0.0, of.elapsed),
        of.new & ~asked,
    )


def _tomorrow(of: Memories) -> Memories:
    return Memories(of.stability, of.difficulty, of.elapsed + 1, of.new)
