"""A problem and the file it is in: what linting yields and reporters show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from quiz.deck.problem import Problem

if TYPE_CHECKING:
    from quiz.deck.loaded import Loaded


class Lines(Protocol):
    """The lines of a file, or those of them that have findings."""

    def line(self, number: int, /) -> str: ...


@dataclass(frozen=True)
class Finding:
    """`source` has the line that the problem is on, for an excerpt."""

    path: Path
    problem: Problem
    source: Lines


@dataclass(frozen=True)
class Linting:
    """The findings by file and position, and how to get the decks where they are wanted."""

    findings: tuple[Finding, ...]
    read: Callable[[], tuple[Loaded, ...]]

    @property
    def decks(self) -> tuple[Loaded, ...]:
        """The decks that were linted; read now, where the findings were known before."""
        return self.read()

    @property
    def exit_code(self) -> int:
        """0 without errors (warnings are fine), 1 with one, 2 where a file couldn't be opened."""
        if any(finding.problem.rule == "unreadable" for finding in self.findings):
            return 2
        return int(any(finding.problem.severity == "error" for finding in self.findings))
