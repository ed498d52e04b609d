"""Findings of files that were linted before, as long as nothing that decides them has changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from quiz.cache import Cache, key_of
from quiz.deck.card import Position
from quiz.deck.library import read_decks
from quiz.deck.problem import Problem
from quiz.deck.source import Source, read_bytes
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
    listed, around = tuple(paths), tuple(others)
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
            findings = _findings(kept, listed, contents)
            return Linting(findings, lambda: read_decks(listed))
        except (TypeError, ValueError, IndexError):
            pass  # another program's entry
    result = _lint(listed, around, settings)
    cache.put(_KIND, key, [_kept(finding, listed) for finding in result.findings])
    return result


def _lint(paths: tuple[Path, ...], others: tuple[Path, ...], settings: Settings) -> Linting:
    from quiz.lint.run import lint  # the rules and all they need: not for an unchanged file

    return lint(paths, others, settings)


def _kept(finding: Finding, paths: tuple[Path, ...]) -> Any:
    problem = finding.problem
    hint = None if problem.hint is None else astuple(problem.hint)
    return [
        paths.index(finding.path),
        problem.rule,
        problem.position,
        astuple(problem.message),
        hint,
        problem.end,
        problem.severity,
        problem.card,
    ]


def _findings(
    kept: list[Any], paths: tuple[Path, ...], contents: list[bytes]
) -> tuple[Finding, ...]:
    sources: dict[int, Source] = {}
    found: list[Finding] = []
    for number, rule, position, message, hint, end, severity, card in kept:
        if number not in sources:
            text = contents[number].decode("utf-8", "replace")
            sources[number] = Source(text.removeprefix("\ufeff"))
        problem = Problem(
            rule,
            Position(*position),
            Text(*message),
            None if hint is None else Text(*hint),
            None if end is None else Position(*end),
            severity,
            card,
        )
        found.append(Finding(paths[number], problem, sources[number]))
    return tuple(found)
