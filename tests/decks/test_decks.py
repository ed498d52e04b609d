"""What every shipped card owes a learner, beyond what lint asks of any deck."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from quiz.deck.card import Card, Choice, Kind, NumberLure
from quiz.deck.library import read_decks
from quiz.deck.loaded import Loaded
from quiz.lint.run import lint
from verify.api import Text

FOLDER = Path(__file__).parents[2] / "decks"
FILES = sorted(FOLDER.glob("*.yaml"))
LOADED: tuple[Loaded, ...] = read_decks(FILES)
CARDS: list[Card] = [card for loaded in LOADED if loaded.deck for card in loaded.deck.cards]
TOPICS = {"communication", "memory", "schedule", "estimate", "optimization", "concept"}
JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")

each_card = pytest.mark.parametrize("card", CARDS, ids=lambda card: card.key)


def texts(card: Card) -> Iterator[Text]:
    """All that a learner reads of a card."""
    for text in (card.ask, card.answer, card.explain, card.hint):
        if text is not None:
            yield text
    for choice in card.choices:
        yield choice.text
    for lure in lures(card):
        if lure.why is not None:
            yield lure.why


def lures(card: Card) -> list[Choice | NumberLure]:
    return [*card.lures, *(choice for choice in card.choices if not choice.is_truth)]


def test_lint_has_nothing_to_say() -> None:
    assert [str(finding) for finding in lint(FILES).findings] == []


def test_the_first_card_is_the_first_check_of_the_source() -> None:
    assert CARDS[0].kind is Kind.RECALL
    assert CARDS[0].ask.ja == "データ並列で各機に置くものと、主な通信対象は何か"


def test_there_are_enough_cards_of_each_kind() -> None:
    count = Counter(card.kind for card in CARDS)
    assert len(CARDS) >= 80
    assert count[Kind.RECALL] >= 20
    assert count[Kind.TRAP] >= 30
    assert count[Kind.COMPUTE] >= 20
    assert sum(len(lures(card)) >= 3 for card in CARDS if card.kind is Kind.TRAP) >= 20


def test_every_topic_has_a_card() -> None:
    assert {card.topic for card in CARDS} == TOPICS


@each_card
def test_it_speaks_both_languages(card: Card) -> None:
    for text in texts(card):
        assert text.ja
        assert text.en
        assert not JAPANESE.search(text.en), text.en
        # What isn't Japanese is a formula or a number, the same to everyone.
        assert JAPANESE.search(text.ja) or text.ja == text.en, text.ja


@each_card
def test_it_names_its_source_and_can_be_proven(card: Card) -> None:
    assert card.source
    assert card.proof is not None
    assert card.proof.truth or card.choices


@each_card
def test_its_prerequisites_come_before_it(card: Card) -> None:
    order = {known.key: place for place, known in enumerate(CARDS)}
    for earlier in card.after:
        assert order[earlier] < order[card.key]


@each_card
def test_it_says_why_each_lure_tempts(card: Card) -> None:
    assert all(lure.why is not None for lure in lures(card))


@pytest.mark.parametrize(
    "card", [c for c in CARDS if c.kind is not Kind.RECALL], ids=lambda card: card.key
)
def test_it_fills_the_four_choices_of_a_mock_exam(card: Card) -> None:
    assert len(lures(card)) == 3
    assert sum(choice.is_truth for choice in card.choices) == (card.kind is Kind.TRAP)


def test_neither_place_nor_length_gives_the_truth_away() -> None:
    traps = [card for card in CARDS if card.kind is Kind.TRAP]
    places = Counter(card.choices.index(card.truth) for card in traps)
    assert max(places.values()) < len(traps) / 2
    for language in ("ja", "en"):
        longest = sum(
            max(card.choices, key=lambda c: len(c.text.pick(language))) is card.truth
            for card in traps
        )
        assert longest < len(traps) / 2
