"""Evidence as SVG: lengths and shades in proportion to what was measured."""

from __future__ import annotations

import re
from fractions import Fraction
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.claims import Judgement, Side, Verdict
from verify.evidence import Span
from verify.quantities import Interval, Measured, Shape, Source
from verify.report.svg import bars, gantt, traffic
from verify.report.svg.drawing import boxes, number
from verify.units import BYTE, MiB, format_size

SIZES = st.integers(1, 2**40)


def judged(measured: list[Interval], expected: list[Interval]) -> Judgement:
    def side(values: list[Interval]) -> Side:
        shape = Shape.PER_RANK if len(values) > 1 else Shape.SCALAR
        return Side(tuple(values), BYTE, shape)

    return Judgement(Verdict.REFUTED, side(measured), side(expected))


def points(*values: int) -> list[Interval]:
    return [Interval.point(value) for value in values]


def parts(drawing: str, name: str) -> list[Element]:
    root = ElementTree.fromstring(drawing)
    named = [e for e in root.iter() if name in e.get("class", "").split()]
    return [shape for e in named for shape in (e if e.tag == "g" else [e])]


def titles(drawing: str, tag: str) -> list[tuple[str | None, str | None]]:
    return [(e.get("lang"), e.text) for e in ElementTree.fromstring(drawing).iter(tag)]


@given(st.lists(SIZES, min_size=2, max_size=8), SIZES)
def test_a_bar_is_as_long_as_its_value_on_the_scale_of_all(sent: list[int], wanted: int) -> None:
    drawing = bars.draw(judged(points(*sent), points(wanted)), "en")
    measured = parts(drawing, "measured")
    start = float(measured[0].get("x", ""))
    scale = bars.ROOM / max(*sent, wanted)
    for bar in measured:
        value = int(bar.get("data-value", ""))
        assert float(bar.get("width", "")) == pytest.approx(value * scale, abs=0.01)
    for stroke in parts(drawing, "expected"):
        assert float(stroke.get("x1", "")) == pytest.approx(start + wanted * scale, abs=0.01)
    drawn = {int(bar.get("data-value", "")) for bar in measured}
    assert drawn == set(sent) or len(drawn) == len({format_size(value) for value in sent}) == 1
    assert len(parts(drawing, "expected")) == 1


def test_ranks_that_agree_share_a_bar() -> None:
    assert len(parts(bars.draw(judged(points(6, 6, 6), points(6)), "en"), "measured")) == 1
    assert len(parts(bars.draw(judged(points(6, 6, 5), points(6)), "en"), "measured")) == 3


def test_repeats_are_drawn_as_a_spread() -> None:
    drawing = bars.draw(judged([Interval(1.0, 2.0, 4.0)], points(2)), "en")
    (spread,) = parts(drawing, "spread")
    (bar,) = parts(drawing, "measured")
    left, unit = float(bar.get("x", "")), float(bar.get("width", "")) / 2
    assert float(spread.get("x1", "")) == pytest.approx(left + unit, abs=0.01)
    assert float(spread.get("x2", "")) == pytest.approx(left + 4 * unit, abs=0.01)


@pytest.mark.parametrize(
    "judgement",
    [
        Judgement(Verdict.UNDECIDED, None, Side(tuple(points(1)))),
        judged(points(0), points(0)),
        judged(points(-1), points(2)),
        judged([Interval.point(float("inf"))], points(2)),
    ],
)
def test_no_bars_where_lengths_say_nothing(judgement: Judgement) -> None:
    assert bars.draw(judgement, "en") == ""


def matrix(*rows: tuple[int, ...]) -> Measured:
    cells = tuple(Interval.point(value) for row in rows for value in row)
    return Measured(BYTE, Shape.MATRIX, Source.MEASURED, cells)


RING = matrix((0, 0, 6 * MiB), (6 * MiB, 0, 100), (0, 6 * MiB, 0))  # 0 → 2 → 1 → 0


def test_the_shade_of_a_pair_is_its_share_of_the_busiest() -> None:
    drawing = traffic.heat_map(matrix((0, 8 * MiB), (2 * MiB, 0)), "en")
    shades = {
        (c.get("data-from"), c.get("data-to")): (c.get("data-value"), c.get("fill-opacity"))
        for c in parts(drawing, "sent")
    }
    assert shades == {("0", "1"): (str(8 * MiB), "1"), ("1", "0"): (str(2 * MiB), "0.25")}


