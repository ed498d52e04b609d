"""Spans, busy time and the bubble by the clock."""

from __future__ import annotations

import pytest

from verify.evidence import Span
from verify.probes.timeline import Timeline, busy_time, seconds_of, wall_bubble


def test_a_span_lasts_at_least_as_long_as_asked() -> None:
    timeline = Timeline(3)
    with timeline.span("F", stage=1, microbatch=2, at_least=0.02):
        pass
    (span,) = timeline.spans()
    assert (span.rank, span.kind, span.stage, span.microbatch) == (3, "F", 1, 2)
    assert span.end - span.start >= 0.02
    timeline.clear()
    assert timeline.spans() == ()


def test_work_that_fails_is_recorded_and_does_not_wait() -> None:
    timeline = Timeline(0)
    with pytest.raises(RuntimeError), timeline.span("F", at_least=60.0):
        raise RuntimeError
    assert len(timeline.spans()) == 1


def test_the_bubble_by_the_clock_of_two_ranks_by_hand() -> None:
    #  0  ####··##     6 of 8 s
    #  1  ··####··     4 of 8 s
    first = busy_time([Span(0, "F", 0, 0, 10.0, 14.0), Span(0, "B", 0, 0, 16.0, 18.0)])
    second = busy_time([Span(1, "F", 1, 0, 12.0, 16.0)])
    assert (first.busy, first.first, first.last) == (6.0, 10.0, 18.0)
    assert wall_bubble([first, second]) == pytest.approx(1 - 10 / 16)


def test_seconds_of_work_are_averaged() -> None:
    calls: list[int] = []
    assert seconds_of(lambda: calls.append(1), 4) >= 0
    assert len(calls) == 4
