"""A problem and the file it is in: what reporters show."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from quiz.deck.problem import Problem
from quiz.deck.source import Source


@dataclass(frozen=True)
class Finding:
    """`source` is the file's text, for an excerpt."""

    path: Path
    problem: Problem
    source: Source
