"""The proof pane: a run while it proceeds, then what it came to."""

from __future__ import annotations

from dataclasses import dataclass, replace

from textual.content import Content

from quiz.screens.full.sheet import Row
from quiz.screens.lines import Page
from quiz.screens.wrap import clean, spread, wrap
from quiz.sitting import Progress, Report
from verify.api import Text

_MEASURING = Text(ja="測定しています…", en="Measuring…")
_SECONDS = Text(ja="{s} 秒", en="{s} s")


@dataclass(frozen=True)
class ProofView:
    """The steps of the run that goes on, or the report of the last one."""

    steps: tuple[Progress, ...] = ()
    seconds: float = 0.0
    report: Report | None = None
    running: bool = False

    def step(self, progress: Progress) -> ProofView:
        """With what a rank has reached, in place of what it had reached before."""
        kept = [s for s in self.steps if (s.run, s.rank) != (progress.run, progress.rank)]
        if progress.rank is not None:  # a rank speaks: what came before all ranks is over
            kept = [s for s in kept if s.run != progress.run or s.rank is not None]
        return replace(self, steps=(*kept, progress))

    def rows(self, page: Page) -> list[Row]:
        """Lines no wider than the page."""
        if not self.running:
            lines = self.report.lines(page.width) if self.report and self.report.lines else []
            if self.report and self.report.lines is None:
                lines = self.report.text.split("\n")
            return [Row(Content(clean(line))) for line in lines]
        seconds = page.say(_SECONDS).format(s=f"{self.seconds:.1f}")
        lines = [*spread(page.say(_MEASURING), seconds, page.width), ""]
        runs = list(dict.fromkeys(step.run for step in self.steps))
        for run in runs:
            if run is not None:
                mark = "✓" if run is not runs[-1] else "›"
                lines += wrap(page.say(run), page.width, first=f" {mark} ")
            if run is runs[-1]:
                steps = [step for step in self.steps if step.run is run]
                for step in sorted(steps, key=lambda s: -1 if s.rank is None else s.rank):
                    lines += wrap(page.say(step.text), page.width, first="   ")
        return [Row(Content(clean(line))) for line in lines]
