"""A pipeline's step as lines of text: one row per rank, time to the right.

    0  F0F1············B0──··B1──
    1  ··F0B0──F1B1──············

The letter says what a rank does and the number on which micro-batch; small letters belong to the
rank's second stage. Nothing depends on colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from verify.evidence import Span
from verify.probes.replay import Kind, Replay, operations_of, replay
from verify.report.columns import wrap
from verify.text import Language, Text

_NARROWEST = 8  # columns of a chart, however narrow the terminal


@dataclass(frozen=True, slots=True)
class Bar:
    """One operation in a row. Times are in any unit, from the start of the chart."""

    kind: str
    loop: int  # 0 for the rank's first stage, 1 for its second
    microbatch: int
    start: float
    end: float

    @property
    def letter(self) -> str:
        return self.kind.lower() if self.loop else self.kind

    @property
    def label(self) -> str:
        return f"{self.letter}{self.microbatch}"


@dataclass(frozen=True, slots=True)
class Signs:
    """What fills a chart."""

    idle: str
    busy: str


UNICODE = Signs(idle="·", busy="─")
ASCII = Signs(idle=".", busy="-")

Rows = Sequence[Sequence[Bar]]


def rows_of_replay(replay: Replay) -> Rows:
    """Rows in unit time."""
    rows = []
    for slots in replay.ranks:
        stages = sorted({slot.operation.stage for slot in slots})
        rows.append(
            [
                Bar(
                    slot.operation.kind,
                    stages.index(slot.operation.stage),
                    slot.operation.microbatch,
                    slot.start,
                    slot.end,
                )
                for slot in slots
            ]
        )
    return rows


def rows_of_spans(spans: Sequence[Span]) -> Rows:
    """Rows in seconds from the first operation, by the clock. Communication isn't drawn."""
    drawn = [span for span in spans if span.kind in set(Kind)]
    origin = min((span.start for span in drawn), default=0.0)
    rows = []
    for rank in range(1 + max((span.rank for span in drawn), default=-1)):
        own = [span for span in drawn if span.rank == rank]
        stages = sorted({span.stage for span in own})
        rows.append(
            [
                Bar(s.kind, stages.index(s.stage), s.microbatch, s.start - origin, s.end - origin)
                for s in own
            ]
        )
    return rows


def gantt(rows: Rows, width: int, signs: Signs = UNICODE) -> list[str]:
    """The chart in lines of at most `width` columns.

    Where labels have no room, letters stand alone; a chart in whole units of time that still
    doesn't fit goes on below, in bands.
    """
    bars = [bar for row in rows for bar in row]
    if not bars:
        return []
    margin = 2 + len(str(len(rows) - 1)) + 2
    room = max(width - margin, _NARROWEST)
    scale = _columns_per_time(bars, room)
    columns = round(max(bar.end for bar in bars) * scale)
    painted = [_paint(row, scale, columns, signs) for row in rows]
    bands = []
    for left in range(0, columns, room):
        band = [
            f"{rank:>{margin - 2}}  {line[left : left + room]}" for rank, line in enumerate(painted)
        ]
        bands.append(band)
    return [line for band in bands for line in ([*band, ""] if band is not bands[-1] else band)]


def _columns_per_time(bars: Sequence[Bar], room: int) -> float:
    """As many as a label in the shortest bar needs, or fewer where the room is small."""
    length = max(bar.end for bar in bars)
    shortest = min(bar.end - bar.start for bar in bars)
    label = max(len(bar.label) for bar in bars)
    whole = all(float(time).is_integer() for bar in bars for time in (bar.start, bar.end))
    if whole:
        return max(1, min(label, int(room // length)))
    return min(label / shortest if shortest > 0 else room / length, room / length)


def _paint(row: Sequence[Bar], scale: float, columns: int, signs: Signs) -> str:
    line = [signs.idle] * columns
    for bar in row:
        left = min(round(bar.start * scale), columns - 1)
        right = max(left + 1, min(round(bar.end * scale), columns))
        text = bar.label if len(bar.label) <= right - left else bar.letter
        line[left:right] = text.ljust(right - left, signs.busy)
    return "".join(line)


def chart_of(spans: Sequence[Span]) -> tuple[Rows, Text]:
    """A run's operations replayed in unit time, and the chart's title.

    Where no replay can be made of them, they are placed by the clock. Empty without operations.
    """
    rows = rows_of_spans(spans)
    orders = [operations_of(s for s in spans if s.rank == rank) for rank in range(len(rows))]
    with suppress(ValueError):
        return rows_of_replay(replay(orders)), _IN_UNIT_TIME
    return rows, _BY_THE_CLOCK


def draw(
    spans: Sequence[Span], width: int, language: Language, *, ascii_only: bool = False
) -> list[str]:
    """The timeline of one run: its title, its chart and what the letters mean."""
    signs = ASCII if ascii_only else UNICODE
    rows, title = chart_of(spans)
    if not rows:
        return []
    chart = gantt(rows, width, signs)
    return [
        *wrap(title.pick(language), width, indent=" "),
        *chart,
        *wrap(legend(rows, signs).pick(language), width, indent="  "),
    ]


_IN_UNIT_TIME = Text(
    ja="だれがいつ何をしたか(実際の順序を単位時間で再現)",
    en="Who did what when (the real order, replayed in unit time)",
)
_BY_THE_CLOCK = Text(ja="だれがいつ何をしたか(時計)", en="Who did what when (by the clock)")
MEANINGS = {
    Kind.FORWARD: Text(ja="順伝播", en="forward"),
    Kind.BACKWARD: Text(ja="逆伝播", en="backward"),
    Kind.INPUT: Text(ja="逆伝播の入力側", en="input half of a backward"),
    Kind.WEIGHT: Text(ja="逆伝播の重み側", en="weight half of a backward"),
}


def legend(rows: Rows, signs: Signs = UNICODE) -> Text:
    """What the letters of this chart mean, in one line."""
    used = {bar.kind for row in rows for bar in row}
    loops = any(bar.loop for row in rows for bar in row)
    ja = [f"{kind} {text.ja}" for kind, text in MEANINGS.items() if kind in used]
    en = [f"{kind} {text.en}" for kind, text in MEANINGS.items() if kind in used]
    if loops:
        ja.append("小文字 ランクの 2 つ目の段")
        en.append("small letters: the rank's second stage")
    return Text(
        ja="   ".join([*ja, f"{signs.idle} 空き"]), en="   ".join([*en, f"{signs.idle} idle"])
    )
