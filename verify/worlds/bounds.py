"""What is sane to ask of one machine; checked before any process starts."""

from __future__ import annotations

import os
from pathlib import Path

from verify.errors import UsageError
from verify.text import Text
from verify.units import BYTE, GiB, format_size
from verify.worlds.request import Request

MOST_RANKS = 16
MOST_FAKE_RANKS = 65_536
MOST_BYTES = GiB  # of any one size that a run is given
MOST_SECONDS = 120.0
MOST_RUNS = 256  # of one sweep
_MEMORY_SHARE = 0.5  # of what is free, for all ranks together

_LIFT = Text(
    ja="制限を外すには --allow-large を付けてください。",
    en="--allow-large lifts this limit.",
)


def check_bounds(request: Request, allow_large: bool = False) -> None:
    """Raises UsageError naming the limit that the request exceeds, unless large runs are allowed.

    At most 16 ranks (65,536 of a fake world, which is one process), 1 GiB per size, 120 expected
    seconds, and half of the free memory for the sizes of all processes together.
    """
    if allow_large:
        return
    ranks, seconds = request.ranks, request.expected_seconds
    most = MOST_FAKE_RANKS if request.counts_only else MOST_RANKS
    if ranks > most:
        raise _too_much(str(ranks), str(most), Text(ja="ランク数", en="ranks"))
    sizes = {
        parameter.name: int(request.values[parameter.name])
        for parameter in request.experiment.parameters()
        if parameter.unit == BYTE
    }
    for name, size in sizes.items():
        if size > MOST_BYTES:
            raise _too_much(format_size(size), format_size(MOST_BYTES), Text(ja=name, en=name))
    needed, free = request.processes * sum(sizes.values()), free_memory()
    if free is not None and needed > _MEMORY_SHARE * free:
        raise _too_much(
            format_size(needed),
            format_size(int(_MEMORY_SHARE * free)),
            Text(
                ja="全ランクのメモリ（上限は空きの半分）",
                en="memory of all ranks (half of what is free)",
            ),
        )
    if seconds > MOST_SECONDS:
        raise _too_much(
            f"{seconds:.0f} s", f"{MOST_SECONDS:.0f} s", Text(ja="予想時間", en="expected time")
        )


def check_runs(runs: int, allow_large: bool = False) -> None:
    """Raises UsageError where a sweep has too many combinations, unless that is allowed."""
    if runs > MOST_RUNS and not allow_large:
        raise _too_much(f"{runs:,}", str(MOST_RUNS), Text(ja="実行回数", en="runs"))


def free_memory() -> int | None:
    """Bytes that could be had without swapping; None where the system doesn't tell."""
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
        return next(
            int(line.split()[1]) * 1024
            for line in text.splitlines()
            if line.startswith("MemAvailable:")
        )
    except (OSError, StopIteration):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return None


def _too_much(asked: str, limit: str, what: Text) -> UsageError:
    return UsageError(
        Text(
            ja=f"{what.ja}が大きすぎます: {asked}（上限 {limit}）。",
            en=f"{what.en}: {asked} is over the limit of {limit}.",
        ),
        _LIFT,
    )
