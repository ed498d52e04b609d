"""Bytes of collective operations against closed forms, worked out by hand.

Thakur, Rabenseifner and Gropp (2005) for the ring and the pairwise exchange. The root of a reduce
and a broadcast sends its ring's share and then the payload once per level of a binomial tree.
"""

from __future__ import annotations

import pytest

from verify.catalogue import find_experiment
from verify.errors import UsageError
from verify.experiments.collective_bytes import OPERATIONS, conclude
from verify.quantities import Reading, Source, Unmeasured
from verify.text import Text

MiB = 2**20


@pytest.fixture
def shares(measure, numbers):
    """What of the payload each rank sent, in hundredths."""

    def read(operation, ranks, quantity="wire_sent"):
        evidence = measure("collective-bytes", operation=operation, ranks=ranks, payload="1 MiB")
        return [round(100 * sent / MiB) for sent in numbers(evidence, quantity)]

    return read


@pytest.mark.parametrize(("ranks", "root"), [(2, 150), (3, 267), (4, 275), (8, 388)])
def test_the_root_of_a_reduce_and_a_broadcast_sends_most(ranks, root, shares):
    sent = shares("reduce-then-broadcast", ranks)
    assert abs(sent[0] - root) <= 1
    assert max(sent[1:]) < sent[0]


def test_over_all_ranks_it_is_an_eighth_more_than_a_ring_at_four(shares):
    assert shares("all-reduce", 4, "wire_total") == [601]
    assert shares("reduce-then-broadcast", 4, "wire_total") == [675]
    assert shares("broadcast", 4, "wire_total") == [300]
    assert shares("broadcast", 4) == [200, 100, 0, 0]


@pytest.mark.parametrize("operation", ["all-gather", "reduce-scatter", "all-to-all"])
def test_half_an_all_reduce(operation, shares):
    assert shares(operation, 4) == [75] * 4
    assert shares("gloo-reduce-scatter", 4) == [150] * 4


@pytest.mark.parametrize(
    ("operation", "fault"),
    [
        *((operation, None) for operation in OPERATIONS),
        ("reduce-then-broadcast", "skip"),
        ("reduce-scatter", "skip"),
        ("all-gather", "one-element"),
    ],
)
def test_laws_of_every_operation(operation, fault, measure, verdicts):
    evidence = measure("collective-bytes", fault, operation=operation, ranks=3, payload="1 MiB")
    experiment = find_experiment("collective-bytes")
    found = verdicts(evidence)
    for law in experiment.laws:
        if law.claim in found and (fault is None or law.fault == fault):
            assert found[law.claim] == ("refuted" if fault else "confirmed"), law.claim


def test_a_payload_that_ranks_do_not_divide_is_rounded_up(measure, numbers):
    """Five bytes are two elements, and three ranks take one each."""
    evidence = measure("collective-bytes", operation="all-to-all", ranks=3, payload=5)
    assert numbers(evidence, "result_difference") == [0, 0, 0]


def test_what_the_kernel_does_not_tell_stays_untold():
    nothing = Unmeasured(Text(en="no counters"))
    known = Reading(7, Source.MEASURED)
    assert conclude(None, [{"wire_sent": known}, {"wire_sent": nothing}]) == {
        "wire_total": nothing,
        "root_sent": nothing,
    }
    assert conclude(None, [{"wire_sent": known}, {"wire_sent": known}])["wire_total"].value == 14


@pytest.mark.parametrize(
    "given", [{"operation": "gossip"}, {"payload": "65 MiB"}, {"payload": 0}, {"ranks": 1}]
)
def test_what_cannot_be_is_refused(given):
    with pytest.raises(UsageError, match=next(iter(given))):
        find_experiment("collective-bytes").bind(given)
