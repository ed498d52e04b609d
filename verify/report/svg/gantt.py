"""A pipeline's step as a Gantt chart: one row per rank, time to the right."""

from __future__ import annotations

from collections.abc import Sequence

from verify.evidence import Span
from verify.report.gantt import Bar, Rows, chart_of
from verify.report.svg.drawing import Picture, add, boxes
from verify.text import Language, Text, verbatim

_LABEL, _ROW, _HEIGHT = 20, 24, 20
_WIDEST, _NARROWEST, _ROOM = 22, 5, 700  # of one unit of time, and of the whole chart
_DIGIT = 6.5  # how wide a figure of a label is


def draw(spans: Sequence[Span], language: Language) -> str:
    """The replay of a run's operations in unit time, or by the clock; nothing without operations.

    The class of a path is what was done (F, B, I, W), `second` on the rank's second stage; the
    figure in a bar is the micro-batch; the blank between bars is idle time.
    """
    rows, title = chart_of(spans)
    bars = [bar for row in rows for bar in row]
    if not bars:
        return ""
    length = max(bar.end for bar in bars)
    shortest = min(bar.end - bar.start for bar in bars)
    whole = all(float(bar.end).is_integer() for bar in bars)
    unit = min(_WIDEST, max(_NARROWEST, _ROOM / length)) if whole else _ROOM / length
    picture = Picture(
        "gantt", _LABEL + length * unit, len(rows) * _ROW, title, language, _description(rows)
    )
    ground = [(_LABEL, rank * _ROW + 2.0, length * unit, _HEIGHT) for rank in range(len(rows))]
    picture.add("path", class_="idle", d=boxes(ground))
    for name in dict.fromkeys(map(_class, bars)):
        places = [
            (
                _LABEL + bar.start * unit,
                rank * _ROW + 2.0,
                (bar.end - bar.start) * unit - 1,
                _HEIGHT,
            )
            for rank, row in enumerate(rows)
            for bar in row
            if _class(bar) == name
        ]
        picture.add("path", class_=name, d=boxes(places))
    most = max(len(str(bar.microbatch)) for bar in bars)
    labels = picture.group("mid")
    for rank, row in enumerate(rows):
        base = rank * _ROW + 16
        picture.add("text", str(rank), x=0, y=base)
        for bar in row if shortest * unit >= most * _DIGIT + 1 else ():
            middle = _LABEL + (bar.start + bar.end) / 2 * unit
            add(labels, "text", str(bar.microbatch), x=middle, y=base)
    return str(picture)


def _class(bar: Bar) -> str:
    return f"{bar.kind} second" if bar.loop else bar.kind


def _description(rows: Rows) -> Text:
    """`0: F0 F1 B0 B1; 1: …`, each rank's operations in their order."""
    orders = (" ".join(bar.label for bar in row) for row in rows)
    return verbatim("; ".join(f"{rank}: {order}" for rank, order in enumerate(orders)))
