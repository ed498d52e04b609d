"""What is wrong with a claim, and where in its text."""

from __future__ import annotations

from verify.errors import UsageError
from verify.text import Text


class ClaimError(UsageError):
    """The author's mistake in a claim or an expression.

    `start` and `end` are 0-based character offsets into the text that was parsed; the fault is
    `text[start:end]`, which is empty at the end of the text.
    """

    def __init__(self, message: Text, hint: Text | None = None, *, start: int, end: int) -> None:
        super().__init__(message, hint)
        self.start = start
        self.end = end
