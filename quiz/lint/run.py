"""Linting: decks in, findings out."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from quiz.deck.compose import collector_paused
from quiz.deck.library import deck_id
from quiz.deck.load import Loaded, load, read_decks
from quiz.lint.checking import problems
from quiz.lint.finding import Finding
from quiz.lint.rule import Context
from quiz.lint.rules import all_rules


@dataclass(frozen=True)
class Linting:
    """The decks that were read, and the findings by file and position."""

    decks: tuple[Loaded, ...]
    findings: tuple[Finding, ...]

    @property
    def exit_code(self) -> int:
        """0 without errors (warnings are fine), 1 with one, 2 where a file couldn't be opened."""
        if any(finding.problem.rule == "unreadable" for finding in self.findings):
            return 2
        return int(any(finding.problem.severity == "error" for finding in self.findings))


def lint(paths: Iterable[Path], others: Iterable[Path] = ()) -> Linting:
    """Apply every rule to the files of `paths`.

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

        findings = [
            Finding(loaded.path, problem, loaded.source)
            for loaded in decks
            for problem in problems(Context(loaded, cards_of, after), all_rules())
        ]
    return Linting(decks, tuple(findings))


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
