"""What a deck file came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from quiz.deck.card import Deck, Place, Position
from quiz.deck.problem import Problem
from quiz.deck.source import Source


@dataclass(frozen=True)
class Loaded:
    """One file: its deck (None where nothing of it can be used) and its problems by position.

    A card with a problem is left out of `deck`; the others are there. `declared` names every card
    of the file, the left-out ones too; `places` are those of the deck's own fields.
    """

    path: Path
    deck: Deck | None
    problems: tuple[Problem, ...]
    declared: Mapping[str, Position] = field(default_factory=dict)
    places: Mapping[Place, Position] = field(default_factory=dict, repr=False)
    source: Source = field(default_factory=lambda: Source(""), repr=False, compare=False)
