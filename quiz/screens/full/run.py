"""Open the full screen, and leave the terminal as it was, whatever ends it."""

from __future__ import annotations

import signal
import sys
from types import FrameType

from textual.drivers.linux_driver import LinuxDriver

from quiz.screens.full.app import INTERRUPTED, Editor, StudyApp
from quiz.screens.full.sheet import StyledPage
from quiz.sitting import Sitting

_ENDING = (signal.SIGTERM, signal.SIGHUP)


class _Terminal(LinuxDriver):
    """Draws on standard output: that it is a terminal is why this screen was chosen."""

    def __init__(self, *arguments: object, **options: object) -> None:
        super().__init__(*arguments, **options)  # type: ignore[arg-type]  # passed on as they come
        if sys.__stdout__ is not None:
            self._file = sys.__stdout__


def study(sitting: Sitting, page: StyledPage, editor: Editor) -> StudyApp:
    """Run a sitting to its end; the app then tells how it ended."""
    app = StudyApp(sitting, page, editor, driver_class=_Terminal)

    def end(_signal: int, _frame: FrameType | None) -> None:
        app.end(INTERRUPTED)

    before = {number: signal.signal(number, end) for number in _ENDING}
    try:
        app.run()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return app
