"""What the planner gains over FSRS with a fixed retention, at the same seconds spent.

Simulated learners answer by Bernoulli(retrievability); seconds and the success of first and
same-day answers are drawn from the real log. Each peer gets the minutes of its row; the planner
gets, a day, what the peer spent on average. Two kinds of learners: those whose memory follows the
parameters assumed (FSRS-6's defaults), and those whose memory follows parameters fitted to the log
while everyone schedules with the defaults.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from bench import review_log
from quiz.memory.curves import Array, Curves, Mask
from quiz.memory.effort import Effort
from quiz.memory.fit import fitted, items_of
from quiz.memory.learners import (
    Durations,
    Planned,
    Result,
    best_price,
    new_cards,
    planner_for,
    simulate,
)
from quiz.memory.planner import Memories
from quiz.memory.scheduler import default_parameters

SETTINGS = ((200, 30, 10), (200, 30, 5), (400, 30, 10), (200, 60, 5), (100, 7, 10), (400, 90, 10))
RETENTIONS = (0.80, 0.85, 0.90, 0.95)
NEW_A_DAY = (10, 20, None)


class FixedRetention:
    """FSRS as usual: due cards, the longest overdue first, then so many new ones."""

    def __init__(self, curves: Curves, retention: float, new_a_day: int | None) -> None:
        self._curves, self._retention, self._new = curves, retention, new_a_day
        self._due: Array | None = None

    def order(self, day: int, memories: Memories) -> Array:
        due = np.zeros(memories.new.shape) if self._due is None else self._due
        order = np.where(~memories.new & (due <= day), 1e6 - due, -np.inf)
        rank = np.cumsum(memories.new, axis=1, dtype=np.int64)
        fresh = memories.new & (rank <= (self._new or rank.shape[1]))
        return np.where(fresh, -rank, order)

    def answered(self, day: int, asked: Mask, memories: Memories) -> None:
        due = np.zeros(asked.shape) if self._due is None else self._due
        interval = self._curves.interval(memories.stability, self._retention)
        self._due = np.where(asked, day + np.maximum(1, np.floor(interval + 0.5)), due)


@dataclass(frozen=True)
class World:
    """A kind of learners and how long their answers take."""

    true: Curves
    assumed: Curves
    effort: Effort
    durations: dict[str, list[float]]

    def sampler(self, random: np.random.Generator) -> Durations:
        return lambda sort, shape: random.choice(np.array(self.durations[sort]), shape)


@dataclass(frozen=True)
class Row:
    """One setting: shares of cards recalled on the day, and minutes spent."""

    setting: tuple[int, int, int]
    usual: tuple[float, float]  # FSRS at 90 %, 20 new a day: recall, minutes
    planned_usual: tuple[float, float]  # the planner with as much time
    best: tuple[float, float]  # the best of the fixed retentions and limits
    best_is: tuple[float, int | None]
    planned_best: tuple[float, float]
    error: float  # standard error of a difference

    @property
    def gain(self) -> tuple[float, float]:
        """Points over FSRS at 90 %, and over the best fixed one."""
        usual = 100 * (self.planned_usual[0] - self.usual[0])
        return usual, 100 * (self.planned_best[0] - self.best[0])


def measure(world: World, setting: tuple[int, int, int], learners: int, seed: int) -> Row:
    """One row. Every policy meets the same seeds; prices are chosen with others."""
    cards, days, minutes = setting
    start = new_cards(learners, cards)

    def run(policy: FixedRetention | Planned, seconds: float) -> Result:
        random = np.random.default_rng(seed)
        return simulate(
            start, policy, world.true, world.assumed,
            days=days, seconds=seconds, effort=world.effort, random=random,
            durations=world.sampler(random),
        )  # fmt: skip

    def plan(seconds: float) -> Result:
        few = new_cards(max(2, 1600 // cards), cards)
        price = best_price(
            few, world.assumed, days=days, seconds=seconds, effort=world.effort,
            random=np.random.default_rng(seed + 1),
        )  # fmt: skip
        planner = planner_for(world.assumed, world.effort, days, price, seconds, cards)
        return run(Planned(planner), seconds)

    fixed = {
        (retention, new): run(FixedRetention(world.assumed, retention, new), 60 * minutes)
        for retention in RETENTIONS
        for new in NEW_A_DAY
    }
    usual = fixed[0.90, 20]
    best = max(fixed, key=lambda key: fixed[key].recall.mean())
    planned = plan(usual.seconds.sum(1).mean() / days)
    return Row(
        setting,
        _figures(usual),
        _figures(planned),
        _figures(fixed[best]),
        best,
        _figures(plan(fixed[best].seconds.sum(1).mean() / days)),
        _error(usual, planned),
    )


def _error(one: Result, other: Result) -> float:
    means = (result.recall.mean(1) for result in (one, other))
    return float(sum(mean.var(ddof=1) / len(mean) for mean in means) ** 0.5)


def _figures(result: Result) -> tuple[float, float]:
    return float(result.recall.mean()), float(result.seconds.sum(1).mean() / 60)


def worlds() -> dict[str, World]:
    """The two kinds of learners."""
    reviews = review_log.read()
    assumed = Curves(default_parameters())
    true = Curves(fitted(items_of((r.card, r.day, r.grade, True) for r in reviews)))
    as_assumed = World(assumed, assumed, review_log.effort(reviews), review_log.durations(reviews))
    return {
        "learners follow the assumed parameters (FSRS-6 defaults)": as_assumed,
        "learners follow parameters fitted to the real log; defaults assumed": replace(
            as_assumed, true=true
        ),
    }


def main() -> Iterator[str]:
    for name, world in worlds().items():
        yield name
        yield (
            "  cards days min/day |  FSRS .90/20 -> planner  gain"
            " |  best fixed (ret/new)   -> planner  gain   (± s.e.; minutes in brackets)"
        )
        for setting in SETTINGS:
            row = measure(world, setting, learners=max(8, 8000 // setting[0]), seed=20_26)
            gain = row.gain
            new = row.best_is[1] or "∞"
            yield (
                f"  {setting[0]:5} {setting[1]:4} {setting[2]:7} |"
                f" {_shown(row.usual)} -> {_shown(row.planned_usual)} {gain[0]:+5.1f}"
                f" | {_shown(row.best)} ({row.best_is[0]:.2f}/{new:>2}) ->"
                f" {_shown(row.planned_best)} {gain[1]:+5.1f}   ± {100 * row.error:.1f}"
            )


def _shown(figures: tuple[float, float]) -> str:
    return f"{100 * figures[0]:4.1f} [{figures[1]:3.0f}]"
