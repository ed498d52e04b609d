"""Claims as a table: expected, measured, difference, verdict; stacked in a narrow window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from verify.claims import Judgement, Side, Verdict
from verify.quantities import Interval
from verify.report.columns import cells, pad, wrap
from verify.text import Language, Text

VERDICTS: dict[Verdict, Text] = {
    Verdict.CONFIRMED: Text(ja="確認", en="confirmed"),
    Verdict.REFUTED: Text(ja="反証", en="refuted"),
    Verdict.UNDECIDED: Text(ja="判定できず", en="undecided"),
}
_EXPECTED = Text(ja="期待", en="expected")
_MEASURED = Text(ja="測定", en="measured")
_COUNTED = Text(ja="計数", en="counted")
_DIFFERENCE = Text(ja="差", en="difference")
NARROW = 72
_MANY_GROUPS = 2
COLOURS = {Verdict.CONFIRMED: "32", Verdict.REFUTED: "31", Verdict.UNDECIDED: "33"}


@dataclass(frozen=True, slots=True)
class Line:
    """One claim of the table. `label` is a letter, a role or nothing."""

    label: str
    words: str
    comparison: str
    judgement: Judgement
    counted: bool = False  # in a world that only counts, so that nothing was measured


def figure(side: Side | None, comparison: str = "==") -> str:
    """A side of a claim, short: what all ranks share, a few groups of ranks, or a range.

    Of ranks that are compared with a bound, the one nearest to breaking it speaks for all.
    """
    if side is None:
        return "–"

    def one(pick: Callable[..., Interval]) -> str:
        return Side((pick(side.values, key=lambda v: v.value),), side.unit).show()

    if len({(v.low, v.value, v.high) for v in side.values}) == 1:
        return one(min)
    if comparison in ("<", "<="):
        return one(max)
    if comparison in (">", ">="):
        return one(min)
    shown = side.show()
    return shown if shown.count(",") < _MANY_GROUPS else f"{one(min)} … {one(max)}"


def difference(comparison: str, judgement: Judgement) -> str:
    """How far the left side is from the right one: the farthest rank, relative where it can be.

    Only of an equality: how far a value is below a bound says nothing.
    """
    left, right = judgement.left, judgement.right
    if comparison != "==" or left is None or right is None:
        return "–"
    pairs = (
        list(zip(left.values, right.values, strict=False))
        if len(left.values) == len(right.values)
        else [(value, right.values[0]) for value in left.values]
    )
    gaps = [(float(a.value) - float(b.value), float(b.value)) for a, b in pairs]
    gap, base = max(gaps, key=lambda pair: abs(pair[0]))
    if gap == 0:
        return "0"
    if base == 0:
        return "–"
    relative = gap / abs(base)
    if abs(relative) >= 10:
        return f"× {1 + relative:.3g}"
    return f"{100 * relative:+.2f} %" if abs(relative) >= 5e-5 else f"{relative:+.1e}"


def draw(
    lines: Sequence[Line], width: int, language: Language, *, colour: bool = False
) -> list[str]:
    """Lines of at most `width` cells."""
    if width < NARROW:
        return [text for line in lines for text in _stacked(line, width, language, colour)]
    figures = [
        (
            figure(line.judgement.right),
            figure(line.judgement.left, line.comparison),
            difference(line.comparison, line.judgement),
        )
        for line in lines
    ]
    found = _COUNTED if any(line.counted for line in lines) else _MEASURED
    heads = tuple(t.pick(language) for t in (_EXPECTED, found, _DIFFERENCE))
    widths = [max(cells(row[i]) for row in [heads, *figures]) for i in range(3)]
    mark = max(cells(VERDICTS[line.judgement.verdict].pick(language)) for line in lines)
    label = max(cells(line.label) for line in lines)
    words = width - sum(widths) - mark - label - 2 * 5 - 1
    if words < 24:
        return [text for line in lines for text in _stacked(line, width, language, colour)]
    margin = 1 + label + 2
    output = [
        (
            " " * (margin + words)
            + "".join("  " + pad(h, w, right=True) for h, w in zip(heads, widths, strict=True))
        )
    ]
    for line, row in zip(lines, figures, strict=True):
        wrapped = wrap(line.words, words)
        first = f" {pad(line.label, label)}  {pad(wrapped[0], words)}{_aligned(row, widths)}  "
        output.append(first + _mark(line.judgement.verdict, language, colour))
        output.extend(" " * margin + more for more in wrapped[1:])
        output.extend(_reason(line, margin, width, language))
    return output


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    return "".join("  " + pad(c, w, right=True) for c, w in zip(row, widths, strict=True))


def _mark(verdict: Verdict, language: Language, colour: bool) -> str:
    text = VERDICTS[verdict].pick(language)
    return f"\x1b[{COLOURS[verdict]}m{text}\x1b[0m" if colour else text


def _reason(line: Line, margin: int, width: int, language: Language) -> list[str]:
    reason = line.judgement.reason
    if reason is None or line.judgement.verdict is not Verdict.UNDECIDED:
        return []
    return wrap(reason.pick(language), width, indent=" " * margin)


def _stacked(line: Line, width: int, language: Language, colour: bool) -> list[str]:
    head = f" {line.label}  " if line.label else " "
    lines = wrap(line.words, width, indent=head)
    margin = " " * (cells(head) + 2)
    parts = [
        f"{_EXPECTED.pick(language)} {figure(line.judgement.right)}",
        f"{(_COUNTED if line.counted else _MEASURED).pick(language)} "
        f"{figure(line.judgement.left, line.comparison)}",
    ]
    joined = margin + "   ".join(parts)
    lines.extend([joined] if cells(joined) <= width else [margin + part for part in parts])
    lines.append(margin + _mark(line.judgement.verdict, language, colour))
    return [*lines, *_reason(line, cells(margin), width, language)]
