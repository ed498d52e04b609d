"""One law along a sweep, as bars: what was measured against where the law expects the bar to end.

    microbatches
         1  ████████████████████│  0.75     3/4 = 0.75     confirmed
         2  ████████████████│      0.6      3/5 = 0.6      confirmed

Which law is drawn: the first of the experiment's laws that states an equality and whose expected
value changes along the sweep; if there is none, the first whose measured value changes; else the
first law.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from verify.claims import Judgement, in_words, meanings_of, render, signature
from verify.claims.side import Side, format_number
from verify.evidence import Evidence
from verify.experiment import Experiment
from verify.laws import JudgedLaw, words_of
from verify.quantities import Interval, Value
from verify.report import ledger
from verify.report.columns import cells, cut, pad, wrap
from verify.report.run import Look
from verify.text import Language, Text
from verify.units import BYTE, format_size

Runs = Sequence[tuple[Evidence, Sequence[JudgedLaw]]]
"""A sweep: the evidence of each run with its laws."""

_SHORTEST_BAR = 12  # cells; with less room the figures stand below the bars
_LONGEST_BAR = 40
_LEGEND = Text(ja="█ 測定   │ 期待", en="█ measured   │ expected")
_LARGEST_RANK = Text(ja="(ランクの最大値)", en="(the largest of the ranks)")
_MEASURED = Text(ja="測定", en="measured")
_EXPECTED = Text(ja="期待", en="expected")


@dataclass(frozen=True)
class Series:
    """One statement along the sweep: the same left side, judged in each run that has such a law."""

    name: str  # the left side, as the claim writes it
    laws: tuple[JudgedLaw | None, ...]  # one for each run

    @property
    def judged(self) -> list[JudgedLaw]:
        return [law for law in self.laws if law is not None]

    def moves(self, side: str) -> bool:
        """Whether the `left` or the `right` side changes along the sweep."""
        sides = [getattr(law.judgement, side) for law in self.judged]
        values = {tuple(v.value for v in s.values) for s in sides if s is not None}
        # Ranks are counted apart: a vector that is only longer hasn't changed.
        return len({frozenset(column) for column in values}) > 1


def shown(value: Value, name: str, experiment: Experiment) -> str:
    """A parameter for reading: sizes with a prefix."""
    sizes = {p.name for p in experiment.parameters() if p.unit == BYTE}
    return format_size(int(value)) if name in sizes else str(value)


def series(runs: Runs, experiment: Experiment) -> list[Series]:
    """The equalities of the experiment along the sweep, in its own order."""
    order = [law.claim for law in experiment.laws]
    judged = [
        {render(law.claim.left): law for law in reversed(laws) if law.claim.comparison == "=="}
        for _, laws in runs
    ]
    names = {name: law.law.claim for laws in judged for name, law in laws.items()}
    return [
        Series(name, tuple(laws.get(name) for laws in judged))
        for name in sorted(names, key=lambda name: order.index(names[name]))
    ]


def chosen(found: Sequence[Series]) -> Series | None:
    """The series that is drawn."""
    candidates: Iterator[Series] = iter(
        [
            *(s for s in found if s.moves("right")),
            *(s for s in found if s.moves("left")),
            *found,
        ]
    )
    return next(candidates, None)


def _largest(side: Side | None) -> Interval | None:
    return None if side is None else max(side.values, key=lambda v: v.value)


def _length(side: Side | None) -> float:
    largest = _largest(side)
    return 0.0 if largest is None else max(0.0, float(largest.value))


def bar(judgement: Judgement | None, whole: float, width: int) -> str:
    """`██████│`: measured as filled cells, the expected end as a mark, in exactly `width` cells."""

    def place(side: Side | None) -> int:
        return round((width - 1) * min(1.0, _length(side) / whole)) if whole > 0 else 0

    if judgement is None:
        return " " * width
    measured = place(judgement.left)
    line = ["█"] * measured + [" "] * (width - measured)
    if judgement.right is not None:
        line[place(judgement.right)] = "│"
    return "".join(line)


def draw(
    drawn: Series, runs: Runs, names: Sequence[str], experiment: Experiment, look: Look
) -> list[str]:
    """The law in words, a bar for each run, what the signs mean."""
    columns = [
        [shown(evidence.parameters[name], name, experiment) for evidence, _ in runs]
        for name in names
    ]
    judgements = [None if law is None else law.judgement for law in drawn.laws]
    lines = wrap(_title(drawn, experiment, look.language), look.width, indent=" ")
    figures = [_figures(judgement) for judgement in judgements]
    short = [(decimal(measured), decimal(expected)) for measured, expected in figures]
    lines += (
        _wide(names, columns, judgements, figures, look)
        or _wide(names, columns, judgements, short, look)
        or _tight(names, columns, judgements, short, look)
    )
    return [*lines, *wrap(_LEGEND.pick(look.language), look.width, indent=" ")]


def _title(drawn: Series, experiment: Experiment, language: Language) -> str:
    """The law in words, or its left side where the right one isn't the same in all runs."""
    claim = drawn.judged[0].claim
    if len({render(law.claim) for law in drawn.judged}) == 1:
        title = words_of(claim, language, {None: experiment})
    else:
        meanings = meanings_of({None: experiment})
        title = in_words(claim.left, language, meanings, signature(experiment))
    sides = [s for law in drawn.judged for s in (law.judgement.left, law.judgement.right)]
    several = any(
        side is not None and len({format_number(v.value, side.unit) for v in side.values}) > 1
        for side in sides
    )
    return f"{title} {_LARGEST_RANK.pick(language)}" if several else title


