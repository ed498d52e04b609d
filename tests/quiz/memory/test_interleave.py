from __future__ import annotations

from quiz.deck.card import Proof, Run
from quiz.memory.fold import fold
from quiz.memory.interleave import contrast, interleaved
from quiz.memory.queue import build_queue, is_leech
from quiz.memory.rows import rows_of

PROOF = Proof((Run(None, "all-reduce-bytes"),))


def test_contrast_counts_what_is_shared_across_decks(make_card) -> None:
    one = make_card("a", topic="bytes", proof=PROOF)
    assert contrast(one, make_card("b", deck="other", topic="bytes", proof=PROOF)) == 4
    assert contrast(one, make_card("b", deck="other", topic="time")) == 2
    assert contrast(one, make_card("b", topic="bytes")) == 1
    assert contrast(one, make_card("b")) == 0
    twins = make_card("c", idea="i", topic="bytes"), make_card("d", idea="i", topic="bytes")
    assert contrast(*twins) == 0


def test_the_confusable_card_of_another_deck_comes_next(make_card) -> None:
    cards = [
        make_card("1", topic="bytes"),
        make_card("2", topic="bytes"),
        make_card("3", topic="time"),
        make_card("1", deck="other", topic="time"),
        make_card("2", deck="other", topic="bytes"),
    ]
    met = [card.key for card in interleaved(cards)]
    assert met == ["deck/1", "other/2", "deck/2", "other/1", "deck/3"]


def test_no_card_leaves_its_block(make_card) -> None:
    cards = [make_card(str(n), deck=f"d{n % 3}", topic=str(n % 2)) for n in range(30)]
    met = interleaved(cards, block=8)
    assert sorted(met, key=cards.index) == cards
    assert all(abs(met.index(card) - at) < 8 for at, card in enumerate(cards))


def test_due_cards_are_interleaved_behind_the_failed_ones(log, make_card) -> None:
    cards = [make_card(n, deck=d) for d in ("x", "y") for n in "ab"]
    for card in cards:
        log.answer(card.key, 90, due=99)
    state = fold(rows_of(log.events))
    assert [c.key for c in build_queue(cards, state, 100).due] == ["x/a", "y/a", "x/b", "y/b"]


def test_a_card_forgotten_eight_times_is_a_leech(log) -> None:
    for turn in range(8):
        log.answer("deck/a", 2 * turn, due=2 * turn + 1)
        log.answer("deck/a", 2 * turn + 1, 1, due=2 * turn + 1)
        assert is_leech(fold(rows_of(log.events)).of("deck/a")) == (turn == 7)
