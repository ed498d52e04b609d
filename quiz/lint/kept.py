"""Findings of files that were linted before, as long as nothing that decides them has changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from quiz.cache import Cache, key_of
from quiz.deck.card import Position
from quiz.deck.library import read_decks
from quiz.deck.problem import Problem
from quiz.deck.source import read_bytes
from quiz.lint.finding import Finding, Linting
from quiz.lint.settings import Settings
from verify.api import EXPERIMENTS, Text

_KIND = "lint"


def lint_kept(
    paths: Iterable[Path], others: Iterable[Path], settings: Settings, cache: Cache
) -> Linting:
    """Like `lint`, from the cache where every file, the settings and the program are the same.

    Where another package brings experiments nothing is kept: whether it changed can't be seen.
    """
    listed, around = tuple(dict.fromkeys(paths)), tuple(others)
    try:
        contents = [read_bytes(path) for path in (*listed, *around)]
    except (OSError, ValueError):
        return _lint(listed, around, settings)
    if entry_points(group=EXPERIMENTS):
        return _lint(listed, around, settings)
    names = [str(path) for path in listed]
    chosen = repr(
        (
            sorted(settings.select) if settings.select is not None else None,
            sorted(settings.ignore),
            sorted(settings.severity.items()),
            names,
        )
    )
    key = key_of([chosen, *contents])
    kept = cache.get(_KIND, key)
    if isinstance(kept, list):
        try:
            findings = _findings(kept, listed)
            return Linting(findings, lambda: read_decks(listed))
        except (TypeError, ValueError, IndexError):
            pass  # another program's entry
    result = _lint(listed, around, settings)
    cache.put(_KIND, key, [_file(path, result.findings) for path in listed])
    return result


def _lint(paths: tuple[Path, ...], others: tuple[Path, ...], settings: Settings) -> Linting:
    from quiz.lint.run import lint  # the rules and all they need: not for an unchanged file

    return lint(paths, others, settings)


@dataclass(frozen=True)
class _KeptLines:
    """The lines that have findings: the whole text needn't be cut for a few excerpts."""

    lines: Mapping[int, str]

    def line(self, number: int) -> str:
        return self.lines[number]


def _file(path: Path, findings: Iterable[Finding]) -> Any:
    own = [finding for finding in findings if finding.path == path]
    lines = {f.problem.position.line: f.source.line(f.problem.position.line) for f in own}
    return list(lines.items()), [_kept(finding.problem) for finding in own]


def _kept(problem: Problem) -> Any:
    return [
        problem.rule,
        problem.position,
        astuple(problem.message),
        None if problem.hint is None else astuple(problem.hint),
        problem.end,
        problem.severity,
        problem.card,
    ]


def _findings(kept: list[Any], paths: tuple[Path, ...]) -> tuple[Finding, ...]:
    found: list[Finding] = []
    for path, (lines, problems) in zip(paths, kept, strict=True):
        source = _KeptLines(dict(lines))
        for rule, position, message, hint, end, severity, card in problems:
            problem = Problem(
                rule,
                Position(*position),
                Text(*message),
                None if hint is None else Text(*hint),
                None if end is None else Position(*end),
                severity,
                card,
            )
            found.append(Finding(path, problem, source))
    return tuple(found)
