"""What can go wrong, each with one message and a way to mend it.

ProofdeckError
├── UsageError          the input is wrong: exit code 2, nothing was started
│   ├── UnknownName     no such experiment, parameter, quantity or fault
│   └── NotInstalled    the extra `verify` (torch) is missing
└── RunFailed           a run broke: exit code 1, no verdict
"""

from __future__ import annotations

from verify.text import Language, Text, printable


class ProofdeckError(Exception):
    """A message for the user and a hint on how to mend it. Shown without a traceback."""

    exit_code = 2

    def __init__(self, message: Text, hint: Text | None = None) -> None:
        super().__init__(message.pick("en"))
        self.message = message
        self.hint = hint

    def render(self, language: Language) -> str:
        """The message and, on a second line, the hint; nothing in them steers a terminal."""
        lines = [self.message.pick(language)]
        if self.hint is not None:
            lines.append("  " + self.hint.pick(language))
        return printable("\n".join(lines))


class UsageError(ProofdeckError):
    """The input is wrong; nothing was started or written."""


class UnknownName(UsageError):
    """No such experiment, parameter, quantity or fault."""


class NotInstalled(UsageError):
    """Proving needs the extra `verify`, which brings torch."""


class RunFailed(ProofdeckError):
    """A run broke before it could yield evidence."""

    exit_code = 1

    def __init__(
        self,
        message: Text,
        hint: Text | None = None,
        *,
        rank: int | None = None,
        traceback: str = "",
    ) -> None:
        super().__init__(message, hint)
        self.rank = rank
        self.traceback = traceback
