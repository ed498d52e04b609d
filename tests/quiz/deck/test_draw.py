"""What a compute card asks. At 2 ranks a ring all-reduce sends just the payload: 2(N-1)/N = 1."""

from fractions import Fraction

import pytest

from quiz.deck.card import Card, Kind, NumberLure
from quiz.deck.draw import Worth, collision, combination, combinations, draw, is_right, worth
from verify.api import BYTE, ONE, Text, UsageError


def ring(**vary) -> Card:
    return Card(
        "deck", "ring", Kind.COMPUTE, Text(en="?"), vary=vary,
        result="2*(ranks-1)/ranks*payload", lures=(NumberLure("payload", "once"),),
    )  # fmt: skip


def test_a_combination_in_which_a_lure_is_right_is_never_drawn():
    card = ring(ranks=(2, 4), payload=("1 MiB", "4 MiB"))
    assert collision(card, {"ranks": 2, "payload": "1 MiB"}) == card.lures[0]
    assert collision(card, {"ranks": 4, "payload": "1 MiB"}) is None
    assert {draw(card, n)["ranks"] for n in range(20)} == {4}


def test_a_card_whose_lure_is_always_right_cannot_be_asked():
    with pytest.raises(UsageError, match="deck/ring"):
        draw(ring(ranks=(2,), payload=("1 MiB",)), 0)


def test_every_combination_comes_before_any_comes_again():
    card = ring(ranks=(3, 4, 5), payload=("1 MiB", "4 MiB"))
    drawn = [tuple(draw(card, n).items()) for n in range(12)]
    assert len(set(drawn[:6])) == combinations(card) == 6
    assert drawn[6:] == drawn[:6]


def test_combinations_are_numbered_in_the_authors_order():
    card = ring(ranks=(3, 4), payload=("1 MiB", "4 MiB"))
    assert combination(card, 0) == {"ranks": 3, "payload": "1 MiB"}
    assert combination(card, 1) == {"ranks": 3, "payload": "4 MiB"}
    assert combination(card, 2) == {"ranks": 4, "payload": "1 MiB"}


def test_an_expression_keeps_its_unit_and_stays_exact():
    assert worth("2*(ranks-1)/ranks*payload", {"ranks": 4, "payload": "4 MiB"}) == Worth(
        Fraction(6 * 2**20), BYTE
    )
    assert worth("(p-1)/(m+p-1)", {"p": 4, "m": 8}) == Worth(Fraction(3, 11), ONE)


@pytest.mark.parametrize("expression", ["", "nothing_known", "1/0", "ranks +", "9**9**9"])
def test_an_expression_without_a_value_is_an_error_of_ours(expression):
    with pytest.raises(UsageError):
        worth(expression, {"ranks": 4})


def test_half_a_percent_either_way_is_right_for_sizes_and_ratios():
    size = Worth(Fraction(1000), BYTE)
    assert [is_right(Fraction(n), size) for n in (994, 995, 1005, 1006)] == [
        False,
        True,
        True,
        False,
    ]
    assert is_right(Fraction("0.273"), Worth(Fraction(3, 11), ONE))
    assert not is_right(Fraction("0.27"), Worth(Fraction(3, 11), ONE))
    assert not is_right(Fraction(1001), Worth(Fraction(1000), ONE))
