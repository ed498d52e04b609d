"""`--format text`: what is wrong, where, the line with a caret under the place, how to mend it."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

from wcwidth import wcwidth

from quiz.deck.problem import Problem, one_line
from quiz.lint.finding import Finding, Lines
from verify.api import Language, Text, cells, cut

if TYPE_CHECKING:
    from quiz.lint.proofs import ProofNote

_NEAR = 4  # screens' widths of a line that are looked at on either side of the marked place
_GUTTER = 5  # columns of the line number; more where a number is longer
_STYLES = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "bold": "\x1b[1m", "dim": "\x1b[2m"}
_PLAIN = "\x1b[0m"


def report(
    findings: Sequence[Finding],
    language: Language,
    proofs: Sequence[ProofNote] = (),
    *,
    colour: bool,
    width: int,
) -> str:
    """The findings as blocks, and a last line that counts them; after proving, one about proofs.

    `width` is in terminal columns.
    """

    def painted(text: str, style: str) -> str:
        return f"{_STYLES[style]}{text}{_PLAIN}" if colour else text

    blocks: list[str] = []
    for finding in findings:
        problem = finding.problem
        line, column = problem.position
        where = painted(f"{one_line(str(finding.path))}:{line}:{column}", "bold")
        lines = [f"{where} {painted(problem.severity, problem.severity)} {problem.rule}"]
        if excerpt := _excerpt(finding.source, problem, width):
            code, marks = excerpt
            lines += [painted(code[0], "dim") + code[1], painted(marks[0], "dim") + marks[1]]
        lines += [f"  {one_line(text.pick(language))}" for text in _said(problem)]
        blocks.append("\n".join(lines) + "\n")
    last = [_count(findings), *_proven(proofs)]
    return "\n".join([*blocks, "".join(f"{text.pick(language)}\n" for text in last)])


def _said(problem: Problem) -> list[Text]:
    return [problem.message] if problem.hint is None else [problem.message, problem.hint]


def _excerpt(
    source: Lines, problem: Problem, width: int
) -> tuple[tuple[str, str], tuple[str, str]] | None:
    """(gutter, line) and (gutter, carets), cut to the width around the marked place."""
    number, column = problem.position
    line = source.line(number)
    if not line or line.isspace():
        return None
    first = min(column - 1, len(line))
    end = problem.end
    last = end.column - 1 if end is not None and end.line == number else first + 1
    label = str(number).rjust(_GUTTER)
    room = max(width - len(label) - 3, 20)
    left = max(0, first - _NEAR * room)  # a whole deck may stand on one line
    text = one_line(line[left : first + _NEAR * room])
    first, last = first - left, last - left
    start = _start_of_window(text, first, room)
    before, marked = text[start:first], text[first:last].rstrip()
    lead = "…" if start or left else ""
    shown, carets = lead + before, " " * cells(lead + before)
    carets += "^" * max(1, min(cells(marked), room - cells(shown)))
    return (
        (f"{label} │ ", cut(shown + text[first : first + room + 1], room)),
        (f"{' ' * len(label)} │ ", carets),
    )


def _start_of_window(text: str, first: int, room: int) -> int:
    """The first character shown, so that the marked place is in the left two thirds."""
    start = first
    left = room * 2 // 3
    while start > 0 and left >= (step := max(0, wcwidth(text[start - 1]))):
        left -= step
        start -= 1
    return start


def _proven(proofs: Sequence[ProofNote]) -> list[Text]:
    if not proofs:
        return []
    proven = sum(note.verdict == "proven" for note in proofs)
    tried = reduce(operator.add, (note.tried for note in proofs)).in_words()
    return [
        Text(
            ja=f"{len(proofs)} 枚中 {proven} 枚が証明済み。{tried.pick('ja')}",
            en=f"{proven} of {len(proofs)} cards proven; {tried.pick('en')}",
        )
    ]


def _count(findings: Sequence[Finding]) -> Text:
    errors = sum(finding.problem.severity == "error" for finding in findings)
    warnings = len(findings) - errors
    if not findings:
        return Text(ja="問題はありません。", en="No problems.")
    return Text(
        ja=f"エラー {errors} 件、警告 {warnings} 件です。",
        en=f"{errors} error{'s' * (errors != 1)}, {warnings} warning{'s' * (warnings != 1)}.",
    )
