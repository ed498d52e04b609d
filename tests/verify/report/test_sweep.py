"""Sweeps: which law is drawn, where bars end, and that nothing is wider than the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from verify.catalogue import find_experiment
from verify.evidence import Evidence
from verify.laws import judge_laws
from verify.report.bars import Runs, chosen, series
from verify.report.columns import cells
from verify.report.run import Look
from verify.report.sweep import draw, swept

PIPELINE = find_experiment("pipeline-bubble")
RING = find_experiment("all-reduce-bytes")


def judged(found: Sequence[Evidence]) -> Runs:
    return [(e, judge_laws(find_experiment(e.experiment), e)) for e in found]


@pytest.fixture
def bubbles(pipeline: Callable[..., Evidence]) -> Runs:
    return judged([pipeline(microbatches=m) for m in (2, 4, 8, 16)])


def test_the_swept_parameters_are_those_that_vary(bubbles: Runs) -> None:
    assert swept([e.parameters for e, _ in bubbles]) == ("microbatches",)


def test_the_law_drawn_is_the_first_whose_expectation_moves(
    bubbles: Runs, ring: Callable[..., Evidence]
) -> None:
    drawn = chosen(series(bubbles, PIPELINE))
    assert drawn is not None
    assert drawn.name == "bubble_replay"
    rings = judged([ring(ranks=n) for n in (2, 3, 4)])
    drawn = chosen(series(rings, RING))
    assert drawn is not None
    assert drawn.name == "wire_sent"


def test_where_no_expectation_moves_a_measurement_may(pipeline: Callable[..., Evidence]) -> None:
    runs = judged([pipeline(wrong=wrong) for wrong in (0, 1)])
    drawn = chosen(series(runs, PIPELINE))
    assert drawn is not None
    assert drawn.name == "bubble_replay"
    assert not drawn.moves("right")


def test_bars_are_as_long_as_what_was_measured(bubbles: Runs) -> None:
    """(p−1)/(m+p−1) at p = 4: 3/5, 3/7, 3/11, 3/19; the mark stands where the bar ends."""
    lines = draw(bubbles, PIPELINE, Look(80, "en"))
    rows = [line for line in lines if "█" in line and "confirmed" in line]
    lengths = [line.count("█") for line in rows]
    assert all("█│" in line for line in rows)
    for length, expected in zip(lengths, (3 / 5, 3 / 7, 3 / 11, 3 / 19), strict=True):
        assert length / lengths[0] == pytest.approx(expected / (3 / 5), abs=0.03)
    assert [line.split()[2:5] for line in rows][2] == ["3/11", "=", "0.2727"]


def test_a_refuted_point_overshoots_its_mark_and_is_named(
    pipeline: Callable[..., Evidence],
) -> None:
    runs = judged([pipeline(microbatches=4, wrong=1), pipeline(microbatches=8)])
    lines = draw(runs, PIPELINE, Look(80, "en"))
    (row,) = [line for line in lines if "│█" in line]
    assert row.split()[0] == "4"
    assert row.rstrip().endswith("refuted")
    said = next(line for line in lines if line.startswith(" refuted (microbatches=4)"))
    assert "bubble" in said
    assert any("bubble_replay" in line and "1.429!" in line for line in lines)


@pytest.mark.parametrize("width", [20, 40, 80, 132])
@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_no_line_is_wider_than_the_terminal(
    bubbles: Runs, ring: Callable[..., Evidence], width: int, language: str, ascii_only: bool
) -> None:
    look = Look(width, "ja" if language == "ja" else "en", ascii_only=ascii_only)
    rings = judged([ring(ranks=n) for n in (2, 3, 4, 5, 8, 16)])
    for runs, experiment in ((bubbles, PIPELINE), (rings, RING)):
        lines = draw(runs, experiment, look)
        assert max(map(cells, lines)) <= width
        if ascii_only and language == "en":
            assert all(line.isascii() for line in lines)


def test_every_point_is_in_the_table(ring: Callable[..., Evidence]) -> None:
    rings = judged([ring(ranks=n) for n in range(2, 17)])
    lines = draw(rings, RING, Look(40, "en"))
    heads = [line.split()[1:] for line in lines if line.startswith(" ranks  ")]
    assert [int(n) for band in heads for n in band] == list(range(2, 17))
