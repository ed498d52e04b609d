"""The traffic matrix as a heat map and, where payload goes round, as a ring."""

from __future__ import annotations

import math

from verify.evidence import number_json
from verify.quantities import Measured
from verify.report.svg.drawing import Picture, number
from verify.report.traffic import NEGLIGIBLE, ring_of, rows_of
from verify.text import Language, Text, verbatim
from verify.units import format_size

_TITLE = Text(ja="だれがだれに送ったか", en="Who sent to whom")
_RING = Text(ja="送信の順: リング", en="The way of the payload: a ring")
_WITH_FIGURES = 8  # ranks; more are told apart by shade
_LABEL = 26
_DARK = 0.55  # of the busiest pair: from here on figures are light


def heat_map(matrix: Measured, language: Language) -> str:
    """Shades in proportion to the bytes that each rank sent to each other one.

    What is below a hundredth of the busiest pair (acknowledgements, heads) is left blank. Nothing
    where nothing was sent.
    """
    rows = rows_of(matrix)
    size = len(rows)
    busiest = max((value for row in rows for value in row), default=0.0)
    if busiest <= 0:
        return ""
    figures = size <= _WITH_FIGURES
    width, height = (72, 26) if figures else (16, 16)
    picture = Picture(
        "traffic",
        _LABEL + size * width,
        _LABEL + size * height,
        _TITLE,
        language,
        _description(rows, busiest),
    )
    picture.add(
        "rect", class_="ground", x=_LABEL, y=_LABEL, width=size * width, height=size * height
    )
    for rank in range(size):
        picture.add("text", f"→{rank}", class_="mid", x=_LABEL + (rank + 0.5) * width, y=17)
        picture.add("text", f"{rank}→", x=0, y=_LABEL + (rank + 0.5) * height + 4)
    for sender, row in enumerate(rows):
        for receiver, value in enumerate(row):
            if value <= NEGLIGIBLE * busiest:
                continue
            left, top = _LABEL + receiver * width, _LABEL + sender * height
            picture.add(
                "rect",
                class_="sent",
                x=left + 1,
                y=top + 1,
                width=width - 2,
                height=height - 2,
                fill_opacity=value / busiest,
                data_from=sender,
                data_to=receiver,
                data_value=number_json(matrix.at(sender, receiver).value),
            )
            if figures:
                picture.add(
                    "text",
                    format_size(value),
                    class_="mid on" if value > _DARK * busiest else "mid",
                    x=left + width / 2,
                    y=top + height / 2 + 4,
                )
    return str(picture)


def ring(matrix: Measured, language: Language) -> str:
    """The ranks on a circle in the order in which payload travels; nothing if that's no ring."""
    rows = rows_of(matrix)
    order = ring_of(rows)
    if order is None:
        return ""
    radius = max(60.0, 7.5 * len(order))  # the size stands inside, even of a triangle
    side = 2 * (radius + 18)
    path = " → ".join(map(str, (*order, order[0])))
    picture = Picture("ring", side, side, _RING, language, verbatim(path))
    arrows = picture.add("path", class_="arrow")
    lines = []
    for place, rank in enumerate(order):
        here, there = (_point(p, len(order), radius, side / 2) for p in (place, place + 1))
        lines.append(_arrow(here, there, gap=15))
        picture.add("circle", cx=here[0], cy=here[1], r=12)
        picture.add("text", str(rank), class_="mid", x=here[0], y=here[1] + 4)
    arrows.set("d", "".join(lines))
    sizes = {format_size(max(row)) for row in rows}
    if len(sizes) == 1:
        picture.add("text", sizes.pop(), class_="mid", x=side / 2, y=side / 2 + 4)
    return str(picture)


def _point(place: int, count: int, radius: float, centre: float) -> tuple[float, float]:
    """Clockwise from the top."""
    angle = 2 * math.pi * place / count
    return centre + radius * math.sin(angle), centre - radius * math.cos(angle)


def _arrow(start: tuple[float, float], end: tuple[float, float], gap: float) -> str:
    """A line that keeps `gap` from both points, with a head."""
    (x1, y1), (x2, y2) = start, end
    length = math.hypot(x2 - x1, y2 - y1)
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    tail = (x1 + gap * dx, y1 + gap * dy)
    tip = (x2 - gap * dx, y2 - gap * dy)
    wings = [(tip[0] - 6 * dx + s * 4 * dy, tip[1] - 6 * dy - s * 4 * dx) for s in (1, -1)]
    points = [tail, tip, wings[0], tip, wings[1]]
    return "".join(
        f"{'M' if i in (0, 2) else 'L'}{number(x)} {number(y)}" for i, (x, y) in enumerate(points)
    )


def _description(rows: list[list[float]], busiest: float) -> Text:
    """`0 → 1: 6.00 MiB; …`, every pair that is drawn."""
    return verbatim(
        "; ".join(
            f"{sender} → {receiver}: {format_size(value)}"
            for sender, row in enumerate(rows)
            for receiver, value in enumerate(row)
            if value > NEGLIGIBLE * busiest
        )
    )
