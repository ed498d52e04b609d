"""`quiz lint`: lint, mend, prove and report.

Imports that a linted and unchanged file doesn't need wait until they are.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from quiz.cache import Cache
from quiz.collector import collector_paused
from quiz.deck.problem import one_line
from quiz.lint.finding import Finding
from quiz.lint.kept import lint_kept
from quiz.lint.settings import NO_SETTINGS, Settings
from verify.api import Language, Text, UsageError

if TYPE_CHECKING:
    from quiz.deck.loaded import Loaded
    from quiz.lint.proofs import ProofNote

FORMATS = ("text", "json", "github", "sarif", "junit")


@dataclass(frozen=True)
class Proofs:
    """What proving the cards of some decks found, and a note on every card."""

    findings: tuple[Finding, ...]
    notes: tuple[ProofNote, ...]


def run_lint(
    paths: Iterable[Path],
    format: str,
    language: Language,
    out: Callable[[str], object],
    *,
    others: Iterable[Path] = (),
    colour: bool = False,
    width: int = 100,
    settings: Settings = NO_SETTINGS,
    folder: Path | None = None,
    cache: Cache | None = None,
    further: Callable[[Sequence[Loaded]], Proofs] | None = None,
) -> int:
    """Lint the files, write one report to `out`, and return the exit code (see `Linting`).

    `further` may find more in the decks that were read: proving does. Paths of SARIF are relative
    to `folder`, the current one by default. Raises UsageError for an unknown format.
    """
    check_format(format)
    listed = tuple(paths)
    with collector_paused():
        if cache is None:
            from quiz.lint.run import lint

            result = lint(listed, others, settings)
        else:
            result = lint_kept(listed, others, settings, cache)
        gc.freeze()  # what was read stays until the process ends: walking it again is wasted time
    notes: tuple[ProofNote, ...] = ()
    if further is not None:
        from quiz.lint.run import counted

        proofs = further(result.decks)
        more = counted(proofs.findings, result.decks, settings)
        result, notes = replace(result, findings=(*result.findings, *more)), proofs.notes
    found = result.findings
    match format:
        case "text":
            from quiz.lint.reporters import text

            out(text.report(found, language, notes, colour=colour, width=width))
        case "json":
            from quiz.lint.reporters import json

            out(json.report(found, language, notes))
        case "github":
            from quiz.lint.reporters import github

            out(github.report(found, language, notes, width=width))
        case "sarif":
            from quiz.lint.reporters import sarif
            from quiz.lint.rules import all_rules

            out(sarif.report(found, all_rules(), language, folder or Path.cwd()))
        case "junit":
            from quiz.lint.reporters import junit

            out(junit.report(found, listed, language))
    return result.exit_code


def check_format(format: str) -> None:
    """Raises UsageError where there is no such format."""
    if format not in FORMATS:
        raise UsageError(
            Text(ja=f"形式 {format} はありません。", en=f"There is no format {format}."),
            Text(ja=f"使える形式: {', '.join(FORMATS)}", en=f"Possible: {', '.join(FORMATS)}"),
        )


def run_fix(
    paths: Iterable[Path],
    out: Callable[[str], object],
    settings: Settings = NO_SETTINGS,
    *,
    write: bool,
) -> bool:
    """Mend the files; where `write` is false only show how. Whether anything can be mended.

    Raises UsageError where a file can't be written.
    """
    from quiz.lint.fixing import difference, fixed, rewrite
    from quiz.lint.run import lint_text, readable

    changed = False
    for path in paths:
        source = readable(path)
        if source is None:
            continue  # lint says why it can't be read
        after = fixed(source.text, partial(lint_text, path=path, settings=settings))
        if after == source.text:
            continue
        changed = True
        if not write:
            out(_shown(difference(source.text, after, str(path))))
            continue
        try:
            rewrite(path, source, after)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "?"
            raise UsageError(
                Text(ja=f"{path} に書けません({reason})。", en=f"Can't write {path}: {reason}.")
            ) from error
    return changed


def _shown(lines: str) -> str:
    """A diff for a terminal: nothing in it steers one."""
    return "".join(f"{one_line(line)}\n" for line in lines.split("\n")[:-1])
