"""Linting: decks in, findings out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from quiz.collector import collector_paused
from quiz.deck.compose import Refused, decode
from quiz.deck.library import deck_id, read_decks
from quiz.deck.load import load, parse
from quiz.deck.loaded import Loaded
from quiz.deck.problem import Problem
from quiz.deck.source import Source, read_bytes
from quiz.lint.checking import problems
from quiz.lint.finding import Finding, Linting
from quiz.lint.rule import Context, Rule, from_lint, from_loader, from_proving
from quiz.lint.rules import all_rules
from quiz.lint.settings import NO_SETTINGS, Settings
from quiz.lint.suppressions import Standing, Suppression, allowed, settle, suppressions


def lint(
    paths: Iterable[Path], others: Iterable[Path] = (), settings: Settings = NO_SETTINGS
) -> Linting:
    """Apply the rules to the files of `paths`.

    `others` are decks that a card may come after without being linted here; they are read only
    where a card asks for them.
    """
    with collector_paused():
        decks = read_decks(paths)
        known = {loaded.deck.id: loaded.declared for loaded in decks if loaded.deck is not None}
        elsewhere = _Elsewhere(others)
        every = [card for loaded in decks if loaded.deck for card in loaded.deck.cards]
        after = {card.key: card.after for card in every if card.after}

        def cards_of(deck: str) -> Collection[str] | None:
            return known[deck] if deck in known else elsewhere.cards_of(deck)

        rules = [rule for rule in all_rules() if settings.applies(rule.id)]
        standing = _standing(settings)
        findings = [
            Finding(loaded.path, settings.graded(problem), loaded.source)
            for loaded in decks
            for problem in settle(
                problems(Context(loaded, cards_of, after), rules),
                suppressions(loaded.source),
                standing,
            )
            if settings.applies(problem.rule)
        ]
    return Linting(tuple(findings), lambda: decks)


def readable(path: Path) -> Source | None:
    """The text of a file; None where it can't be opened or isn't UTF-8."""
    try:
        return decode(read_bytes(path))
    except (OSError, ValueError, Refused):
        return None


def lint_text(text: str, path: Path, settings: Settings = NO_SETTINGS) -> list[Problem]:
    """What can be said of one text alone, as if it stood in that file; other decks are unknown."""
    rules = [rule for rule in all_rules() if settings.applies(rule.id)]
    loaded = parse(text.encode(), path)
    found = problems(Context(loaded, lambda _: ()), rules)
    return settle(found, suppressions(loaded.source), _standing(settings))


def counted(
    findings: Iterable[Finding], decks: Iterable[Loaded], settings: Settings
) -> Iterator[Finding]:
    """What proving found, less what the settings or a comment in the deck leave out."""
    sources = {loaded.path: loaded.source for loaded in decks}
    comments: dict[Path, tuple[Suppression, ...]] = {}
    for finding in findings:
        if finding.path not in comments:
            comments[finding.path] = suppressions(sources[finding.path])
        problem = finding.problem
        if settings.applies(problem.rule) and not allowed(problem, comments[finding.path]):
            yield replace(finding, problem=settings.graded(problem))


def _standing(settings: Settings) -> dict[str, Standing]:
    def of(rule: Rule) -> Standing:
        if isinstance(rule.check, from_loader) or rule.check is from_lint:
            return "firm"
        applied = settings.applies(rule.id) and rule.check is not from_proving
        return "usual" if applied else "elsewhere"

    return {rule.id: of(rule) for rule in all_rules()}


class _Elsewhere:
    """Decks that are only looked up, each read once."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._paths = tuple(paths)
        self._found: dict[str, Collection[str] | None] = {}

    def cards_of(self, deck: str) -> Collection[str] | None:
        if deck not in self._found:
            path = next((path for path in self._paths if deck_id(path) == deck), None)
            self._found[deck] = None if path is None else load(path).declared
        return self._found[deck]
