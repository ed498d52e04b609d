"""One run's conversation with its ranks, when this process is slow to listen."""

from __future__ import annotations

import time

import pytest

from verify.worlds.attempt import Attempt
from verify.worlds.request import ignore
from verify.worlds.warm import WarmServer

AT_ONCE = "return FINE"


@pytest.fixture(scope="module")
def server():
    server = WarmServer()
    server.ready()
    yield server
    server.release()


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_ranks_that_ended_before_anyone_listened_are_heard(server, request_for, eventually, ranks):
    """All they said, and that all have ended, then arrives at once."""
    with Attempt(server, request_for(AT_ONCE, ranks=ranks)) as attempt:
        time.sleep(1.0)
        outcomes = attempt.outcomes(ignore)
    assert [[outcome.readings["answer"].value for outcome in rank] for rank in outcomes] == (
        [[42]] * ranks
    )


def test_a_result_that_came_in_time_counts_although_it_is_heard_late(server, request_for):
    """Here this process is busy from a rank's first step until after the deadline."""
    request = request_for(AT_ONCE, deadline=1.0)
    with Attempt(server, request) as attempt:
        outcomes = attempt.outcomes(lambda _: time.sleep(0.6))
    assert [len(rank) for rank in outcomes] == [1, 1]
