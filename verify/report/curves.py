"""Curves over the steps of a run: activations held at each moment, a loss at each step.

Each rank gets a row, in which the height of a block is the value; curves that belong together and
that all ranks share go into one chart, a digit or letter for each. Nothing depends on colour.
"""

from __future__ import annotations

import itertools
import math
import string
from collections.abc import Mapping, Sequence

from verify.claims.side import format_number
from verify.report.columns import cells, cut, pad, wrap
from verify.text import Language, Text, verbatim
from verify.units import BYTE, ONE, Unit

Curves = Mapping[str, Sequence[Sequence[float]]]

HEIGHT = 10  # lines of a chart, its axes included
_TALL = 3  # marks on the vertical axis
_ALONG = Text(ja="横軸: 時間順に {points} 点", en="across: {points} points in time")
_MOST = Text(ja="最大", en="most")
_BLOCKS = "▁▂▃▄▅▆▇█"
_WIDEST = 4  # cells of one value


_TITLES = {
    "activation": Text(ja="演算ごとに保持する活性化", en="activations held after each operation"),
    "loss": Text(ja="損失", en="loss"),
}
_LABELS = {
    "base": Text(ja="基準のバッチ", en="base batch"),
    "large": Text(ja="大きいバッチ", en="large batch"),
}
_UNITS = {"activation": BYTE}


def draw(curves: Curves, width: int, language: Language) -> list[str]:
    """Lines of at most `width` cells: a chart for each group of curves.

    Names with a `_` belong together by what stands before it: `loss_base` and `loss_large`.
    """
    charts: dict[str, dict[str, Sequence[float]]] = {}
    blocks: list[list[str]] = []
    for name, rows in curves.items():
        group, _, own = name.partition("_")
        if own and rows[0] and len(set(map(tuple, rows))) == 1:
            label = _LABELS.get(own, verbatim(own)).pick(language)
            charts.setdefault(group, {})[label] = rows[0]
        elif all(rows):
            blocks.append(_rows(rows, width, language, _title(name, language), _unit(name)))
    for group, lines in charts.items():
        chart = _chart(lines, width, language, _unit(group))
        blocks.append([cut(f" {_title(group, language)}", width), *chart])
    return [line for i, block in enumerate(blocks) for line in ([""] if i else []) + block]


def _title(name: str, language: Language) -> str:
    return _TITLES.get(name, verbatim(name)).pick(language)


def _unit(name: str) -> Unit:
    return _UNITS.get(name, ONE)


def _rows(
    rows: Sequence[Sequence[float]], width: int, language: Language, title: str, unit: Unit
) -> list[str]:
    """A row of blocks for each rank, and the most that it reached."""
    most = max(max(row) for row in rows)
    figures = [format_number(max(row), unit) for row in rows]
    margin = 2 + len(str(len(rows) - 1)) + 2
    room = max(8, width - margin - 2 - max(map(cells, figures)))
    each = max(1, min(_WIDEST, room // max(map(len, rows))))
    heads = _MOST.pick(language)
    length = min(room, each * max(map(len, rows)))
    head = f"{title} (█ = {format_number(most, unit)})"
    lines = [*wrap(head, width, indent=" ")]
    if cells(lines[-1]) + 2 + cells(heads) <= margin + length + 2 + max(map(cells, figures)):
        end = margin + length + 2 + max(map(cells, figures))
        lines[-1] += pad(heads, end - cells(lines[-1]), right=True)
    for rank, (row, figure) in enumerate(zip(rows, figures, strict=True)):
        blocks = "".join(_block(value, most) * each for value in _thinned(row, room))
        shown = pad(blocks, length)
        lines.append(f"{rank:>{margin - 2}}  {shown}  {pad(figure, 0)}")
    return [cut(line, width) for line in lines]


def _block(value: float, most: float) -> str:
    """`▁` to `█` for what is held, `·` for nothing."""
    if most <= 0 or value <= 0:
        return "·"
    return _BLOCKS[min(len(_BLOCKS), math.ceil(len(_BLOCKS) * value / most)) - 1]


def _thinned(row: Sequence[float], room: int) -> Sequence[float]:
    """At most `room` values: the largest of as many neighbours as share a cell."""
    if len(row) <= room:
        return row
    edges = [round(i * len(row) / room) for i in range(room + 1)]
    return [max(row[a:b]) for a, b in itertools.pairwise(edges)]


def _chart(
    lines: Mapping[str, Sequence[float]], width: int, language: Language, unit: Unit
) -> list[str]:
    letters = dict(zip(lines, _letters(len(lines)), strict=True))
    top = max(max(line) for line in lines.values())
    bottom = min(0.0, *(min(line) for line in lines.values()))
    longest = max(map(len, lines.values()))
    marks = [bottom + (top - bottom) * i / (_TALL - 1) for i in range(_TALL)]
    names = [format_number(mark, unit) for mark in marks]
    if len(set(names)) == len(marks):
        body = _plot(
            {letters[label]: line for label, line in lines.items()},
            width - 2,
            dict(zip(marks, names, strict=True)),
            longest,
        )
    else:  # a flat line has no vertical axis worth drawing
        body = [f"  {letter} = {format_number(top, unit)}" for letter in letters.values()]
    legend = "   ".join(f"{letter} {label}" for label, letter in letters.items())
    across = _ALONG.pick(language).format(points=longest)
    return [*body, *wrap(f"{legend}   {across}", width, indent="  ")]


def _letters(count: int) -> str:
    """Digits for as many curves as ranks usually are, then letters."""
    return (string.digits + string.ascii_lowercase + string.ascii_uppercase)[:count]


def _plot(
    lines: Mapping[str, Sequence[float]],
    width: int,
    marks: Mapping[float, str],
    longest: int,
) -> list[str]:
    """The chart alone. plotext draws it on one figure of its own, without colour."""
    import plotext

    figure = plotext.figure
    plotext.terminal.limit(False, False)  # the width is ours to say, not the terminal's
    figure.clear()
    figure.theme("colorless")
    figure.plot_size(width, HEIGHT)
    for letter, line in lines.items():
        figure.draw(figure.signal(list(range(len(line))), list(line), marker=letter).lines())
    figure.ruler("y").ticks(list(marks), list(marks.values()))
    figure.ruler("y").lim(min(marks), max(marks))
    last = max(1, longest - 1)
    figure.ruler("x").lim(0, last)
    figure.ruler("x").ticks([0, last], ["1", str(longest)])
    text: str = plotext.uncolorize(str(figure.build()))
    figure.clear()
    return [f" {line}".rstrip() for line in text.splitlines()]
