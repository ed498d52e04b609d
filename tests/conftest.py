"""What all tests share: the shipped cards, and one prover that makes each run once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from quiz.deck.card import Deck
from quiz.deck.library import find_decks, read_decks
from quiz.home import from_environment
from quiz.proof import Prover
from verify.api.worlds import LocalWorld


@pytest.fixture(scope="session")
def shipped() -> list[Deck]:
    """The decks that come with the program."""
    home = from_environment({"QUIZ_HOME": "/nonexistent"})
    return [found.deck for found in read_decks(find_decks([], home)) if found.deck is not None]


@pytest.fixture(scope="session")
def prover() -> Iterator[Prover]:
    """For tests of the group `decks`, which share a worker and so its evidence."""
    with LocalWorld() as world:
        yield Prover(world)
