"""Curves, the bubble's three readings, and plain signs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.evidence import Evidence
from verify.quantities import Unmeasured
from verify.report import bubble, curves
from verify.report.columns import cells
from verify.report.plain import plain
from verify.text import Language, Text

LOSSES = {
    "loss_base": ((2.0, 1.5, 1.0, 0.5),) * 2,
    "loss_large": ((2.0, 1.9, 1.8, 1.7),) * 2,
}


def test_a_row_for_each_rank_and_the_most_beside_it() -> None:
    """Eighths of the largest value, 4 KiB: 1 KiB is two eighths, nothing is a dot."""
    lines = curves.draw({"activation": ((0, 1024, 2048), (4096, 1024, 0))}, 60, "en")
    assert lines[0].startswith(" activations held after each operation (█ = 4.00 KiB)")
    assert lines[1].split() == ["0", "····▂▂▂▂▄▄▄▄", "2.00", "KiB"]
    assert lines[2].split() == ["1", "████▂▂▂▂····", "4.00", "KiB"]


def test_many_points_keep_their_peaks() -> None:
    row = [0.0] * 500
    row[333] = 8.0
    lines = curves.draw({"activation": (row,)}, 40, "en")
    assert lines[-1].count("█") == 1


def test_curves_that_belong_together_share_a_chart() -> None:
    lines = curves.draw(LOSSES, 60, "en")
    assert lines[0] == " loss"
    assert "0 base batch   1 large batch" in lines[-1]
    chart = [line.partition("│")[2] or line.partition("┤")[2] for line in lines]
    columns = {name: "".join(chart).count(name) for name in "01"}
    assert all(columns.values())
    assert any(line.strip().startswith("2┤") for line in lines)


@given(
    st.dictionaries(
        st.sampled_from(["loss_base", "loss_large", "activation", "other"]),
        st.lists(st.lists(st.floats(0, 1e12), min_size=1, max_size=70), min_size=1, max_size=4),
        max_size=3,
    ),
    st.sampled_from([20, 40, 80]),
    st.sampled_from(["ja", "en"]),
)
def test_any_curves_fit_any_terminal(
    found: dict[str, list[list[float]]], width: int, language: Language
) -> None:
    assert max(map(cells, curves.draw(found, width, language)), default=0) <= width


def test_the_bubble_is_said_three_ways(pipeline: Callable[..., Evidence]) -> None:
    """3/11 by the formula at p = 4, m = 8; the replay is exact, the clock 0.28 ± 0.01."""
    lines = bubble.draw(pipeline(microbatches=8, wait=50), 80, "en")
    assert [line.split()[-1] for line in lines] == ["0.2727", "confirmed", "confirmed"]
    assert [line.count("3/11") for line in lines] == [1, 1, 0]
    assert "0.28 (0.27 – 0.29)" in lines[2]


def test_no_formula_and_no_clock_are_said_or_left_out(pipeline: Callable[..., Evidence]) -> None:
    evidence = pipeline(microbatches=8)
    here = replace(
        evidence,
        parameters={**evidence.parameters, "microbatches": 2, "schedule": "looped-bfs"},
        quantities={**evidence.quantities, "bubble_wall": Unmeasured(Text(en="no clock"))},
    )
    lines = bubble.draw(here, 80, "ja")
    assert len(lines) == 2
    assert "当てはまりません" in lines[0]
    assert bubble.draw(replace(here, quantities={}), 80, "ja") == []


@pytest.mark.parametrize("width", [30, 40, 80])
@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_bubble_fits(pipeline: Callable[..., Evidence], width: int, language: Language) -> None:
    assert max(map(cells, bubble.draw(pipeline(wait=50), width, language))) <= width


def test_plain_signs_are_as_wide_as_before() -> None:
    lines = ["0 → 1 · ─│█▃ 2×(N−1)÷N ± 1 % ≤ ⌈x⌉ ₂² ✓", "予想…"]
    shown = plain(lines)
    assert shown[0].isascii()
    assert list(map(cells, shown)) == list(map(cells, lines))
    assert shown[1] == "予想~"
