"""What a claim compared, as bars: the measured values, and a stroke where each was expected."""

from __future__ import annotations

from verify.claims import Judgement, Side
from verify.evidence import number_json
from verify.quantities import Interval
from verify.report.svg.drawing import Picture
from verify.text import Language, verbatim

ROOM = 280  # the length of the longest bar
_ROW, _THICKNESS, _MARGIN, _LABEL = 14, 9, 3, 26
_MOST_ROWS = 32


def draw(judgement: Judgement, language: Language) -> str:
    """One bar for each rank, or one for all where they agree; nothing where lengths say nothing.

    That is where a side is missing, negative or unbounded, or all is 0. `data-value` of a bar and
    of its stroke are the numbers that their lengths stand for, on one scale from 0. The title says
    `measured | expected`.
    """
    left, right = judgement.left, judgement.right
    if left is None or right is None:
        return ""
    pairs = _pairs(left, right)
    ends = [float(v) for pair in pairs for i in pair for v in (i.low, i.value, i.high)]
    longest = max(ends)
    if not 0 < longest < float("inf") or min(ends) < 0 or len(pairs) > _MOST_ROWS:
        return ""
    scale = ROOM / longest
    gutter = _LABEL if len(pairs) > 1 else _MARGIN
    picture = Picture(
        "bars",
        gutter + ROOM + _MARGIN,
        len(pairs) * _ROW + 2,
        verbatim(f"{left.show()} | {right.show()}"),
        language,
    )
    shared = len({expected for _, expected in pairs}) == 1  # then one stroke serves all ranks
    for rank, (measured, expected) in enumerate(pairs):
        top = 1 + rank * _ROW
        if len(pairs) > 1:
            picture.add("text", f"r{rank}", x=0, y=top + 10)
        picture.add(
            "rect",
            class_="measured",
            x=gutter,
            y=top + (_ROW - _THICKNESS) / 2,
            width=float(measured.value) * scale,
            height=_THICKNESS,
            data_value=number_json(measured.value),
        )
        if measured.low != measured.high:
            low, high = (gutter + float(v) * scale for v in (measured.low, measured.high))
            middle = top + _ROW / 2
            picture.add("line", class_="spread", x1=low, x2=high, y1=middle, y2=middle)
        if rank and shared:
            continue
        at = gutter + float(expected.value) * scale
        picture.add(
            "line",
            class_="expected",
            x1=at,
            x2=at,
            y1=top,
            y2=top + (len(pairs) if shared else 1) * _ROW,
            data_value=number_json(expected.value),
        )
    return str(picture)


def _pairs(left: Side, right: Side) -> list[tuple[Interval, Interval]]:
    """Measured and expected, rank by rank; a single pair where all read the same."""
    count = max(len(left.values), len(right.values))
    pairs = [
        (left.values[rank % len(left.values)], right.values[rank % len(right.values)])
        for rank in range(count)
    ]

    def reads(pair: tuple[Interval, Interval]) -> tuple[str, str]:
        measured, expected = pair
        return Side((measured,), left.unit).show(), Side((expected,), right.unit).show()

    return pairs[:1] if len(set(map(reads, pairs))) == 1 else pairs
