"""The bytes of gloo's ring all-reduce against figures worked out by hand.

Each rank sends 2(N−1)/N of the payload (Patarasuk and Yuan, 2009). Gloo cuts the payload into
n = max(⌈S/1 MiB⌉, 2N) pieces, rounded up to a multiple of N, and sends 2(n − n/N) messages, each
with 96 B of headers to one neighbour and 48 B of acknowledgement to the other.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from verify.catalogue import find_experiment
from verify.errors import UsageError
from verify.experiments.all_reduce_bytes import neighbour_share, peers_sent_to
from verify.worlds.request import Request

MiB = 2**20


def test_four_ranks_and_four_mebibytes(measure, numbers):
    """1.5 × 4,194,304 + 144 × 12 = 6,293,184, of which 48 × 12 = 576 go back."""
    evidence = measure("all-reduce-bytes")
    assert numbers(evidence, "wire_sent") == [6_293_184] * 4
    assert numbers(evidence, "wire_received") == [6_293_184] * 4
    rows = numbers(evidence, "wire_matrix")
    for rank in range(4):
        row = rows[4 * rank : 4 * rank + 4]
        assert sorted(row) == [0, 0, 576, 6_292_608]
        assert row[rank] == 0
        assert row[(rank - 1) % 4] == 6_292_608
    assert numbers(evidence, "neighbour_share") == [Fraction(6_292_608, 6_293_184)] * 4
    assert numbers(evidence, "peers_sent_to") == [1] * 4


def test_three_ranks_share_what_three_does_not_divide(measure, numbers):
    """In all 4 × 4,194,304 + 3 × 144 × 8 = 16,780,672, each rank within 28 B of its third."""
    sent = numbers(measure("all-reduce-bytes", ranks=3), "wire_sent")
    assert sum(sent) == 16_780_672
    assert all(abs(3 * one - 16_780_672) <= 3 * 28 for one in sent)


def test_a_number_of_elements_that_no_number_of_ranks_divides(measure, numbers):
    """1,000,003 float32: in all 6 × 4,000,012 + 4 × 144 × 12 = 24,006,984."""
    evidence = measure("all-reduce-bytes", payload=4_000_012)
    assert sum(numbers(evidence, "wire_sent")) == 24_006_984
    assert numbers(evidence, "result_spread") == [0]
    assert max(numbers(evidence, "result_difference")) < 1e-6


def test_two_ranks_send_the_payload_itself(measure, numbers):
    """1 × 1,048,576 + 144 × 4, since n is 4."""
    evidence = measure("all-reduce-bytes", ranks=2, payload="1 MiB")
    assert numbers(evidence, "wire_sent") == [1_049_152] * 2
    assert numbers(evidence, "neighbour_share") == [1, 1]


def test_one_element_is_a_payload(measure, numbers, verdicts):
    evidence = measure("all-reduce-bytes", payload=4)
    assert numbers(evidence, "result_spread") == [0]
    assert set(verdicts(evidence).values()) == {"confirmed"}


def test_a_corrupted_element_is_counted_once_and_named(measure, numbers):
    evidence = measure("all-reduce-bytes", "one-element")
    assert numbers(evidence, "result_spread") == [1]
    wrong = [difference > 1e-3 for difference in numbers(evidence, "result_difference")]
    assert wrong == [False, True, False, False]


def test_left_out_nothing_is_sent_and_nearly_every_element_differs(measure, numbers):
    evidence = measure("all-reduce-bytes", "skip-all-reduce")
    assert numbers(evidence, "wire_sent") == [0] * 4
    assert numbers(evidence, "neighbour_share") == [0] * 4
    assert MiB - 100 <= numbers(evidence, "result_spread")[0] <= MiB


def test_a_seed_repeats_a_run_and_another_does_not(world, numbers):
    experiment = find_experiment("all-reduce-bytes")
    parameters = experiment.bind({"ranks": 2, "payload": "64 KiB"})
    first, again, other = (
        numbers(world.run(Request(experiment, parameters, seed=seed)), "result_difference")
        for seed in (7, 7, 8)
    )
    assert first == again != other


@pytest.mark.parametrize("payload", ["6", "4097", "0", "2 GiB", "1.5"])
def test_a_payload_that_cannot_be_is_refused(payload):
    with pytest.raises(UsageError, match="payload"):
        find_experiment("all-reduce-bytes").bind({"payload": payload})


def test_shares_of_what_was_sent():
    assert neighbour_share([0, 1, 3]) == Fraction(3, 4)
    assert neighbour_share([0, 0, 0]) == 0
    assert peers_sent_to([0, 1, 99]) == 1
    assert peers_sent_to([0, 2, 98]) == 2
    assert peers_sent_to([0, 0, 0]) == 0
