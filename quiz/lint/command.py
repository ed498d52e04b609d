"""`quiz lint`: lint, mend, prove and report."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from quiz.cache import Cache
from quiz.deck.compose import collector_paused
from quiz.deck.load import Loaded
from quiz.deck.problem import one_line
from quiz.lint.finding import Finding
from quiz.lint.fixing import difference, fixed, rewrite
from quiz.lint.kept import lint_kept
from quiz.lint.proofs import ProofNote
from quiz.lint.reporters import github, json, junit, sarif, text
from quiz.lint.rules import all_rules
from quiz.lint.run import counted, lint, lint_text, readable
from quiz.lint.settings import NO_SETTINGS, Settings
from verify.api import Language, Text, UsageError

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
        result = (
            lint(listed, others, settings)
            if cache is None
            else lint_kept(listed, others, settings, cache)
        )
        gc.freeze()  # what was read stays until the process ends: walking it again is wasted time
    notes: tuple[ProofNote, ...] = ()
    if further is not None:
        proofs = further(result.decks)
        more = counted(proofs.findings, settings)
        result, notes = replace(result, findings=(*result.findings, *more)), proofs.notes
    write: dict[str, Callable[[], str]] = {
        "text": lambda: text.report(result.findings, language, colour=colour, width=width),
        "json": lambda: json.report(result.findings, language, notes),
        "github": lambda: github.report(result.findings, language, width=width),
        "sarif": lambda: sarif.report(result.findings, all_rules(), language, folder or Path.cwd()),
        "junit": lambda: junit.report(result.findings, listed, language),
    }
    out(write[format]())
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
