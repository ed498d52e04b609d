"""A sweep as text: one experiment run with several values of its parameters.

One law is drawn as bars (`verify.report.bars` says which); all the laws whose values change follow
in a table with a column for each run, then those that aren't confirmed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from verify.claims import Verdict, render
from verify.claims.side import format_number
from verify.experiment import Experiment
from verify.laws import JudgedLaw, words_of
from verify.quantities import Interval, Value
from verify.report import bars, ledger
from verify.report.bars import Runs, Series, chosen, decimal, series, shown
from verify.report.columns import cells, cut, pad, wrap
from verify.report.plain import plain
from verify.report.run import Look, joined
from verify.text import Text

_OTHERS = Text(ja="測定値の一覧", en="everything measured that changes")
_MARKS = Text(ja="! 反証   ? 判定できず", en="! refuted   ? undecided")
_AT = Text(ja="{verdict} ({point})  {words}", en="{verdict} ({point})  {words}")
_EVERYWHERE = Text(ja="すべての実行", en="every run")
_RUNS = Text(ja="{n} 回の実行", en="{n} runs")
_SECONDS = Text(ja="{s} 秒", en="{s} s")
_SIGN = {Verdict.CONFIRMED: "", Verdict.REFUTED: "!", Verdict.UNDECIDED: "?"}


def swept(parameters: Sequence[Mapping[str, Value]]) -> tuple[str, ...]:
    """The parameters that have more than one value."""
    first = parameters[0]
    return tuple(name for name in first if len({p[name] for p in parameters}) > 1)


def point(parameters: Mapping[str, Value], names: Sequence[str], experiment: Experiment) -> str:
    """`microbatches=8`, `ranks=4 payload=4.00 MiB`: where on a sweep a run lies."""
    return " ".join(f"{name}={shown(parameters[name], name, experiment)}" for name in names)


def draw(runs: Runs, experiment: Experiment, look: Look) -> list[str]:
    """The whole report of a sweep, in lines of at most `look.width` cells."""
    names = swept([evidence.parameters for evidence, _ in runs])
    found = series(runs, experiment)
    drawn = chosen(found)
    blocks = [_headline(runs, experiment, look)]
    if drawn is not None:
        blocks.append(bars.draw(drawn, runs, names, experiment, look))
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


def _cell(law: JudgedLaw | None) -> str:
    """A measured value, as short as can be: `0.75`, `6.00 MiB`, over the ranks `1–4`."""
    if law is None or law.judgement.left is None:
        return "–"
    side = law.judgement.left

    def one(interval: Interval) -> str:
        return decimal(format_number(interval.value, side.unit))

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
        [shown(evidence.parameters[name], name, experiment) for evidence, _ in runs]
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
