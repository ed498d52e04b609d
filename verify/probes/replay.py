"""The replay: the operations that really ran, in their order, over their real dependencies, in
unit time.

On fewer cores than stages a clock measures contention. The order of operations is free of that: it
is what the schedule decided. Given one duration for each kind of operation, the order on each rank
and the dependencies between ranks fix when everything starts, and so the bubble, exactly.

Unit durations: forward 1, input half of the backward 1, weight half 1, full backward 2 (Qi et al.,
"Zero Bubble Pipeline Parallelism", 2023, split the backward so; GPipe and 1F1B have the same bubble
for any ratio of backward to forward).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

from verify.evidence import Span


class Kind(StrEnum):
    """What a stage does with a microbatch. The values are the kinds of timeline spans."""

    FORWARD = "F"
    BACKWARD = "B"  # both halves at once
    INPUT = "I"  # the gradient of the stage's input, which the previous stage waits for
    WEIGHT = "W"  # the gradient of the stage's parameters, which nobody waits for


UNITS = {Kind.FORWARD: 1, Kind.BACKWARD: 2, Kind.INPUT: 1, Kind.WEIGHT: 1}

_OPERATION = re.compile(r"([0-9]{1,6})([FBIW])([0-9]{1,6})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of one stage on one microbatch. As text: `2F0`, stage 2, microbatch 0."""

    kind: Kind
    stage: int
    microbatch: int

    def __str__(self) -> str:
        return f"{self.stage}{self.kind}{self.microbatch}"

    @classmethod
    def parse(cls, text: str) -> Operation:
        """The inverse of `str`. Raises ValueError."""
        match = _OPERATION.fullmatch(text)
        if match is None:
            raise ValueError(f"not an operation: {text!r}")
        return cls(Kind(match[2]), int(match[1]), int(match[3]))


def operations_of(spans: Iterable[Span]) -> tuple[Operation, ...]:
    """One rank's operations in the order in which they ran; other spans are left out."""
    kinds = set(Kind)
    return tuple(Operation(Kind(s.kind), s.stage, s.microbatch) for s in spans if s.kind in kinds)


_KINDS = tuple(Kind)


def pack(operations: Iterable[Operation]) -> tuple[int, ...]:
    """Operations as plain numbers, three each, to travel in a reading."""
    return tuple(
        number for o in operations for number in (_KINDS.index(o.kind), o.stage, o.microbatch)
    )


def unpack(numbers: Sequence[int]) -> tuple[Operation, ...]:
    """The inverse of `pack`."""
    triples = zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True)
    return tuple(Operation(_KINDS[kind], stage, batch) for kind, stage, batch in triples)


def held(operations: Iterable[Operation]) -> int:
    """The most microbatches in flight at once on one rank, counted per stage.

    From its forward until its backward, or until its weight half where the backward is split, a
    stage keeps the activations of a microbatch.
    """
    now = most = 0
    for operation in operations:
        if operation.kind is Kind.FORWARD:
            now += 1
        elif operation.kind is not Kind.INPUT:
            now -= 1
        most = max(most, now)
    return most


@dataclass(frozen=True, slots=True)
class Slot:
    """An operation with its place in unit time."""

    operation: Operation
    start: int
    end: int


@dataclass(frozen=True)
class Idle:
    """Idle units of time over all ranks, by when a rank was idle."""

    start: int  # filling: before the rank's first backward
    middle: int  # after its first backward and before its last forward
    end: int  # draining: after its last forward

    @property
    def total(self) -> int:
        return self.start + self.middle + self.end


