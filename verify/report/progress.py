"""One line on a terminal that says what is happening, and is gone when it's over."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self, TextIO

from verify.report.columns import cut
from verify.text import Language, Text, verbatim
from verify.worlds.request import Progress

_STEPS = {
    "joined": Text(ja="参加", en="joined"),
    "running": Text(ja="測定中", en="measuring"),
}
_STEP = Text(ja="ランク {rank} / {ranks}: {step}", en="rank {rank} of {ranks}: {step}")
_SHORTEST = 0.15  # seconds between two drawings: enough to read, too few to flicker


class ProgressLine:
    """Draws on `stream` only where that is a terminal; a pipe gets nothing."""

    def __init__(self, stream: TextIO, language: Language, width: int) -> None:
        self._stream = stream
        self._language = language
        self._width = width
        self._shows = stream.isatty()
        self._drawn = 0.0
        self.prefix = ""  # such as `run 3 of 12: pipeline-bubble m=8`

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _: type[BaseException] | None,
        __: BaseException | None,
        ___: TracebackType | None,
    ) -> None:
        self.clear()

    def say(self, text: str) -> None:
        """Replace the line."""
        if self._shows:
            whole = f"{self.prefix}  {text}" if self.prefix else text
            self._stream.write(f"\r\x1b[K {cut(whole, self._width - 2)}")
            self._stream.flush()
            self._drawn = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        if time.monotonic() - self._drawn < _SHORTEST:
            return
        step = _STEPS.get(progress.step, verbatim(progress.step)).pick(self._language)
        self.say(
            _STEP.pick(self._language).format(rank=progress.rank, ranks=progress.ranks, step=step)
        )

    def clear(self) -> None:
        if self._shows and self._drawn:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
