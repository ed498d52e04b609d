"""What every world does alike: run the experiment on each rank, gather, check, conclude."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from verify.errors import RunFailed
from verify.experiment import Experiment
from verify.quantities import (
    Interval,
    Measured,
    Number,
    Quantity,
    Reading,
    Readings,
    Shape,
    Source,
    Unmeasured,
)
from verify.text import Text, printable
from verify.worlds.outcome import Outcome

if TYPE_CHECKING:
    from verify.worlds.rank import Rank


def perform(rank: Rank, experiment: Experiment, parameters: Any, repeats: int) -> list[Outcome]:
    """Run the experiment `repeats` times on this rank, in the same world."""
    outcomes = []
    for repeat in range(repeats):
        rank.timeline.clear()
        rank.step(f"repeat {repeat + 1} of {repeats}" if repeats > 1 else "running")
        readings = experiment.run(rank, parameters)
        if not isinstance(readings, Mapping):
            raise TypeError(f"run returned {type(readings).__name__}, not a dict of readings")
        outcomes.append(Outcome(dict(readings), rank.timeline.spans()))
        rank.barrier()
    return outcomes


def gather(
    experiment: Experiment, parameters: Any, ranks: Sequence[Sequence[Outcome]]
) -> dict[str, Measured | Unmeasured]:
    """Every declared quantity from what all ranks brought back, repeats folded into intervals.

    Raises RunFailed where a rank yields an undeclared, missing or non-finite quantity.
    """
    repeats = len(ranks[0])
    folded: dict[str, list[Measured | Unmeasured]] = {q.name: [] for q in experiment.quantities}
    for repeat in range(repeats):
        readings = [outcomes[repeat].readings for outcomes in ranks]
        concluded = _conclude(experiment, parameters, readings)
        _check_names(experiment, readings, concluded)
        for quantity in experiment.quantities:
            column = (
                [concluded[quantity.name]]
                if quantity.name in concluded
                else [r[quantity.name] for r in readings]
            )
            folded[quantity.name].append(_join(experiment, quantity, column))
    return {q.name: _fold(q, folded[q.name]) for q in experiment.quantities}


def _conclude(
    experiment: Experiment, parameters: Any, ranks: Sequence[Mapping[str, Any]]
) -> Readings:
    try:
        return experiment.conclude(parameters, ranks)
    except Exception as error:
        reason = printable(f"{type(error).__name__}: {error}")
        raise _broken(
            experiment,
            f"全ランクの量をまとめられません: {reason}",
            f"what the ranks yielded can't be concluded: {reason}",
        ) from error


def _broken(experiment: Experiment, ja: str, en: str, rank: int | None = None) -> RunFailed:
    return RunFailed(
        Text(ja=f"実験 {experiment.name}: {ja}", en=f"experiment {experiment.name}: {en}"),
        rank=rank,
    )


def _check_names(
    experiment: Experiment, ranks: Sequence[Mapping[str, Any]], concluded: Mapping[str, Any]
) -> None:
    declared = {q.name for q in experiment.quantities}
    for index, readings in enumerate(ranks):
        given = {name for name in readings if not name.startswith("_")} | set(concluded)
        if given != declared:
            sides = (
                ("欠けている", "missing", declared - given),
                ("宣言にない", "undeclared", given - declared),
            )
            told = [(ja, en, ", ".join(sorted(names))) for ja, en, names in sides if names]
            ja = "、".join(f"{ja}量: {names}" for ja, _, names in told)
            en = "; ".join(f"{en}: {names}" for _, en, names in told)
            raise _broken(
                experiment,
                f"ランク {index} の返した量が宣言と一致しません（{ja}）。",
                f"rank {index} did not yield exactly the declared quantities ({en}).",
                index,
            )


def _is_finite_number(value: object) -> bool:
    return isinstance(value, int | Fraction | float) and math.isfinite(value)


def _number(value: int | Number) -> Number:
    return Fraction(value) if isinstance(value, int) else value


def _join(
    experiment: Experiment, quantity: Quantity, column: Sequence[Reading | Unmeasured]
) -> Measured | Unmeasured:
    """One repeat's quantity from every rank's reading."""
    if quantity.sampled:
        return _join_samples(experiment, quantity, column)
    values: list[Number] = []
    sources: set[Source] = set()
    for index, reading in enumerate(column):
        if isinstance(reading, Unmeasured):
            return reading
        value = reading.value if isinstance(reading, Reading) else None
        row = value if isinstance(value, tuple) else (value,)
        wanted = len(column) if quantity.shape is Shape.MATRIX else 1
        if len(row) != wanted or not all(map(_is_finite_number, row)):
            shown = printable(str(reading))[:80]
            raise _broken(
                experiment,
                f"ランク {index} の {quantity.name} は、有限の数 {wanted} 個の Reading では"
                f"ありません: {shown}",
                f"rank {index} yielded {quantity.name}, which is not a Reading of {wanted} finite "
                f"number{'s' if wanted > 1 else ''}: {shown}",
                index,
            )
        values.extend(map(_number, row))
        sources.add(reading.source)
    source = max(sources, key=list(Source).index)  # the weakest one: derived after measured
    if quantity.shape is Shape.SCALAR:
        if len(set(values)) > 1:
            # Every rank has its say: a scalar on which ranks disagree is as bad as its worst rank.
            values = [max(values, key=math.fabs)]
        values = values[:1]
    return Measured(quantity.unit, quantity.shape, source, tuple(map(Interval.point, values)))


def _join_samples(
    experiment: Experiment, quantity: Quantity, column: Sequence[Reading | Unmeasured]
) -> Measured | Unmeasured:
    """The interval of the mean of a scalar's samples; where ranks disagree, the largest one's."""
    intervals: list[Interval] = []
    for index, reading in enumerate(column):
        if isinstance(reading, Unmeasured):
            return reading
        samples = reading.value if isinstance(reading, Reading) else None
        if (
            not isinstance(samples, tuple)
            or len(samples) < 2
            or not all(map(_is_finite_number, samples))
        ):
            shown = printable(str(reading))[:80]
            raise _broken(
                experiment,
                f"ランク {index} の {quantity.name} は 2 個以上の有限な標本ではありません: {shown}",
                f"rank {index} yielded {quantity.name}, which is no tuple of two or more finite "
                f"samples: {shown}",
                index,
            )
        intervals.append(confidence_interval([float(sample) for sample in samples]))
    worst = max(intervals, key=lambda interval: abs(float(interval.value)))
    source = max(
        (reading.source for reading in column if isinstance(reading, Reading)),
        key=list(Source).index,
    )
    return Measured(quantity.unit, quantity.shape, source, (worst,))


CURVE = "_curve_"


def curves(ranks: Sequence[Sequence[Outcome]]) -> dict[str, tuple[tuple[float, ...], ...]]:
    """Readings named `_curve_…` of the last repeat, one row per rank: for pictures alone."""
    last = [outcomes[-1].readings for outcomes in ranks]
    rows: dict[str, list[tuple[float, ...]]] = {}
    for readings in last:
        for name, reading in readings.items():
            if name.startswith(CURVE) and isinstance(reading, Reading):
                value = reading.value if isinstance(reading.value, tuple) else (reading.value,)
                rows.setdefault(name.removeprefix(CURVE), []).append(tuple(map(float, value)))
    return {name: tuple(row) for name, row in rows.items()}


# Two-sided 95 % points of Student's t distribution for 1 to 30 degrees of freedom
# (NIST/SEMATECH e-Handbook of Statistical Methods, table 1.3.6.7.2).
_STUDENT_95 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip


def confidence_interval(samples: Sequence[float]) -> Interval:
    """The mean of at least two samples with its 95 % confidence interval (Student's t)."""
    count = len(samples)
    mean = math.fsum(samples) / count
    variance = math.fsum((s - mean) ** 2 for s in samples) / (count - 1)
    point = _STUDENT_95[min(count - 1, len(_STUDENT_95)) - 1]
    half = point * math.sqrt(variance / count)
    return Interval(mean - half, mean, mean + half)


def _fold(quantity: Quantity, repeats: Sequence[Measured | Unmeasured]) -> Measured | Unmeasured:
    """Repeats of one quantity: a confidence interval where timed, else the range they span."""
    first = repeats[0]
    unmeasured = next((r for r in repeats if isinstance(r, Unmeasured)), None)
    if unmeasured is not None or isinstance(first, Unmeasured):
        return unmeasured or first
    if len(repeats) == 1:
        return first
    cells = list(zip(*(r.values for r in repeats if isinstance(r, Measured)), strict=True))
    if quantity.timed:
        values = tuple(confidence_interval([float(i.value) for i in cell]) for cell in cells)
    else:
        values = tuple(
            Interval(min(i.low for i in cell), cell[0].value, max(i.high for i in cell))
            for cell in cells
        )
    return Measured(first.unit, first.shape, first.source, values)
