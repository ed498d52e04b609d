"""The replay against hand-drawn pipelines and closed forms."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.evidence import Span
from verify.probes.replay import (
    Idle,
    Kind,
    Operation,
    held,
    operations_of,
    pack,
    replay,
    unpack,
)

RANKS = st.integers(2, 8)
MICROBATCHES = st.integers(1, 40)


def operations(text: str) -> list[Operation]:
    return [Operation.parse(word) for word in text.split()]


def gpipe(ranks: int, microbatches: int) -> list[list[Operation]]:
    """All forwards, then all backwards (Huang et al. 2019, figure 2)."""
    order = [(kind, m) for kind in (Kind.FORWARD, Kind.BACKWARD) for m in range(microbatches)]
    return [[Operation(kind, rank, m) for kind, m in order] for rank in range(ranks)]


def one_forward_one_backward(ranks: int, microbatches: int) -> list[list[Operation]]:
    """As many forwards as there are stages from here on, then a backward and a forward in turn."""
    lists = []
    for rank in range(ranks):
        ahead = min(microbatches, ranks - rank)
        own = [Operation(Kind.FORWARD, rank, m) for m in range(ahead)]
        for m in range(microbatches):
            own.append(Operation(Kind.BACKWARD, rank, m))
            if m + ahead < microbatches:
                own.append(Operation(Kind.FORWARD, rank, m + ahead))
        lists.append(own)
    return lists


def starts(lists: list[list[Operation]]) -> list[list[int]]:
    return [[slot.start for slot in row] for row in replay(lists).ranks]


def test_gpipe_of_two_by_two_as_drawn_by_hand() -> None:
    #  0  F0F1······B0──B1──
    #  1  ··F0F1B0──B1──····
    replayed = replay(gpipe(2, 2))
    assert starts(gpipe(2, 2)) == [[0, 1, 5, 7], [1, 2, 3, 5]]
    assert replayed.length == 9
    assert replayed.bubble == Fraction(6, 18)
    assert replayed.idle_over_useful == Fraction(1, 2)
    assert replayed.idle == Idle(start=3 + 1, middle=0, end=2)
    assert replayed.all_busy == Fraction(1 + 2, 9)  # 1–2 and 5–7
    assert replayed.busy_ranks == Fraction(12, 9)
    assert [held(row) for row in gpipe(2, 2)] == [2, 2]


def test_one_forward_one_backward_of_two_by_two_as_drawn_by_hand() -> None:
    #  0  F0F1····B0──··B1──
    #  1  ··F0B0──F1B1──····
    lists = one_forward_one_backward(2, 2)
    assert starts(lists) == [[0, 1, 4, 7], [1, 2, 4, 5]]
    assert replay(lists).idle == Idle(start=2 + 1, middle=0, end=1 + 2)
    assert [held(row) for row in lists] == [2, 1]


def test_the_previous_stage_waits_for_the_input_half_alone() -> None:
    lists = [operations("0F0 0I0 0W0"), operations("1F0 1I0 1W0")]
    assert starts(lists) == [[0, 3, 4], [1, 2, 3]]
    assert held(lists[0]) == 1


def test_a_full_backward_holds_the_previous_stage_up_twice_as_long() -> None:
    assert starts([operations("0F0 0B0"), operations("1F0 1B0")]) == [[0, 4], [1, 2]]


def test_activations_are_held_until_the_weight_half() -> None:
    assert held(operations("0F0 0F1 0I0 0F2 0W0 0I1 0W1")) == 3
    assert held(operations("0F0 0F1 0I0 0W0 0F2 0I1 0W1")) == 2


def test_idle_time_between_forwards_and_backwards_in_turn_lies_midway() -> None:
    serial = [operations("0F0 0B0 0F1 0B1"), operations("1F0 1B0 1F1 1B1")]
    assert replay(serial).idle == Idle(start=3 + 1, middle=3, end=3 + 2)


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ([["0F0", "0B0"], ["1F0"]], "rank 0 waits for ever to run 0B0"),
        ([["0F0"], ["1B0", "1F0"]], "rank 1 waits for ever to run 1B0"),
        ([["0F0", "0W0", "0I0"]], "rank 0 waits for ever to run 0W0"),
        ([[], []], "nothing ran"),
    ],
)
def test_an_order_that_never_ends_is_refused(lists: list[list[str]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replay([[Operation.parse(text) for text in row] for row in lists])


@given(RANKS, MICROBATCHES)
def test_gpipe_has_the_textbook_bubble(p: int, m: int) -> None:
    replayed = replay(gpipe(p, m))
    assert replayed.bubble == Fraction(p - 1, m + p - 1)
    assert replayed.idle_over_useful == Fraction(p - 1, m)
    assert replayed.length == 3 * (m + p - 1)
    assert replayed.idle.middle == 0
    assert replayed.idle.total == 3 * p * (p - 1)
    assert replayed.all_busy == Fraction(max(m - p + 1, 0), m + p - 1)


@given(RANKS, MICROBATCHES)
def test_one_forward_one_backward_has_the_same_bubble_and_holds_less(p: int, m: int) -> None:
    m += p - 1
    lists = one_forward_one_backward(p, m)
    replayed = replay(lists)
    assert replayed.bubble == Fraction(p - 1, m + p - 1)
    assert replayed.idle.middle == 0
    assert replayed.all_busy == Fraction(m - p + 1, m + p - 1)
    assert [held(row) for row in lists] == [min(m, p - rank) for rank in range(p)]


@given(RANKS, MICROBATCHES)
def test_microbatches_one_after_the_other_keep_one_rank_busy(p: int, m: int) -> None:
    kinds = (Kind.FORWARD, Kind.BACKWARD)
    lists = [[Operation(k, rank, i) for i in range(m) for k in kinds] for rank in range(p)]
    assert replay(lists).bubble == Fraction(p - 1, p)
    assert replay(lists).busy_ranks == 1


OPERATIONS = st.builds(Operation, st.sampled_from(Kind), st.integers(0, 15), st.integers(0, 999))


@given(st.lists(OPERATIONS))
def test_operations_survive_text_and_numbers(listed: list[Operation]) -> None:
    assert [Operation.parse(str(o)) for o in listed] == listed
    assert unpack(pack(listed)) == tuple(listed)


@pytest.mark.parametrize("text", ["", "F0", "0F", "0X0", "0f0", "-1F0", "0F0 ", "٣F0", "0F9999999"])
def test_what_is_not_an_operation_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not an operation"):
        Operation.parse(text)


def test_only_operations_are_read_from_a_timeline() -> None:
    spans = [
        Span(0, "F", 0, 1, 0.0, 1.0),
        Span(0, "C", 0, 1, 1.0, 2.0),
        Span(0, "I", 2, 1, 2.0, 3.0),
    ]
    assert operations_of(spans) == (Operation(Kind.FORWARD, 0, 1), Operation(Kind.INPUT, 2, 1))
