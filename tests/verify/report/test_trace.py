"""The Chrome trace against the rules of its format ("Trace Event Format", Google, 2016)."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.evidence import Evidence, Span, WorldFacts
from verify.report.trace import trace

REQUIRED = {
    "M": {"name", "pid", "tid", "args"},
    "X": {"name", "cat", "pid", "tid", "ts", "dur"},
    "s": {"name", "cat", "pid", "tid", "ts", "id"},
    "f": {"name", "cat", "pid", "tid", "ts", "id", "bp"},
}


def evidence(spans: list[Span], ranks: int = 2) -> Evidence:
    facts = WorldFacts(ranks, 1, "gloo", "cpu", "local")
    at = "2026-01-01T00:00:00+00:00"
    return Evidence("pipeline-bubble", {"stages": 2}, {}, facts, {}, 1, 0.1, at, None, tuple(spans))


# Two stages, one microbatch: rank 1 waits for rank 0's activation, then rank 0 for its gradient.
STEP = [
    Span(0, "F", 0, 0, 0.000, 0.050),
    Span(0, "R", 0, 0, 0.051, 0.202),
    Span(0, "B", 0, 0, 0.202, 0.302),
    Span(1, "R", 1, 0, 0.001, 0.052),
    Span(1, "F", 1, 0, 0.052, 0.101),
    Span(1, "B", 1, 0, 0.101, 0.201),
]


def check(document: dict[str, Any]) -> None:
    """What Perfetto and chrome://tracing rely on."""
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    events = document["traceEvents"]
    for event in events:
        assert REQUIRED[event["ph"]] <= set(event), event
        assert isinstance(event["pid"], int)
        assert isinstance(event["tid"], int)
    timed = [event for event in events if event["ph"] != "M"]
    assert [e["ts"] for e in timed] == sorted(e["ts"] for e in timed)
    assert all(e["ts"] >= 0 for e in timed)

    named = {(e["name"], e["pid"], e["tid"]): e["args"]["name"]
             for e in events if e["ph"] == "M" and "name" in e["args"]}  # fmt: skip
    for event in timed:
        assert ("process_name", event["pid"], 0) in named
        assert ("thread_name", event["pid"], event["tid"]) in named

    slices: dict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
    for event in timed:
        if event["ph"] == "X":
            assert event["dur"] >= 0
            slices[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    for thread in slices.values():
        open_until: list[float] = []
        for start, end in sorted(thread, key=lambda s: (s[0], -s[1])):
            while open_until and open_until[-1] <= start + 1e-6:
                open_until.pop()
            assert not open_until or end <= open_until[-1] + 1e-6, "slices overlap without nesting"
            open_until.append(end)

    starts = {e["id"]: e for e in timed if e["ph"] == "s"}
    ends = {e["id"]: e for e in timed if e["ph"] == "f"}
    assert set(starts) == set(ends)
    assert len(starts) == sum(e["ph"] == "s" for e in timed)
    for identity, start in starts.items():
        end = ends[identity]
        assert (start["name"], start["cat"]) == (end["name"], end["cat"])
        assert start["ts"] <= end["ts"]
        assert end["bp"] == "e"
        for bound in (start, end):  # an arrow hangs on the slice around its time
            assert any(
                first <= bound["ts"] <= last
                for first, last in slices[bound["pid"], bound["tid"]]
            )  # fmt: skip


def test_a_step_of_two_ranks() -> None:
    document = trace([("", evidence(STEP))], "en")
    check(document)
    events = document["traceEvents"]
    assert [(e["pid"], e["args"]["name"]) for e in events if e["name"] == "process_name"] == [
        (0, "rank 0"),
        (1, "rank 1"),
    ]
    assert {(e["tid"], e["args"]["name"]) for e in events if e["name"] == "thread_name"} == {
        (0, "computation"),
        (1, "communication"),
    }
    first = next(e for e in events if e["ph"] == "X" and e["name"] == "F0")
    assert (first["ts"], first["dur"], first["args"]) == (0, 50_000, {"stage": 0, "microbatch": 0})


def test_arrows_follow_the_messages() -> None:
    events = trace([("", evidence(STEP))], "en")["traceEvents"]
    arrows = [(e["ph"], e["pid"], e["name"], e["ts"]) for e in events if e["ph"] in "sf"]
    assert arrows == [
        ("s", 0, "activation", 49_999),
        ("f", 1, "activation", 52_000),
        ("s", 1, "gradient of the activation", 200_999),
        ("f", 0, "gradient of the activation", 202_000),
    ]


def test_waits_that_overlap_lie_on_threads_of_their_own() -> None:
    spans = [Span(0, "R", 0, i, 0.01 * i, 0.1) for i in range(3)]
    spans += [Span(0, "C", 0, 0, 0.2, 0.3), Span(0, "X", 0, 0, 0.0, 0.3)]
    document = trace([("", evidence(spans))], "ja")
    check(document)
    threads = {e["tid"] for e in document["traceEvents"] if e.get("cat") == "メッセージ待ち"}
    assert threads == {1, 2, 3}


def test_runs_of_a_sweep_are_processes_of_their_own() -> None:
    document = trace([("m=1", evidence(STEP)), ("m=2", evidence(STEP))], "en")
    check(document)
    names = [e["args"]["name"] for e in document["traceEvents"] if e["name"] == "process_name"]
    assert names == ["m=1 · rank 0", "m=1 · rank 1", "m=2 · rank 0", "m=2 · rank 1"]


def test_a_run_without_a_timeline_is_an_empty_trace() -> None:
    document = trace([("", evidence([]))], "en")
    check(document)
    assert document["traceEvents"] == []


@pytest.mark.parametrize("kind", ["F", "B"])
def test_an_arrow_never_points_back_in_time(kind: str) -> None:
    """Clocks of two hosts may be off by more than a message takes."""
    late = [Span(0, kind, 0, 0, 0.0, 0.3), Span(1, kind, 1, 0, 0.1, 0.2)]
    check(trace([("", evidence(late))], "en"))


@given(
    st.lists(
        st.tuples(
            st.integers(0, 3),
            st.sampled_from("FBIWRCX?"),
            st.integers(0, 4),
            st.integers(0, 3),
            st.floats(0, 0.01),
            st.floats(0, 0.01),
        ),
        max_size=24,
    )
)
def test_any_timeline_obeys_the_rules(rows: list[tuple[int, str, int, int, float, float]]) -> None:
    """Whatever a rank did one after the other; only waits may overlap."""
    clock: dict[int, float] = defaultdict(float)
    spans = []
    for rank, kind, stage, microbatch, gap, length in rows:
        start = clock[rank] + gap
        spans.append(Span(rank, kind, stage, microbatch, start, start + length))
        clock[rank] = start if kind == "R" else start + length
    check(trace([("", evidence(spans, 4))], "en"))
