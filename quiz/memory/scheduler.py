"""What each grade would do to one card: FSRS-6 states and whole-day intervals."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from fsrs_rs_python import (
    DEFAULT_PARAMETERS,
    FSRS,
    ItemState,
    MemoryState,
    check_and_fill_parameters,
)

from quiz.events import Grade

RETENTION = 0.9
"""Desired retention unless asked otherwise."""

LONGEST = 36_500
"""No interval is longer than a century of days."""

DEFAULT_SET = "default"
"""The name of the parameters that come with the engine, as written in answers."""

_FUZZ = ((2.5, 7.0, 0.15), (7.0, 20.0, 0.1), (20.0, math.inf, 0.05))
"""Anki's spread: each stretch of the interval (days) adds this part of its length."""


@dataclass(frozen=True, slots=True)
class Memory:
    """What FSRS knows of one card: stability in days (recall falls to 90 %), difficulty 1-10."""

    stability: float
    difficulty: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one grade leads to. After Again `interval` is 0: the card is due the same day."""

    memory: Memory
    interval: int
    day: int  # the study day of the answer, never before the card's last one
    due: int


@cache
def engine() -> str:
    """The engine and its release, as written in answers."""
    from importlib.metadata import version  # slow to import; only an answer names the engine

    return f"fsrs-rs-python {version('fsrs-rs-python')}"


def usable(parameters: object) -> tuple[float, ...] | None:
    """A full FSRS-6 set (21 numbers) from a list of 17, 19 or 21; None if FSRS refuses it."""
    if not isinstance(parameters, list | tuple):
        return None
    if not all(type(number) in (int, float) and math.isfinite(number) for number in parameters):
        return None
    try:
        filled = check_and_fill_parameters([float(number) for number in parameters])
        FSRS(filled)
        if filled[20] <= 0:
            return None
        retrievability(1.0, 1.0, filled)  # a curve that hardly falls has a factor beyond floats
    except (ValueError, OverflowError):
        return None
    return tuple(filled)


def default_parameters() -> tuple[float, ...]:
    """The engine's own set."""
    return tuple(DEFAULT_PARAMETERS)


def retrievability(
    stability: float, elapsed: float, parameters: Sequence[float] | None = None
) -> float:
    """The chance of recall after `elapsed` days.

    FSRS-6: R = (1 + F·t/S)^(-w20) with F = 0.9^(-1/w20) - 1, so that R = 0.9 at t = S
    (open-spaced-repetition/awesome-fsrs, "The Algorithm").
    """
    decay = (DEFAULT_PARAMETERS if parameters is None else parameters)[20]
    factor = 0.9 ** (-1 / decay) - 1
    return float((1 + factor * elapsed / stability) ** -decay)


def fuzz_bounds(interval: float, longest: int = LONGEST) -> tuple[int, int]:
    """The shortest and the longest whole interval that stands for `interval` days.

    As in Anki: nothing under 2.5 days; else a day either way, plus 15 % of the stretch from 2.5
    to 7 days, 10 % of that from 7 to 20 and 5 % of the rest.
    """
    if interval < _FUZZ[0][0]:
        whole = _clamp(_nearest(interval), longest)
        return whole, whole
    spread = 1 + sum(part * max(0.0, min(interval, end) - start) for start, end, part in _FUZZ)
    low, high = (_clamp(_nearest(edge), longest) for edge in (interval - spread, interval + spread))
    if low == high and 2 < high < longest:
        high += 1
    return low, high


def whole_days(interval: float, card: str, repetition: int, *, fuzz: bool) -> int:
    """`interval` as whole study days, at least 1.

    The draw rests on the card and its repetition alone: what was previewed is what is written.
    For a retention close to 0 the engine's interval is beyond all numbers: the longest stands.
    """
    if not math.isfinite(interval):
        return LONGEST
    if not fuzz:
        return _clamp(_nearest(interval), LONGEST)
    low, high = fuzz_bounds(interval)
    digest = hashlib.blake2b(
        f"{card}\0{repetition}".encode("utf-8", "surrogatepass"), digest_size=8
    ).digest()
    return low + int.from_bytes(digest) * (1 + high - low) // 2**64


class Scheduler:
    """FSRS with one set of parameters and one desired retention."""

    def __init__(
        self,
        parameters: Sequence[float] | None = None,
        *,
        parameter_set: str = DEFAULT_SET,
        retention: float = RETENTION,
        fuzz: bool = True,
    ) -> None:
        """Raises ValueError for parameters that FSRS refuses or a retention outside (0, 1)."""
        if not 0 < retention < 1:
            raise ValueError("desired retention lies between 0 and 1")
        self.parameters = tuple(DEFAULT_PARAMETERS if parameters is None else parameters)
        self.parameter_set = parameter_set
        self.retention = retention
        self.fuzz = fuzz
        self._fsrs = FSRS(list(self.parameters))

    def outcomes(
        self, card: str, repetition: int, memory: Memory | None, last_day: int | None, day: int
    ) -> Mapping[Grade, Outcome]:
        """What each grade given on `day` leads to.

        `repetition` is the number of earlier answers, `memory` and `last_day` what is known from
        them (both None for a new card). A day before `last_day`, from a clock set back, counts
        as `last_day`.
        """
        day = day if last_day is None else max(day, last_day)
        elapsed = 0 if last_day is None else day - last_day
        prior = None if memory is None else MemoryState(memory.stability, memory.difficulty)
        states = self._fsrs.next_states(prior, self.retention, elapsed)

        def outcome(grade: Grade, state: ItemState) -> Outcome:
            interval = 0
            if grade is not Grade.AGAIN:
                interval = whole_days(state.interval, card, repetition, fuzz=self.fuzz)
            after = Memory(state.memory.stability, state.memory.difficulty)
            return Outcome(after, interval, day, day + interval)

        return {
            Grade.AGAIN: outcome(Grade.AGAIN, states.again),
            Grade.HARD: outcome(Grade.HARD, states.hard),
            Grade.GOOD: outcome(Grade.GOOD, states.good),
            Grade.EASY: outcome(Grade.EASY, states.easy),
        }


def _nearest(days: float) -> int:
    """Halves go up, as in Anki (Python's round would take 2.5 to 2)."""
    return math.floor(days + 0.5)


def _clamp(days: int, longest: int) -> int:
    return max(1, min(days, longest))
