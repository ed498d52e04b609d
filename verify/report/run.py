"""One run as text: its laws, its quantities, its pictures; from the evidence record alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verify.claims import Side, Verdict
from verify.evidence import Evidence
from verify.experiment import Experiment
from verify.laws import JudgedLaw, words_of
from verify.quantities import Measured, Shape, Source, Unmeasured
from verify.report import bubble, curves, gantt, ledger, traffic
from verify.report.columns import table, wrap
from verify.report.plain import plain
from verify.text import Language, Text
from verify.units import BYTE, format_size

SOURCES = {
    Source.MEASURED: Text(ja="測定", en="measured"),
    Source.COUNTED: Text(ja="計数", en="counted"),
    Source.DERIVED: Text(ja="導出", en="derived"),
}
_RANKS = Text(ja="{n} ランク", en="{n} ranks")
_SECONDS = Text(ja="{s} 秒", en="{s} s")
_COUNTED_ONLY = Text(
    ja="計数のみ: 1 プロセスが 1 ランクの呼び出しを数えたもので、実際の通信は測っていません",
    en="counted, not measured: one process counts the calls of one rank; nothing is sent",
)
_UNNOTICED = Text(
    ja="ここに挙げた法則は、この故障では崩れません。",
    en="No law here is refuted by this fault.",
)
_FAULT = Text(ja="故障 {fault} を入れて実行", en="run with the fault {fault}")


@dataclass(frozen=True, slots=True)
class Look:
    """How to draw: passed in, never looked up."""

    width: int
    language: Language
    colour: bool = False
    ascii_only: bool = False


def settings(evidence: Evidence, experiment: Experiment) -> str:
    """The parameters of a run in one line, sizes with a prefix."""
    sizes = {p.name for p in experiment.parameters() if p.unit == BYTE}
    return " ".join(
        f"{name}={format_size(int(value)) if name in sizes else value}"
        for name, value in evidence.parameters.items()
    )


def headline(evidence: Evidence, experiment: Experiment, look: Look) -> list[str]:
    """What ran, where, and how long it took."""
    given = settings(evidence, experiment)
    world = evidence.world
    where = " · ".join(
        [
            _RANKS.pick(look.language).format(n=world.ranks),
            world.backend,
            world.device,
            world.launcher,
            _SECONDS.pick(look.language).format(s=f"{evidence.seconds:.2f}"),
        ]
    )
    lines = wrap(f"{evidence.experiment}   {given}", look.width, indent=" ")
    lines += wrap(where, look.width, indent=" ")
    if world.only_counts:
        lines += wrap(_COUNTED_ONLY.pick(look.language), look.width, indent=" ")
    if evidence.fault is not None:
        lines += wrap(
            _FAULT.pick(look.language).format(fault=evidence.fault), look.width, indent=" "
        )
    return lines


def laws(
    judged: Sequence[JudgedLaw], experiment: Experiment, look: Look, *, counted: bool = False
) -> list[str]:
    """The laws as a table of expected and measured."""
    if not judged:
        return []
    rows = [
        ledger.Line(
            "",
            words_of(j.claim, look.language, {None: experiment}),
            j.claim.comparison,
            j.judgement,
            counted,
        )
        for j in judged
    ]
    return ledger.draw(rows, look.width, look.language, colour=look.colour)


def unnoticed(evidence: Evidence, judged: Sequence[JudgedLaw], look: Look) -> list[str]:
    """A word where a fault was asked for and every law still holds."""
    refuted = any(law.judgement.verdict is Verdict.REFUTED for law in judged)
    if evidence.fault is None or not judged or refuted:
        return []
    return wrap(_UNNOTICED.pick(look.language), look.width, indent=" ")


def quantities(evidence: Evidence, experiment: Experiment, look: Look) -> list[str]:
    """Every quantity but the matrices: name, value, source, meaning."""
    language = look.language
    rows: list[list[str]] = []
    for declared in experiment.quantities:
        quantity = evidence.quantities[declared.name]
        if isinstance(quantity, Unmeasured):
            rows.append([declared.name, "–", "", quantity.reason.pick(language)])
        elif quantity.shape is not Shape.MATRIX:
            value = ledger.figure(Side(quantity.values, quantity.unit, quantity.shape))
            source = SOURCES[quantity.source].pick(language)
            rows.append([declared.name, value, source, declared.meaning.pick(language)])
    if look.width < ledger.NARROW:
        rows = [row[:2] for row in rows]
    return table(rows, look.width, indent=" ")


def pictures(evidence: Evidence, look: Look) -> list[str]:
    """What the run yielded of: the timeline as a Gantt chart with its bubble, curves, traffic."""
    width, language = look.width, look.language
    blocks = [
        gantt.draw(evidence.timeline, width, language, ascii_only=look.ascii_only),
        bubble.draw(evidence, width, language),
        curves.draw(evidence.curves, width, language),
    ]
    matrix = evidence.quantities.get("wire_matrix")
    if isinstance(matrix, Measured) and any(value.value for value in matrix.values):
        blocks.append(traffic.draw(matrix, width, language, ascii_only=look.ascii_only))
    lines = joined(blocks)
    return plain(lines) if look.ascii_only else lines


def joined(blocks: Sequence[list[str]]) -> list[str]:
    """The blocks that aren't empty, with an empty line between them."""
    lines: list[str] = []
    for block in filter(None, blocks):
        lines += ["", *block] if lines else block
    return lines


def draw(
    evidence: Evidence, experiment: Experiment, judged: Sequence[JudgedLaw], look: Look
) -> list[str]:
    """The whole report of `verify run`."""
    blocks = [
        headline(evidence, experiment, look),
        laws(judged, experiment, look, counted=evidence.world.only_counts),
        unnoticed(evidence, judged, look),
        quantities(evidence, experiment, look),
        pictures(evidence, look),
    ]
    lines = [*joined(blocks), ""]
    return plain(lines) if look.ascii_only else lines
