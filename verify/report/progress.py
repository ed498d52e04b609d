"""One line on a terminal that says what is happening, and is gone when it's over."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self, TextIO

from verify.report.columns import cells, cut
from verify.text import Language, Text, verbatim
from verify.units import BYTE, format_size
from verify.worlds.request import LOADING, STARTING, OnProgress, Progress, Request

_BEFORE_RANKS = {
    LOADING: Text(ja="torch を読み込んでいます…", en="loading torch…"),
    STARTING: Text(ja="ランクを起動しています…", en="starting the ranks…"),
}
_STEPS = {
    "joined": Text(ja="が参加", en="joined"),
    "running": Text(ja="が測定中", en="is measuring"),
}
_REPEAT = re.compile(r"repeat ([0-9]+) of ([0-9]+)", re.ASCII)
_REPEATS = Text(ja="が測定中 ({0} / {1} 回目)", en="is measuring, repeat {0} of {1}")
_STEP = Text(ja="ランク {rank} / {ranks} {step}", en="rank {rank} of {ranks} {step}")
_RUN = Text(ja="実行 {number} / {total}: {what}", en="run {number} of {total}: {what}")
_SHORTEST = 0.15  # seconds between two drawings: enough to read, too few to flicker


def words(progress: Progress) -> Text:
    """`rank 2 of 4 joined`, with the run before it where there are several.."""
    step = _BEFORE_RANKS.get(progress.step)
    if step is None:
        doing = _STEPS.get(progress.step, verbatim(progress.step))
        if match := _REPEAT.fullmatch(progress.step):
            doing = Text(ja=_format(_REPEATS.ja, match), en=_format(_REPEATS.en, match))
        numbers = {"rank": progress.rank, "ranks": progress.ranks}
        step = Text(
            ja=(_STEP.ja or "").format(**numbers, step=doing.pick("ja")),
            en=(_STEP.en or "").format(**numbers, step=doing.pick("en")),
        )
    if progress.run is None:
        return step
    return Text(
        ja=f"{progress.run.pick('ja')}  {step.pick('ja')}",
        en=f"{progress.run.pick('en')}  {step.pick('en')}",
    )


def _format(template: str | None, match: re.Match[str]) -> str:
    return (template or "").format(*match.groups())


def of_several(listen: OnProgress, number: int, requests: Sequence[Request]) -> OnProgress:
    """`listen`, told which of these runs each step belongs to; the beginning of it at once."""
    request = requests[number - 1]
    run = None
    if len(requests) > 1:
        what = " ".join([request.experiment.name, *what_differs(request, requests)])
        run = _RUN.fill(number=number, total=len(requests), what=what)

    def hear(progress: Progress) -> None:
        listen(replace(progress, run=run))

    hear(Progress(0, request.ranks, LOADING if number == 1 else STARTING))
    return hear


def what_differs(request: Request, requests: Sequence[Request]) -> list[str]:
    """The parameters that tell this run from the others of its experiment, and its fault."""
    name = request.experiment.name
    alike = [other for other in requests if other.experiment.name == name]
    sizes = {p.name for p in request.experiment.parameters() if p.unit == BYTE}
    found = [
        f"{key}={format_size(int(value)) if key in sizes else value}"
        for key, value in request.values.items()
        if any(other.values[key] != value for other in alike)
    ]
    return [*found, f"--fault {request.fault}"] if request.fault else found


class ProgressLine:
    """Draws on `stream` only where that is a terminal; a pipe gets nothing."""

    def __init__(self, stream: TextIO, language: Language, width: int) -> None:
        self._stream = stream
        self._language = language
        self._width = width
        self._shows = stream.isatty()
        self._drawn = 0.0
        self._last: tuple[Text | None, str] | None = None
        self.prefix = ""  # such as `3 / 12  deck/card`

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
        """Something new is drawn at once; the same of another rank only now and then."""
        new = (progress.run, progress.step)
        if new == self._last and time.monotonic() - self._drawn < _SHORTEST:
            return
        self._last = new
        text = words(progress).pick(self._language)
        if progress.run is not None and cells(f"{self.prefix}  {text}") > self._width - 2:
            # What changes comes first where the end will be cut off.
            step = words(replace(progress, run=None)).pick(self._language)
            text = f"{step}  {progress.run.pick(self._language)}"
        self.say(text)

    def clear(self) -> None:
        if self._shows and self._drawn:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
