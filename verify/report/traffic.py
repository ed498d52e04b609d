"""The traffic matrix as text: who sent how much to whom, and the ring where there is one."""

from __future__ import annotations

from collections.abc import Sequence

from verify.quantities import Measured
from verify.report.columns import cells, pad, wrap
from verify.text import Language, Text
from verify.units import PREFIXES

_TITLE = Text(ja="だれがだれに送ったか ({unit})", en="who sent to whom ({unit})")
_SHADED = Text(
    ja="だれがだれに送ったか (9 = {most})",
    en="who sent to whom (9 = {most})",
)
_RING = Text(ja="リング", en="a ring")
NEGLIGIBLE = 0.01  # of the busiest pair: acknowledgements and message heads


def ring_of(matrix: Sequence[Sequence[float]]) -> tuple[int, ...] | None:
    """The ranks in the order in which payload travels, if it is one ring over all of them.

    Of two ranks that send to each other nobody would say so.
    """
    size = len(matrix)
    if size < 3:
        return None
    following = []
    for row in matrix:
        most = max(row)
        if most <= 0 or sum(value > NEGLIGIBLE * most for value in row) != 1:
            return None
        following.append(row.index(most))
    order = [0]
    while (after := following[order[-1]]) != 0:
        if after in order or len(order) == size:
            return None
        order.append(after)
    return tuple(order) if len(order) == size else None


def rows_of(quantity: Measured) -> list[list[float]]:
    """The matrix as numbers, one row per sender."""
    size = quantity.ranks
    return [[float(quantity.at(i, j).value) for j in range(size)] for i in range(size)]


def _scale(most: float) -> tuple[str, int]:
    name = next((n for n in ("GiB", "MiB", "KiB") if most >= PREFIXES[n]), "B")
    return name, PREFIXES[name]


def draw(
    quantity: Measured, width: int, language: Language, *, ascii_only: bool = False
) -> list[str]:
    """Lines of at most `width` cells. Each row is a sender, each column a receiver."""
    matrix = rows_of(quantity)
    most = max(max(row) for row in matrix)
    unit, divisor = _scale(most)
    dot, arrow = (".", ">") if ascii_only else ("·", "→")

    def figure(value: float) -> str:
        return f"{value / divisor:.2f}" if value > NEGLIGIBLE * most else dot

    column = max(cells(figure(value)) for row in matrix for value in row) + 2
    margin = 7
    if margin + column * len(matrix) <= width:
        title = _TITLE.pick(language).format(unit=unit)
        body = [[figure(value) for value in row] for row in matrix]
    else:
        # Too many ranks for figures: a tenth of the busiest pair per step.
        column = 2 if margin + 2 * len(matrix) <= width else 1
        title = _SHADED.pick(language).format(most=f"{most / divisor:.2f} {unit}")
        body = [
            [str(min(9, int(10 * v / most))) if v > NEGLIGIBLE * most else dot for v in row]
            for row in matrix
        ]
    head = pad(arrow, margin, right=True) + "".join(
        pad(str(j) if column > 1 else str(j % 10), column, right=True) for j in range(len(matrix))
    )
    lines = [*wrap(title, width, indent=" "), head]
    for index, row in enumerate(body):
        lines.append(
            pad(str(index), margin, right=True) + "".join(pad(c, column, right=True) for c in row)
        )
    if (ring := ring_of(matrix)) is not None:
        path = f" {arrow} ".join(map(str, (*ring, ring[0])))
        line = f"{' ' * margin}{path}   {_RING.pick(language)}"
        if cells(line) <= width:
            lines.append(line)
    return lines
