"""From what became of each rank to one sentence: which rank broke the run, and how."""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verify.errors import RunFailed
from verify.text import Text, printable
from verify.worlds.outcome import (
    Outcome,
    items,
    number,
    outcome_from_json,
    outcome_json,
    text,
    whole,
)

# What a rank says when another one went away first: a consequence, seldom the cause.
_CONSEQUENCES = (
    "BrokenBarrierError",
    "Connection closed by peer",
    "Connection reset by peer",
    "Connection refused",
    "Broken pipe",
    "Socket is not connected",
    "Application timeout caused pair closure",
    "Timed out waiting",
    "connectFullMesh failed",
    "DistStoreError",
    "DistNetworkError",
)
# The innermost frame of a rank that waits for another one.
_WAITING = re.compile(
    r'File "[^"]*(?:torch/(?:distributed|nn/parallel|autograd)/(?:\w+/)*\w+'
    r"|multiprocessing/synchronize"
    r'|worlds/(?:exchange|member))\.py"'
)
_STACK = re.compile(r"\(most recent call first\):\n((?:  File .*\n?)+)")


# What gloo says where there is no such interface, or none that is up.
_NO_ADDRESS = re.compile(r"Unable to find address for: (\S+)")
_INTERFACE = Text(
    ja="ランク {rank} がネットワークインターフェース {name} を使えません"
    "（存在しないか、アドレスがないか、down です）。",
    en="rank {rank} can't use the network interface {name}: "
    "there is none of that name, or it is down, or has no address.",
)
_LONGEST = 8000  # characters of a log or a traceback: its end tells most


@dataclass
class Fate:
    """What became of one rank, as far as is known."""

    rank: int
    steps: int = 0
    last_step: str | None = None
    outcomes: list[Outcome] | None = None
    summary: str | None = None  # of the exception it raised
    traceback: str = ""
    vanished: bool = False
    code: int | None = None  # of its exit, negative for a signal; None where unknown
    failed_at: float = 0.0  # orders failures
    log: str = ""

    def reached(self, step: str) -> None:
        self.steps += 1
        self.last_step = step

    def raised(self, summary: str, traceback: str, at: float) -> None:
        self.summary, self.traceback, self.failed_at = summary, traceback, at

    def ended(self, code: int | None, at: float) -> None:
        """It is gone: a failure unless it has told why, or has delivered and left in order."""
        self.code = code
        if self.summary is None and (self.outcomes is None or code != 0):
            self.vanished, self.failed_at = True, at

    def to_json(self) -> dict[str, Any]:
        """What a rank tells of itself. Exits are for others to notice, so they aren't in it."""
        return {
            "steps": self.steps,
            "last_step": self.last_step,
            "outcomes": self.outcomes and [outcome_json(outcome) for outcome in self.outcomes],
            "summary": self.summary,
            "traceback": self.traceback[-_LONGEST:],
            "failed_at": self.failed_at,
            "log": self.log[-_LONGEST:],
        }

    @classmethod
    def from_json(cls, rank: int, data: object) -> Fate:
        """What rank `rank` told. Raises ValueError, KeyError or TypeError on anything else."""
        told = cls(rank)
        record: dict[str, Any] = dict(data)  # type: ignore[call-overload] # TypeError is meant
        told.steps = whole(record["steps"])
        if record["last_step"] is not None:
            told.last_step = text(record["last_step"])
        if record["outcomes"] is not None:
            told.outcomes = [outcome_from_json(outcome) for outcome in items(record["outcomes"])]
        if record["summary"] is not None:
            told.summary = text(record["summary"])
        told.traceback, told.log = text(record["traceback"]), text(record["log"])
        told.failed_at = float(number(record["failed_at"]))
        return told

    @property
    def failed(self) -> bool:
        return self.vanished or self.summary is not None

    @property
    def is_consequence(self) -> bool:
        return self.summary is not None and any(c in self.summary for c in _CONSEQUENCES)

    @property
    def stack(self) -> str:
        """The last stack in its log, innermost frame first."""
        found = _STACK.findall(self.log)
        return found[-1] if found else ""


def read_log(path: Path) -> str:
    """The end of what a rank wrote, or nothing."""
    try:
        return path.read_text(errors="replace")[-_LONGEST:]
    except OSError:
        return ""


def summary_of(error: BaseException) -> str:
    """The exception behind it all: torch wraps what a pipeline stage raises in one of its own."""
    while error.__cause__ is not None:
        error = error.__cause__
    return f"{type(error).__name__}: {str(error).strip()}".removesuffix(": ")


def explain(fates: Sequence[Fate], deadline: float) -> RunFailed:
    """The error to raise about a run in which a rank failed, or that took all of `deadline`."""
    failed = sorted(
        (fate for fate in fates if fate.failed),
        key=lambda fate: (fate.is_consequence, fate.failed_at),
    )
    culprit = failed[0] if failed else furthest_behind(fates)
    last = printable(culprit.last_step) if culprit.last_step else None
    return RunFailed(
        _what_happened(culprit, deadline),
        Text(ja=f"最後の段階: {last or '開始前'}", en=f"last step: {last or 'not started'}"),
        rank=culprit.rank,
        traceback=culprit.traceback or culprit.log,
    )


def furthest_behind(fates: Sequence[Fate]) -> Fate:
    """Whom the others wait for: not itself waiting in torch, then with the fewest steps."""
    undelivered = [fate for fate in fates if fate.outcomes is None] or fates
    return min(undelivered, key=lambda fate: (_waits(fate), fate.steps, fate.rank))


def _waits(fate: Fate) -> bool:
    innermost = fate.stack.partition("\n")[0]
    return _WAITING.search(innermost) is not None


def _what_happened(fate: Fate, deadline: float) -> Text:
    rank = fate.rank
    if fate.vanished:
        how = _exit(fate.code)
        return Text(
            ja=f"ランク {rank} が結果を出さずに終了しました（{how.ja}）。",
            en=f"rank {rank} ended without a result ({how.en}).",
        )
    if (found := _NO_ADDRESS.search(fate.summary or "")) is not None:
        return _INTERFACE.fill(rank=rank, name=printable(found[1]))
    if fate.summary is not None:
        first_line = printable((fate.summary.splitlines() or [""])[0])[:300]
        return Text(
            ja=f"ランク {rank} で例外が起きました: {first_line}",
            en=f"rank {rank} raised {first_line}",
        )
    return Text(
        ja=f"ランク {rank} が {round(deadline, 1):g} 秒の期限までに結果を出しませんでした。",
        en=f"rank {rank} stalled: no result within the deadline of {round(deadline, 1):g} s.",
    )


def _exit(code: int | None) -> Text:
    if code is None:
        return Text(ja="理由は不明です", en="no word from it")
    if code >= 0:
        return Text(ja=f"終了コード {code}", en=f"exit code {code}")
    try:
        name = signal.Signals(-code).name
    except ValueError:  # a real-time signal
        name = str(-code)
    return Text(ja=f"シグナル {name}", en=f"signal {name}")
