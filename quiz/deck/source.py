"""A deck's text and the positions in it."""

from __future__ import annotations

import errno
import os
import re
import stat
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from pathlib import Path

from quiz.deck.card import Position

_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")  # what YAML 1.1 and libyaml call a line break

_MORE_BREAKS = "\x0b\x0c\x1c\x1d\x1e"  # that Python splits lines at


LARGEST = 16 * 2**20  # bytes of a deck


class NotRegular(OSError):
    """A pipe, a device, a socket: reading it may wait for ever or never end."""


def read_bytes(path: Path) -> bytes:
    """A file's bytes, one more than LARGEST at most.

    Raises OSError, of which NotRegular is one kind; ValueError for a NUL in the path.
    """
    with open(path, "rb", opener=_at_once) as file:  # a path's own `open` takes none
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise NotRegular(errno.EINVAL, "not a regular file")
        return file.read(LARGEST + 1)


def _at_once(path: str, flags: int) -> int:
    """Open without waiting for whoever may write into a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


class Source:
    """The text of one file. Lines and columns count from 1, columns in characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._last = 0, ""  # the line asked for last: many findings may stand on a long one

    @cached_property
    def _starts(self) -> list[int]:
        if any(character in self.text for character in _MORE_BREAKS):
            return [0, *(match.end() for match in _BREAK.finditer(self.text))]
        lines = self.text.splitlines(keepends=True)  # five times as fast
        starts = [0, *accumulate(map(len, lines))]
        return starts if not lines or lines[-1][-1] in "\n\r\x85\u2028\u2029" else starts[:-1]

    def position(self, index: int) -> Position:
        """Where the character at `index` stands."""
        line = bisect_right(self._starts, index)
        return Position(line, index - self._starts[line - 1] + 1)

    def offset(self, number: int) -> int:
        """Where a line begins; the end of the text for one behind the last."""
        return self._starts[number - 1] if number <= len(self._starts) else len(self.text)

    def line(self, number: int) -> str:
        """One line without its break; empty where the file has no such line."""
        if not 1 <= number <= len(self._starts):
            return ""
        if self._last[0] != number:
            start = self._starts[number - 1]
            end = self._starts[number] if number < len(self._starts) else len(self.text)
            self._last = number, self.text[start:end].rstrip("\r\n\x85\u2028\u2029")
        return self._last[1]
