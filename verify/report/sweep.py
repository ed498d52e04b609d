"""A sweep as text: one experiment run with several values of its parameters.

    microbatches
         1  ████████████████████│  0.75     3/4 = 0.75     confirmed
         2  ████████████████│      0.6      3/5 = 0.6      confirmed

The bar is what was measured, the mark where the law expects it to end. Which law is drawn: the
first of the experiment's laws that states an equality and whose expected value changes along the
sweep; if there is none, the first whose measured value changes; else the first law. All the laws
whose values change follow in a table with a column for each run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from verify.claims import Judgement, Verdict, in_words, meanings_of, render, signature
from verify.claims.side import Side, format_number
from verify.evidence import Evidence
from verify.experiment import Experiment, Value
from verify.laws import JudgedLaw, words_of
from verify.quantities import Interval
from verify.report import ledger
from verify.report.columns import cells, cut, pad, wrap
from verify.report.plain import plain
from verify.report.run import Look, joined
from verify.text import Language, Text
from verify.units import BYTE, format_size

Runs = Sequence[tuple[Evidence, Sequence[JudgedLaw]]]

_SHORTEST_BAR = 12  # cells; with less room the figures stand below the bars
_LONGEST_BAR = 40
_LEGEND = Text(ja="█ 測定   │ 期待", en="█ measured   │ expected")
_LARGEST_RANK = Text(ja="(ランクの最大値)", en="(the largest of the ranks)")
_OTHERS = Text(ja="測定値の一覧", en="everything measured that changes")
_MARKS = Text(ja="! 反証   ? 判定できず", en="! refuted   ? undecided")
_MEASURED = Text(ja="測定", en="measured")
_EXPECTED = Text(ja="期待", en="expected")
_AT = Text(ja="{verdict} ({point})  {words}", en="{verdict} ({point})  {words}")
_EVERYWHERE = Text(ja="すべての実行", en="every run")
_RUNS = Text(ja="{n} 回の実行", en="{n} runs")
_SECONDS = Text(ja="{s} 秒", en="{s} s")
_SIGN = {Verdict.CONFIRMED: "", Verdict.REFUTED: "!", Verdict.UNDECIDED: "?"}


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


def swept(parameters: Sequence[Mapping[str, Value]]) -> tuple[str, ...]:
    """The parameters that have more than one value."""
    first = parameters[0]
    return tuple(name for name in first if len({p[name] for p in parameters}) > 1)


def point(parameters: Mapping[str, Value], names: Sequence[str], experiment: Experiment) -> str:
    """`microbatches=8`, `ranks=4 payload=4.00 MiB`: where on a sweep a run lies."""
    return " ".join(f"{name}={_shown(parameters[name], name, experiment)}" for name in names)


def _shown(value: Value, name: str, experiment: Experiment) -> str:
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


def draw(runs: Runs, experiment: Experiment, look: Look) -> list[str]:
    """The whole report of a sweep, in lines of at most `look.width` cells."""
    names = swept([evidence.parameters for evidence, _ in runs])
    found = series(runs, experiment)
    drawn = chosen(found)
    blocks = [_headline(runs, experiment, look)]
    if drawn is not None:
        blocks.append(_bars(drawn, runs, names, experiment, look))
        blocks.append(_table(found, runs, names, experiment, look))
    blocks.append(_exceptions(runs, names, experiment, look))
    lines = [*joined(blocks), ""]
    return plain(lines) if look.ascii_only else lines


def _headline(runs: Runs, experiment: Experiment, look: Look) -> list[str]:
    names = swept([evidence.parameters for evidence, _ in runs])
    first = runs[0][0]
    fixed = point(first.parameters, [n for n in first.parameters if n not in names], experiment)
    seconds = sum(evidence.seconds for evidence, _ in runs)
    ranks = sorted({evidence.world.ranks for evidence, _ in runs})
    span = str(ranks[0]) if len(ranks) == 1 else f"{ranks[0]}–{ranks[-1]}"
    where = [
        _RUNS.pick(look.language).format(n=len(runs)),
        Text(ja=f"{span} ランク", en=f"{span} ranks").pick(look.language),
        first.world.backend,
        first.world.device,
        first.world.launcher,
        _SECONDS.pick(look.language).format(s=f"{seconds:.2f}"),
    ]
    lines = wrap(f"{first.experiment}   {fixed}", look.width, indent=" ")
    lines += wrap(" · ".join(where), look.width, indent=" ")
    if first.fault is not None:
        lines += wrap(f"--fault {first.fault}", look.width, indent=" ")
    return lines


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


def _bars(
    drawn: Series, runs: Runs, names: Sequence[str], experiment: Experiment, look: Look
) -> list[str]:
    columns = [
        [_shown(evidence.parameters[name], name, experiment) for evidence, _ in runs]
        for name in names
    ]
    judgements = [None if law is None else law.judgement for law in drawn.laws]
    lines = wrap(_title(drawn, experiment, look.language), look.width, indent=" ")
    figures = [_figures(judgement) for judgement in judgements]
    short = [(_decimal(measured), _decimal(expected)) for measured, expected in figures]
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


def _decimal(figure: str) -> str:
    """`3/11 = 0.2727` without its fraction."""
    return figure.rsplit(" = ", maxsplit=1)[-1]


def _cell(law: JudgedLaw | None) -> str:
    """A measured value, as short as can be: `0.75`, `6.00 MiB`, over the ranks `1–4`."""
    if law is None or law.judgement.left is None:
        return "–"
    side = law.judgement.left

    def one(interval: Interval) -> str:
        return _decimal(format_number(interval.value, side.unit))

    low, high = (one(pick(side.values, key=lambda v: v.value)) for pick in (min, max))
    return (low if low == high else f"{low}–{high}") + _SIGN[law.judgement.verdict]


def _table(
    found: Sequence[Series],
    runs: Runs,
    names: Sequence[str],
    experiment: Experiment,
    look: Look,
) -> list[str]:
    """Every series that changes: a row each, a column for each run, in bands where it's wide."""
    changing = [s for s in found if s.moves("left") or s.moves("right")]
    if not changing:
        return []
    heads = [
        [_shown(evidence.parameters[name], name, experiment) for evidence, _ in runs]
        for name in names
    ]
    body = [[_cell(law) for law in s.laws] for s in changing]
    labels = [*names, *(s.name for s in changing)]
    margin = min(max(map(cells, labels)), max(12, look.width // 3))
    rows = [*heads, *body]
    widths = [max(cells(row[i]) for row in rows) for i in range(len(runs))]
    lines = wrap(_OTHERS.pick(look.language), look.width, indent=" ")
    start = 0
    while start < len(runs):
        stop, used = start + 1, 1 + margin + 2 + widths[start]
        while stop < len(runs) and used + 2 + widths[stop] <= look.width:
            used, stop = used + 2 + widths[stop], stop + 1
        if start:
            lines.append("")
        for label, row in zip(labels, rows, strict=True):
            line = f" {pad(cut(label, margin), margin)}" + "".join(
                "  " + pad(row[i], widths[i], right=True) for i in range(start, stop)
            )
            lines.append(cut(line, look.width).rstrip())
        start = stop
    if any(cell.endswith(("!", "?")) for row in body for cell in row):
        lines += wrap(_MARKS.pick(look.language), look.width, indent=" ")
    return lines


def _exceptions(runs: Runs, names: Sequence[str], experiment: Experiment, look: Look) -> list[str]:
    """Every law that isn't confirmed, with the runs in which it isn't and the first reason."""
    language, lines = look.language, []
    off: dict[tuple[str, Verdict], list[tuple[str, JudgedLaw]]] = {}
    for evidence, judged in runs:
        where = point(evidence.parameters, names, experiment)
        for law in judged:
            if law.judgement.verdict is not Verdict.CONFIRMED:
                key = render(law.claim), law.judgement.verdict
                off.setdefault(key, []).append((where, law))
    for (_, verdict), found in off.items():
        law = found[0][1]
        words = words_of(law.claim, language, {None: experiment})
        if reason := law.judgement.reason:
            words += f" ({reason.pick(language)})"
        where = ", ".join(where for where, _ in found)
        if len(found) == len(runs):
            where = _EVERYWHERE.pick(language)
        said = _AT.pick(language).format(
            verdict=ledger.VERDICTS[verdict].pick(language), point=where, words=words
        )
        lines += wrap(said, look.width, indent=" ", hanging="   ")
    return lines