@dataclass(frozen=True)
class Replay:
    """When each operation of each rank ran, in unit time."""

    ranks: tuple[tuple[Slot, ...], ...]

    @cached_property
    def length(self) -> int:
        """Units of time from the first start to the last end."""
        return max((slots[-1].end for slots in self.ranks if slots), default=0)

    @property
    def busy(self) -> int:
        """Busy units over all ranks."""
        return sum(slot.end - slot.start for slots in self.ranks for slot in slots)

    @property
    def total(self) -> int:
        """Units over all ranks, busy and idle."""
        return len(self.ranks) * self.length

    @property
    def bubble(self) -> Fraction:
        """Idle over total."""
        return 1 - Fraction(self.busy, self.total)

    @property
    def idle_over_useful(self) -> Fraction:
        """The other convention: idle over busy."""
        return Fraction(self.total - self.busy, self.busy)

    @property
    def busy_ranks(self) -> Fraction:
        """How many ranks are busy, on average over time."""
        return Fraction(self.busy, self.length)

    @property
    def all_busy(self) -> Fraction:
        """The share of time in which no rank is idle."""
        ranks_at = [0] * self.length
        for slots in self.ranks:
            for slot in slots:
                for unit in range(slot.start, slot.end):
                    ranks_at[unit] += 1
        return Fraction(ranks_at.count(len(self.ranks)), self.length)

    @cached_property
    def idle(self) -> Idle:
        """Idle units, split at each rank's first backward and at its last forward.

        These bound the warm-up, the steady state and the cool-down of a schedule.
        """
        start = middle = end = 0
        for slots in self.ranks:
            forwards = [s.end for s in slots if s.operation.kind is Kind.FORWARD]
            backwards = [s.start for s in slots if s.operation.kind is not Kind.FORWARD]
            first_backward = min(backwards, default=self.length)
            last_forward = max(forwards, default=0)
            for gap_start, gap_end in self._gaps(slots):
                if gap_end <= first_backward:
                    start += gap_end - gap_start
                elif gap_start >= last_forward:
                    end += gap_end - gap_start
                else:
                    middle += gap_end - gap_start
        return Idle(start, middle, end)

    def _gaps(self, slots: Sequence[Slot]) -> Iterable[tuple[int, int]]:
        ends = [0, *(slot.end for slot in slots)]
        starts = [*(slot.start for slot in slots), self.length]
        return zip(ends, starts, strict=True)


def replay(ranks: Sequence[Sequence[Operation]]) -> Replay:
    """Place every rank's operations as early as their order and their dependencies allow.

    A forward waits for the previous stage's forward of the same microbatch; a full backward or an
    input half for the next stage's and for its own forward; a weight half for its input half; and
    each rank does one operation at a time, in the given order. Raises ValueError where an operation
    waits for one that never runs, or where nothing ran.
    """
    if not any(ranks):
        raise ValueError("nothing ran")
    last_stage = max((o.stage for operations in ranks for o in operations), default=0)
    done: dict[tuple[Kind, int, int], int] = {}
    slots: list[list[Slot]] = [[] for _ in ranks]
    progress = True
    while progress:
        progress = False
        for operations, placed in zip(ranks, slots, strict=True):
            while len(placed) < len(operations):
                operation = operations[len(placed)]
                waits = [done.get(key) for key in _dependencies(operation, last_stage)]
                if None in waits:
                    break
                free = placed[-1].end if placed else 0
                start = max([free, *(moment for moment in waits if moment is not None)])
                placed.append(Slot(operation, start, start + UNITS[operation.kind]))
                done[_result(operation)] = placed[-1].end
                progress = True
    for rank, (operations, placed) in enumerate(zip(ranks, slots, strict=True)):
        if len(placed) < len(operations):
            raise ValueError(f"rank {rank} waits for ever to run {operations[len(placed)]}")
    return Replay(tuple(map(tuple, slots)))


def _result(operation: Operation) -> tuple[Kind, int, int]:
    """What the operation yields. A full backward yields the input's gradient as well."""
    kind = Kind.INPUT if operation.kind is Kind.BACKWARD else operation.kind
    return kind, operation.stage, operation.microbatch


def _dependencies(operation: Operation, last_stage: int) -> list[tuple[Kind, int, int]]:
    stage, microbatch = operation.stage, operation.microbatch
    if operation.kind is Kind.FORWARD:
        return [(Kind.FORWARD, stage - 1, microbatch)] if stage else []
    if operation.kind is Kind.WEIGHT:
        return [(Kind.INPUT, stage, microbatch)]
    own = (Kind.FORWARD, stage, microbatch)
    return [own] if stage == last_stage else [own, (Kind.INPUT, stage + 1, microbatch)]
