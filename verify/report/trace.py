"""The timeline in Chrome's trace format, which Perfetto and chrome://tracing open.

Every rank is a process with its computation and its communication as threads; an operation is a
complete event, in microseconds; an arrow leads from the operation that made a message to the one
that needed it. Format: "Trace Event Format", Google, 2016 (phases M, X, s and f).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from verify.evidence import Evidence, Span
from verify.probes.replay import Kind
from verify.report.gantt import MEANINGS
from verify.text import Language, Text, verbatim

Event = dict[str, Any]

_COMPUTE = 0  # the thread of a rank's computation; those of its communication follow
_RANKS_PER_RUN = 1000  # process numbers set aside for one run

_RANK = Text(ja="ランク {rank}", en="rank {rank}")
_THREADS = {
    "compute": Text(ja="計算", en="computation"),
    "communication": Text(ja="通信", en="communication"),
}
_KINDS: Mapping[str, Text] = {
    **{kind.value: text for kind, text in MEANINGS.items()},
    "R": Text(ja="メッセージ待ち", en="waiting for a message"),
    "C": Text(ja="集団通信", en="collective"),
    "X": Text(ja="逆伝播と集団通信", en="backward with collectives inside"),
}
_ACTIVATION = Text(ja="活性化", en="activation")
_GRADIENT = Text(ja="活性化の勾配", en="gradient of the activation")
_COMMUNICATION = frozenset("RC")
_OPERATIONS = frozenset(Kind)


def trace(runs: Sequence[tuple[str, Evidence]], language: Language) -> dict[str, Any]:
    """One JSON object for all runs; each has a name, which may be empty, and ranks of its own."""
    events = [
        event
        for number, (name, evidence) in enumerate(runs)
        for event in _events(evidence.timeline, number * _RANKS_PER_RUN, name, language)
    ]
    names = [event for event in events if event["ph"] == "M"]
    timed = sorted((e for e in events if e["ph"] != "M"), key=lambda e: e["ts"])
    return {
        "displayTimeUnit": "ms",
        "otherData": {
            "runs": [
                {
                    "experiment": evidence.experiment,
                    "parameters": dict(evidence.parameters),
                    "fault": evidence.fault,
                    "environment": dict(evidence.environment),
                    "at": evidence.at,
                }
                for _, evidence in runs
            ]
        },
        "traceEvents": [*names, *timed],
    }


def _events(timeline: Sequence[Span], base: int, run: str, language: Language) -> Iterator[Event]:
    ranks = sorted({span.rank for span in timeline})
    threads = {rank: _threads([s for s in timeline if s.rank == rank]) for rank in ranks}
    for rank in ranks:
        name = _RANK.pick(language).format(rank=rank)
        pid = base + rank
        yield _named("process_name", pid, 0, f"{run} · {name}" if run else name)
        yield {"ph": "M", "name": "process_sort_index", "pid": pid, "tid": 0,
               "args": {"sort_index": pid}}  # fmt: skip
        for thread in sorted({_COMPUTE, *threads[rank].values()}):
            kind = "communication" if thread else "compute"
            number = f" {thread}" if thread > 1 else ""
            yield _named("thread_name", pid, thread, _THREADS[kind].pick(language) + number)
    for rank in ranks:
        for span, thread in threads[rank].items():
            yield _complete(span, base + rank, thread, language)
    for index, (sender, receiver) in enumerate(messages(timeline)):
        yield from _arrow(sender, receiver, base, index, language)


def _threads(spans: Sequence[Span]) -> dict[Span, int]:
    """Which thread shows a span: waits that overlap lie on threads of their own."""
    threads: dict[Span, int] = {}
    ends: list[float] = []  # of the communication threads
    for span in sorted(spans, key=lambda s: s.start):
        if span.kind not in _COMMUNICATION:
            threads[span] = _COMPUTE
            continue
        free = next((i for i, end in enumerate(ends) if end <= span.start), len(ends))
        ends[free : free + 1] = [span.end]
        threads[span] = _COMPUTE + 1 + free
    return threads


def messages(timeline: Sequence[Span]) -> list[tuple[Span, Span]]:
    """The operations of a pipeline that sent something to another rank, each with its receiver.

    A forward sends its activation to the next stage's forward of the same microbatch; a backward,
    or its input half, sends the gradient to the previous stage's.
    """
    forward: dict[tuple[int, int], Span] = {}
    backward: dict[tuple[int, int], Span] = {}
    for span in timeline:
        if span.kind in (Kind.BACKWARD, Kind.INPUT):
            backward.setdefault((span.stage, span.microbatch), span)
        elif span.kind == Kind.FORWARD:
            forward.setdefault((span.stage, span.microbatch), span)
    pairs = [
        (span, to)
        for found, direction in ((forward, 1), (backward, -1))
        for (stage, microbatch), span in found.items()
        if (to := found.get((stage + direction, microbatch))) is not None
    ]
    return [(a, b) for a, b in pairs if a.rank != b.rank and a.end <= b.start]


def _microseconds(seconds: float) -> float:
    return round(seconds * 1e6, 3)


def _named(what: str, pid: int, tid: int, name: str) -> Event:
    return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {"name": name}}


def _complete(span: Span, pid: int, tid: int, language: Language) -> Event:
    meaning = _KINDS.get(span.kind, verbatim(span.kind)).pick(language)
    pipeline = span.kind in _OPERATIONS or span.kind == "R"
    start, end = _microseconds(span.start), _microseconds(span.end)
    event: Event = {
        "ph": "X",
        "name": f"{span.kind}{span.microbatch}" if span.kind in _OPERATIONS else meaning,
        "cat": meaning,
        "pid": pid,
        "tid": tid,
        "ts": start,
        "dur": round(end - start, 3),
    }
    if pipeline:
        event["args"] = {"stage": span.stage, "microbatch": span.microbatch}
    return event


def _arrow(
    sender: Span, receiver: Span, base: int, number: int, language: Language
) -> Iterator[Event]:
    """From the last microsecond of the sending operation to the start of the receiving one."""
    name = (_ACTIVATION if sender.kind == Kind.FORWARD else _GRADIENT).pick(language)
    start, end = _microseconds(sender.start), _microseconds(sender.end)
    both: Event = {"name": name, "cat": "message", "id": base * _RANKS_PER_RUN + number}
    yield {
        **both, "ph": "s", "pid": base + sender.rank, "tid": _COMPUTE,
        "ts": round(max(start, end - 1), 3),
    }  # fmt: skip
    yield {
        **both, "ph": "f", "bp": "e", "pid": base + receiver.rank, "tid": _COMPUTE,
        "ts": _microseconds(receiver.start),
    }  # fmt: skip
