"""What a sitting shows, one idea per block. A screen decides how."""

from __future__ import annotations

from dataclasses import dataclass

from quiz.deck.card import Choice
from quiz.session.question import Draft, Question
from verify.api import Text


@dataclass(frozen=True)
class Ask:
    """A question. `number` of `total` cards."""

    question: Question
    number: int
    total: int


@dataclass(frozen=True)
class AskConfidence:
    """How sure? Of the choice just made."""

    question: Question
    chosen: Choice


@dataclass(frozen=True)
class Hint:
    hint: Text


@dataclass(frozen=True)
class Key:
    """The answer of a recall card."""

    question: Question
    after_undo: bool


@dataclass(frozen=True)
class Feedback:
    """What came of an answer to a trap or a compute card. It is durable by now."""

    draft: Draft
    interval: int  # days until it is due again; 0 is later in this sitting


@dataclass(frozen=True)
class Notice:
    """One short line."""

    text: Text


@dataclass(frozen=True)
class Summary:
    """What the sitting came to."""

    answers: int
    cards: int  # that these answers were about
    recalled: int  # of these, at the first answer
    fooled: tuple[Draft, ...]  # wrong answers that name a belief
    skipped: int
    left: int


Block = Ask | AskConfidence | Hint | Key | Feedback | Notice | Summary