def test_a_sender_is_a_row_and_a_receiver_a_column() -> None:
    below, right = {}, {}
    for cell in parts(traffic.heat_map(RING, "en"), "sent"):
        below[cell.get("data-from")] = float(cell.get("y", ""))
        right[cell.get("data-to")] = float(cell.get("x", ""))
    assert below["0"] < below["1"] < below["2"]
    assert right["0"] < right["1"] < right["2"]


def test_acknowledgements_are_left_blank_and_everything_sent_is_told() -> None:
    drawing = traffic.heat_map(RING, "ja")
    assert len(parts(drawing, "sent")) == 3
    told = "0 → 2: 6.00 MiB; 1 → 0: 6.00 MiB; 2 → 1: 6.00 MiB"
    assert titles(drawing, "desc") == [(None, told)]


def test_a_ring_is_drawn_in_its_order_and_only_of_a_ring() -> None:
    drawing = traffic.ring(RING, "en")
    assert (None, "0 → 2 → 1 → 0") in titles(drawing, "desc")
    texts = [e.text for e in parts(drawing, "mid")]
    assert texts == ["0", "2", "1", "6.00 MiB"]
    assert traffic.ring(matrix((0, 1, 1), (1, 0, 1), (1, 1, 0)), "en") == ""
    assert traffic.heat_map(matrix((0, 0), (0, 0)), "en") == ""


# GPipe with two stages and two micro-batches, drawn by hand:
#   0  F0F1······B0──B1──
#   1  ··F0F1B0──B1──····
SPANS = [
    Span(0, "F", 0, 0, 0.0, 1.0), Span(0, "F", 0, 1, 1.0, 2.0),
    Span(0, "B", 0, 0, 5.0, 7.0), Span(0, "B", 0, 1, 7.0, 9.0),
    Span(1, "F", 1, 0, 1.0, 2.0), Span(1, "F", 1, 1, 2.0, 3.0),
    Span(1, "B", 1, 0, 3.0, 5.0), Span(1, "B", 1, 1, 5.0, 7.0),
]  # fmt: skip


def test_a_bar_of_the_chart_begins_and_lasts_as_the_replay_says() -> None:
    drawing = gantt.draw(SPANS, "en")
    unit = 22
    (backward,) = parts(drawing, "B")
    found = [
        tuple(map(float, b)) for b in re.findall(r"M(\S+) (\S+?)h(\S+?)v", backward.get("d", ""))
    ]
    assert [((x - 20) / unit, (w + 1) / unit) for x, _, w in found] == [
        (5, 2), (7, 2), (3, 2), (5, 2),
    ]  # fmt: skip
    assert "1: F0 F1 B0 B1" in (titles(drawing, "desc")[0][1] or "")


def test_second_stages_stand_out_and_the_clock_serves_where_no_replay_can() -> None:
    looped = [
        Span(0, "F", 0, 0, 0.0, 0.1), Span(1, "F", 1, 0, 0.1, 0.2),
        Span(0, "F", 2, 0, 0.2, 0.3), Span(1, "F", 3, 0, 0.3, 0.4),
    ]  # fmt: skip
    assert parts(gantt.draw(looped, "en"), "second")
    alone = [Span(0, "B", 0, 0, 0.0, 0.2)]  # a backward without its forward
    assert "by the clock" in gantt.draw(alone, "en")
    assert gantt.draw([Span(0, "C", 0, 0, 0.0, 1.0)], "en") == ""


@pytest.mark.parametrize("first", ["ja", "en"])
def test_the_chosen_language_comes_first(first: str) -> None:
    for drawing in (
        gantt.draw(SPANS, first),  # type: ignore[arg-type] # a language
        traffic.ring(RING, first),  # type: ignore[arg-type]
    ):
        assert [language for language, _ in titles(drawing, "title")][:1] == [first]


def test_coordinates_are_short() -> None:
    assert [number(v) for v in (3.0, 2.5, 1 / 3, float(Fraction(1, 1000)))] == [
        "3",
        "2.5",
        "0.33",
        "0",
    ]
    assert boxes([(1.0, 2.0, 3.0, 4.0)]) == "M1 2h3v4h-3z"
