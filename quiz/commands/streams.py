"""Lines in and text out, for the screens that read one line a step."""

from __future__ import annotations

import sys
from collections.abc import Callable

from verify.api import await_input

LONGEST_LINE = 4096
LONGEST_INPUT = 2**20  # characters without a line break: no keyboard sends that


def write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def reader() -> Callable[[], str | None]:
    """Lines of standard input; a prompt where both ends are a terminal."""
    prompted = sys.stdin.isatty() and sys.stdout.isatty()

    def read() -> str | None:
        if prompted:
            write("> ")
        await_input()
        line = sys.stdin.readline(LONGEST_LINE)
        length = len(line)
        while line and not line.endswith("\n") and (more := sys.stdin.readline(LONGEST_LINE)):
            length += len(more)
            line = line[:LONGEST_LINE] + more[-1:]
            if length > LONGEST_INPUT:
                return None
        if prompted and not line.endswith("\n"):
            write("\n")
        return line.removesuffix("\n") if line else None

    return read
