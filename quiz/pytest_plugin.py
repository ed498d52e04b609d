"""A pytest plugin: decks as tests, one for each card, passed when the card is proven.

Off unless asked for, so that it surprises no project that merely has it installed: `--prove-decks`
takes the decks among what pytest was given; the setting `prove_decks` names the files and folders
whose YAML is decks. `decks/x.yaml::card-id` is one card. A card without proof is skipped, one that
isn't proven fails in one line, and its claims are properties in JUnit XML.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from quiz.deck.card import Card
    from quiz.deck.problem import Problem
    from quiz.proof import CardResult, Prover
    from verify.api import Language, Text

_SUFFIXES = (".yaml", ".yml")
_NO_PROOF = "the card has no proof"
_PROVER: pytest.StashKey[Prover] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("proofdeck", "decks of proofdeck")
    group.addoption(
        "--prove-decks",
        action="store_true",
        help="prove the cards of the decks (*.yaml with a key deck) among the given paths",
    )
    parser.addini(
        "prove_decks", "files and folders whose *.yaml are decks to prove", type="paths", default=[]
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> DeckFile | None:
    if file_path.suffix not in _SUFFIXES:
        return None
    configured = _is_below(file_path, parent.config.getini("prove_decks"))
    if configured or (parent.config.getoption("--prove-decks") and _is_deck(file_path)):
        return DeckFile.from_parent(parent, path=file_path)
    return None


def _is_below(file: Path, places: Iterable[Path]) -> bool:
    return any(file.is_relative_to(place) for place in places)


def _is_deck(file: Path) -> bool:
    from quiz.deck.library import deck_id

    return deck_id(file) is not None


class NotProven(Exception):
    """Where a card isn't as it should be, as line or line:column, and why: one line."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(place, reason)
        self.place = place
        self.reason = reason


class DeckFile(pytest.File):
    """One deck."""

    def collect(self) -> Iterable[CardItem]:
        from quiz.deck.load import load

        loaded = load(self.path)
        cards = {card.id: card for card in loaded.deck.cards} if loaded.deck is not None else {}
        for problem in loaded.problems:
            if problem.card is None:
                place = f"{self.path.name}:{_place(problem)}"
                raise self.CollectError(f"{place}: {_pick(problem.message)}")
        for id, position in loaded.declared.items():
            problems = [p for p in loaded.problems if p.card is not None and _is_of(p.card, id)]
            yield CardItem.from_parent(
                self, name=id, card=cards.get(id), problems=problems, line=position.line
            )


class CardItem(pytest.Item):
    """One card: proven, or why not. `card` is None where the loader refused it."""

    def __init__(
        self, *, card: Card | None, problems: list[Problem], line: int, **more: object
    ) -> None:
        super().__init__(**more)  # type: ignore[arg-type]  # name and parent, which pytest passes on
        self.card = card
        self.problems = problems
        self.line = line
        if card is not None and card.proof is None:
            self.add_marker(pytest.mark.skip(reason=_NO_PROOF))

    def runtest(self) -> None:
        for problem in self.problems:
            raise NotProven(_place(problem), _pick(problem.message))
        assert self.card is not None  # a card without problems is in the deck
        result = _prover(self.config).prove(self.card)
        from quiz.report.junit import properties

        self.user_properties += properties(result, _language())
        if (reason := _objection(result)) is not None:
            raise NotProven(str(self.line), reason)

    def repr_failure(  # type: ignore[override]  # pytest's own plugins return text too
        self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None
    ) -> object:
        if isinstance(excinfo.value, NotProven):
            wrong = excinfo.value
            return f"{self.path.name}:{wrong.place}: {self.name}: {wrong.reason}"
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.line - 1, f"{self.path.stem}::{self.name}"


def _is_of(key: str, id: str) -> bool:
    """Whether a problem's card, `deck/card` or `card` in a deck without id, is this one."""
    return key.rpartition("/")[2] == id


def _place(problem: Problem) -> str:
    return f"{problem.position.line}:{problem.position.column}"


def _objection(result: CardResult) -> str | None:
    """What is wrong, in one line; None where the card is proven and its claims can fail."""
    from quiz.proof import CardVerdict
    from quiz.report.junit import one_line

    if result.verdict is CardVerdict.PROVEN:
        return one_line(_pick(result.weaknesses[0].text)) if result.weaknesses else None
    reason = f": {_pick(result.reason)}" if result.reason is not None else ""
    return one_line(f"{result.verdict.value}{reason}")


def _prover(config: pytest.Config) -> Prover:
    """One world for the session; a run that several cards need is made once."""
    if _PROVER not in config.stash:
        from quiz.proof import Prover
        from verify.api.worlds import LocalWorld

        world = LocalWorld()
        config.add_cleanup(world.close)
        config.stash[_PROVER] = Prover(world)
    return config.stash[_PROVER]


def _pick(text: Text) -> str:
    return text.pick(_language())


def _language() -> Language:
    from verify.api import language_from_environment

    return language_from_environment(os.environ)