def _wide(
    names: Sequence[str],
    columns: Sequence[Sequence[str]],
    judgements: Sequence[Judgement | None],
    figures: Sequence[tuple[str, str]],
    look: Look,
) -> list[str]:
    """A line for each run under a line of heads; nothing where the bars would get no room."""
    heads = [*names, _MEASURED.pick(look.language), _EXPECTED.pick(look.language)]
    cells_of = [*columns, [f[0] for f in figures], [f[1] for f in figures]]
    widths = [max(map(cells, (h, *c))) for h, c in zip(heads, cells_of, strict=True)]
    verdict = max(cells(v.pick(look.language)) for v in ledger.VERDICTS.values())
    room = look.width - 1 - sum(w + 2 for w in widths) - 2 - verdict
    if room < _SHORTEST_BAR:
        return []
    room = min(_LONGEST_BAR, room)

    def line(texts: Sequence[str], drawing: str, mark: str) -> str:
        padded = [pad(t, w, right=True) for t, w in zip(texts, widths, strict=True)]
        before, after = padded[: len(names)], padded[len(names) :]
        return (" " + "  ".join([*before, drawing, *after, mark])).rstrip()

    lines = [line(heads, " " * room, "")]
    whole = _whole(judgements)
    for i, judgement in enumerate(judgements):
        texts = [column[i] for column in cells_of]
        drawing = bar(judgement, whole, room)
        lines.append(line(texts, drawing, _mark(judgement, look)))
    return lines


def _tight(
    names: Sequence[str],
    columns: Sequence[Sequence[str]],
    judgements: Sequence[Judgement | None],
    figures: Sequence[tuple[str, str]],
    look: Look,
) -> list[str]:
    """Two lines for each run: the bar beside its parameters, the figures below."""
    points = [" ".join(column[i] for column in columns) for i in range(len(judgements))]
    margin = min(max(map(cells, points), default=0), look.width // 2)
    indent = " " * (1 + margin + 2)
    whole, room = _whole(judgements), max(1, look.width - len(indent) - 1)
    lines = [cut(" " + " ".join(names), look.width)]
    for label, judgement, (measured, expected) in zip(points, judgements, figures, strict=True):
        start = f" {pad(cut(label, margin), margin, right=True)}  "
        lines.append((start + bar(judgement, whole, room)).rstrip())
        if judgement is not None:
            lines += wrap(f"{measured} / {expected}", look.width, indent=indent)
            if cells(lines[-1]) + 12 <= look.width:
                lines[-1] += f"  {_mark(judgement, look)}"
            else:
                lines.append(indent + _mark(judgement, look))
    return lines


def _whole(judgements: Sequence[Judgement | None]) -> float:
    """What the longest bar stands for."""
    sides = [side for j in judgements if j is not None for side in (j.left, j.right)]
    return max(map(_length, sides), default=0.0)


def _mark(judgement: Judgement | None, look: Look) -> str:
    if judgement is None:
        return ""
    text = ledger.VERDICTS[judgement.verdict].pick(look.language)
    return f"\x1b[{ledger.COLOURS[judgement.verdict]}m{text}\x1b[0m" if look.colour else text


def _figures(judgement: Judgement | None) -> tuple[str, str]:
    """What was measured and what was expected; of ranks that differ, the largest."""
    if judgement is None:
        return "–", "–"

    def one(side: Side | None) -> str:
        largest = _largest(side)
        return "–" if side is None or largest is None else format_number(largest.value, side.unit)

    return one(judgement.left), one(judgement.right)


def decimal(figure: str) -> str:
    """`3/11 = 0.2727` without its fraction."""
    return figure.rsplit(" = ", maxsplit=1)[-1]
