"""A pipeline as text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from verify.evidence import Span
from verify.probes.replay import Operation, replay
from verify.report.gantt import ASCII, Rows, draw, gantt, legend, rows_of_replay, rows_of_spans

# 1F1B on four ranks with eight microbatches; the chart was drawn by hand.
ORDERS = [
    "0F0 0F1 0F2 0F3 0B0 0F4 0B1 0F5 0B2 0F6 0B3 0F7 0B4 0B5 0B6 0B7",
    "1F0 1F1 1F2 1B0 1F3 1B1 1F4 1B2 1F5 1B3 1F6 1B4 1F7 1B5 1B6 1B7",
    "2F0 2F1 2B0 2F2 2B1 2F3 2B2 2F4 2B3 2F5 2B4 2F6 2B5 2F7 2B6 2B7",
    "3F0 3B0 3F1 3B1 3F2 3B2 3F3 3B3 3F4 3B4 3F5 3B5 3F6 3B6 3F7 3B7",
]
CHART = """\
  0  F0F1F2F3············B0──F4B1──F5B2──F6B3──F7B4──··B5──··B6──··B7──
  1  ··F0F1F2········B0──F3B1──F4B2──F5B3──F6B4──F7B5──··B6──··B7──····
  2  ····F0F1····B0──F2B1──F3B2──F4B3──F5B4──F6B5──F7B6──··B7──········
  3  ······F0B0──F1B1──F2B2──F3B3──F4B4──F5B5──F6B6──F7B7──············"""


def rows(orders: list[str]) -> Rows:
    return rows_of_replay(replay([[Operation.parse(o) for o in row.split()] for row in orders]))


def spans(orders: list[str], unit: float = 0.05) -> list[Span]:
    """What a clock that started at 100 s would have seen."""
    replayed = replay([[Operation.parse(o) for o in row.split()] for row in orders])
    return [
        Span(
            rank,
            s.operation.kind,
            s.operation.stage,
            s.operation.microbatch,
            100 + unit * s.start,
            100 + unit * s.end,
        )
        for rank, slots in enumerate(replayed.ranks)
        for s in slots
    ]


def test_a_replay_is_drawn_in_unit_time() -> None:
    assert "\n".join(gantt(rows(ORDERS), 80)) == CHART


def test_the_clock_draws_the_same_chart_where_it_agrees() -> None:
    assert "\n".join(gantt(rows_of_spans(spans(ORDERS)), 80)) == CHART


def test_plain_signs_are_ascii() -> None:
    text = "\n".join(gantt(rows(ORDERS), 80, ASCII)) + legend(rows(ORDERS), ASCII).pick("en")
    assert text.isascii()
    assert text.splitlines()[3].startswith("  3  ......F0B0--F1B1--")


def test_where_labels_have_no_room_letters_stand_alone() -> None:
    assert gantt(rows(["0F0 0F1 0B0 0B1", "1F0 1F1 1B0 1B1"]), 15) == [
        "  0  FF···B0B1",
        "  1  ·FFB0B1··",
    ]


def test_a_long_chart_goes_on_below() -> None:
    assert gantt(rows(["0F0 0F1 0B0 0B1", "1F0 1F1 1B0 1B1"]), 13) == [
        "  0  FF···B0B",
        "  1  ·FFB0B1·",
        "",
        "  0  1",
        "  1  ·",
    ]


def test_small_letters_belong_to_the_second_stage() -> None:
    drawn = rows(["0F0 2F0 2I0 0I0 2W0 0W0", "1F0 3F0 3B0 1B0"])
    assert gantt(drawn, 80) == [
        "  0  F0··f0······i0····I0w0W0",
        "  1  ··F0··f0b0──··B0──······",
    ]
    assert "small letters" in (legend(drawn).en or "")
    assert "小文字" in (legend(drawn).ja or "")
    assert "small letters" not in (legend(rows(ORDERS)).en or "")


def test_a_run_is_drawn_with_its_title_and_letters() -> None:
    title, *chart, letters = draw(spans(ORDERS), 80, "ja")
    assert "再現" in title
    assert "\n".join(chart) == CHART
    assert letters.strip() == "F 順伝播   B 逆伝播   · 空き"


def test_what_cannot_be_replayed_is_drawn_by_the_clock() -> None:
    backwards_alone = [Span(0, "B", 0, 0, 5.0, 7.0), Span(1, "B", 1, 0, 6.0, 8.0)]
    title, *chart, _ = draw(backwards_alone, 80, "en", ascii_only=True)
    assert "by the clock" in title
    assert chart == ["  0  B0--..", "  1  ..B0--"]


def test_nothing_is_drawn_of_nothing() -> None:
    assert draw([], 80, "en") == []
    assert gantt([], 80) == []
    assert gantt(rows_of_spans([Span(0, "C", 0, 0, 0.0, 1.0)]), 80) == []


@given(st.integers(13, 200), st.booleans())
def test_no_line_is_wider_than_the_terminal(width: int, by_clock: bool) -> None:
    drawn = rows_of_spans(spans(ORDERS, 0.0437)) if by_clock else rows(ORDERS)
    lines = gantt(drawn, width)
    assert all(len(line) <= width for line in lines)
    letters = [sum(line.count(letter) for line in lines) for letter in "FB"]
    # Below one column per unit of time the clock's bars may cover one another.
    assert letters == [32, 32] or (by_clock and width < 33 + 5)
