"""From what became of each rank to one sentence: which rank broke the run, and how."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from verify.errors import RunFailed
from verify.text import Text

# What a rank says when another one went away first: a consequence, seldom the cause.
_CONSEQUENCES = (
    "BrokenBarrierError",
    "Connection closed by peer",
    "Connection reset by peer",
    "Broken pipe",
    "Socket is not connected",
    "Timed out waiting",
    "DistStoreError",
)


@dataclass
class Fate:
    """What became of one rank, as far as the parent knows."""

    rank: int
    steps: int = 0
    last_step: str = "not started"
    summary: str | None = None
    traceback: str = ""
    code: int | None = None
    vanished: bool = False
    log: str = ""

    def reached(self, step: str) -> None:
        self.steps += 1
        self.last_step = step

    def raised(self, summary: str, traceback: str) -> None:
        self.summary, self.traceback = summary, traceback

    def ended(self, code: int, *, delivered: bool) -> None:
        self.code = code
        self.vanished = self.summary is None and not delivered

    @property
    def failed(self) -> bool:
        return self.vanished or self.summary is not None

    @property
    def is_consequence(self) -> bool:
        return self.summary is not None and any(c in self.summary for c in _CONSEQUENCES)


def read_log(path: Path) -> str:
    """The end of what a rank wrote, or nothing."""
    try:
        return path.read_text(errors="replace")[-8000:]
    except OSError:
        return ""


def explain(
    fates: Sequence[Fate], delivered: set[int], deadline: float | None, traces: str = ""
) -> RunFailed:
    """The error to raise. `deadline` is given where it ran out."""
    gone = [f for f in fates if f.vanished]
    raised = [f for f in fates if f.summary is not None]
    causes = [f for f in raised if not f.is_consequence]
    culprit = (gone or causes or raised or [None])[0]
    if culprit is None:
        waiting = [f for f in fates if f.rank not in delivered]
        return _stalled(min(waiting, key=lambda f: f.steps), deadline or 0.0)
    where = Text(ja=f"最後の段階: {culprit.last_step}", en=f"last step: {culprit.last_step}")
    trace = culprit.traceback or culprit.log
    if culprit.vanished:
        code = culprit.code or 0
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return RunFailed(
            Text(
                ja=f"ランク {culprit.rank} が結果を出さずに終了しました({how})。",
                en=f"rank {culprit.rank} ended without a result ({how}).",
            ),
            where,
            rank=culprit.rank,
            traceback=trace,
        )
    first_line = (culprit.summary or "").splitlines()[0][:300]
    return RunFailed(
        Text(
            ja=f"ランク {culprit.rank} で例外が起きました: {first_line}",
            en=f"rank {culprit.rank} raised {first_line}",
        ),
        where,
        rank=culprit.rank,
        traceback=trace,
    )


def _stalled(fate: Fate, deadline: float) -> RunFailed:
    return RunFailed(
        Text(
            ja=f"ランク {fate.rank} が {deadline:.0f} 秒の期限までに進みませんでした。",
            en=f"rank {fate.rank} stalled: no result within the deadline of {deadline:.0f} s.",
        ),
        Text(ja=f"最後の段階: {fate.last_step}", en=f"last step: {fate.last_step}"),
        rank=fate.rank,
        traceback=fate.log,
    )
