"""Guesses before a result: a class says what it expects, then sees it beside what was measured."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from verify.claims import (
    Claim,
    ClaimError,
    Scope,
    Side,
    evaluate,
    holds,
    in_words,
    meanings_of,
    parameter_scope,
    parse_claim,
    parse_expression,
    render,
    signature,
)
from verify.claims.checking import infer
from verify.claims.side import format_number
from verify.entry import await_input
from verify.experiment import Experiment
from verify.laws import JudgedLaw
from verify.quantities import Number, Value
from verify.report.columns import cells, pad, table, wrap
from verify.report.progress import what_differs
from verify.text import Language, Text
from verify.units import BYTE, ONE, SECOND, Unit, format_size
from verify.worlds.request import Request

LONGEST = 1000  # characters of a line of guesses
MOST = 40  # guesses that are shown: a class
_NEAR = 0.005  # as near as a typed answer must be: three digits
_TRIES = 3  # at a keyboard; a pipe has one

Read = Callable[[], str | None]
"""The next line, None at the end of the input."""
Say = Callable[[str], None]

_EXAMPLES = {BYTE: "6 MiB, 4 MiB", SECOND: "50 ms, 0.1 s", ONE: "0.25, 3/11, 30 %"}
_HOW = Text(
    ja="予想を数で(いくつでも、コンマで区切る。例 {example}。Enter だけなら予想なし)",
    en="Your guesses, as numbers separated by commas, such as {example} (Enter: none)",
)
_UNCLEAR = Text(
    ja="「{text}」を数として読めません。例: {example}",
    en="“{text}” can't be read as a number. Example: {example}",
)
_WRONG_UNIT = Text(
    ja="「{text}」の単位が違います。例: {example}",
    en="“{text}” has another unit. Example: {example}",
)
_TITLE = Text(ja="予想と測定", en="guessed and measured")
_NONE = Text(ja="予想なし", en="no guess")
_MEASURED = Text(ja="測定", en="measured")
_GUESSES = Text(ja="予想", en="guesses")


@dataclass(frozen=True, slots=True)
class Guess:
    """One voice: what was typed and its value in the base unit."""

    text: str
    value: Number


def parse_guesses(line: str, unit: Unit) -> list[Guess] | Text:
    """The guesses in a line, or why one can't be read. `27 %` is 0.27; sizes take prefixes."""
    normal = unicodedata.normalize("NFKC", line[:LONGEST]).replace("、", ",")
    example = _EXAMPLES.get(unit, "6 B")
    found = []
    for text in filter(None, (part.strip() for part in normal.split(","))):
        percent = text.endswith("%")
        try:
            side = evaluate(parse_expression(text.removesuffix("%")), Scope())
        except ClaimError:
            side = None
        if side is None or len(side.values) != 1:
            return _UNCLEAR.fill(text=text[:40], example=example)
        value = side.values[0].value
        if side.unit != unit and value != 0:
            return _WRONG_UNIT.fill(text=text[:40], example=example)
        found.append(Guess(text[:20], value / 100 if percent else value))
    return found[:MOST]


def ask_numbers(
    asked: str,
    unit: Unit,
    read: Read,
    say: Say,
    language: Language,
    *,
    width: int,
    again: bool,
) -> list[Guess]:
    """Ask until the guesses can be read, at a keyboard; else take the one line there is."""
    how = _HOW.fill(example=_EXAMPLES.get(unit, f"6 {unit}")).pick(language)
    say("\n".join([asked, *wrap(how, width, indent=" ")]) + "\n")
    for _ in range(_TRIES if again else 1):
        line = read()
        if line is None:
            return []
        guesses = parse_guesses(line, unit)
        if not isinstance(guesses, Text):
            return guesses
        say("\n".join(wrap(guesses.pick(language), width, indent=" ")) + "\n")
    return []


@dataclass(frozen=True)
class LawQuestion:
    """What a class is asked of a run: the left side of its first law that states an equality."""

    claim: Claim
    unit: Unit

    @classmethod
    def of(cls, experiment: Experiment, parameters: Mapping[str, Value]) -> LawQuestion | None:
        """Or, where none does, of the first law; None where no law speaks of such a run."""
        scope = parameter_scope(experiment, parameters)
        found = []
        for law in experiment.laws_for(experiment.Parameters(**parameters)):
            claim = parse_claim(law.claim)
            form, _ = infer(claim.left, signature(experiment))
            if form is not None and (law.when is None or holds(law.when, scope)):
                found.append(cls(claim, form.unit or ONE))
        equalities = (question for question in found if question.claim.comparison == "==")
        return next(equalities, found[0] if found else None)

    def words(self, experiment: Experiment, language: Language) -> str:
        meanings = meanings_of({None: experiment})
        return in_words(self.claim.left, language, meanings, signature(experiment))

    def measured(self, judged: Sequence[JudgedLaw]) -> Side | None:
        """The same quantity after the run."""
        same = (law for law in judged if render(law.claim.left) == render(self.claim.left))
        law = next(same, None)
        return None if law is None else law.judgement.left


def ask(requests: Sequence[Request], width: int, language: Language) -> list[list[Guess]]:
    """One question for each run, asked on standard error and answered on standard input."""
    first = requests[0]
    same = [k for k, v in first.values.items() if all(r.values[k] == v for r in requests)]
    sizes = {p.name for p in first.experiment.parameters() if p.unit == BYTE}
    fixed = [
        f"{k}={format_size(int(first.values[k])) if k in sizes else first.values[k]}" for k in same
    ]
    head = "  ".join([first.experiment.name, " ".join(fixed)])
    say("\n".join(wrap(head, width, indent=" ")) + "\n")
    return [_ask_one(request, requests, width, language) for request in requests]


def _ask_one(
    request: Request, requests: Sequence[Request], width: int, language: Language
) -> list[Guess]:
    question = LawQuestion.of(request.experiment, request.values)
    if question is None:
        return []
    which = " ".join(what_differs(request, requests))
    words = question.words(request.experiment, language)
    asked = f"{words} ({which})?" if which else f"{words}?"
    return ask_numbers(
        "\n".join(wrap(asked, width, indent=" ")),
        question.unit,
        read_line,
        say,
        language,
        width=width,
        again=sys.stdin.isatty(),
    )


def read_line() -> str | None:
    """The next line of standard input; None at its end."""
    await_input()
    line = sys.stdin.readline(LONGEST)
    return line.rstrip("\n") if line else None


def say(text: str) -> None:
    """To whoever sits there: standard output is for the result."""
    sys.stderr.write(text)
    sys.stderr.flush()


def off_by(guess: Guess, low: Number, value: Number, high: Number) -> str:
    """`4 MiB (-33%)`: a guess and how far it is from a value, which has an interval; `(=)` near."""
    typed, least, right, most = map(float, (guess.value, low, value, high))
    if least <= typed <= most or abs(typed - right) <= _NEAR * abs(right):
        return f"{guess.text} (=)"
    if right == 0:
        return guess.text
    off = 100 * (typed - right) / abs(right)
    return f"{guess.text} ({off:+.1f}%)" if abs(off) < 10 else f"{guess.text} ({off:+.0f}%)"


def _compared(guess: Guess, measured: Side | None) -> str:
    """Against the largest of what was measured."""
    if measured is None:
        return guess.text
    largest = max(measured.values, key=lambda v: v.value)
    return off_by(guess, largest.low, largest.value, largest.high)


def beside(
    rows: Sequence[tuple[str, Sequence[Guess], Side | None]],
    title: str,
    width: int,
    language: Language,
) -> list[str]:
    """Guesses beside what was measured, a row for each question, in lines of at most `width`."""
    lines = wrap(f"{_TITLE.pick(language)}: {title}", width, indent=" ")
    heads = ["", _MEASURED.pick(language), _GUESSES.pick(language)]
    body = []
    for label, guesses, measured in rows:
        voices = "  ".join(_compared(guess, measured) for guess in guesses)
        body.append([label, _figure(measured), voices or _NONE.pick(language)])
    # The last column may be as long as a class is large: it is wrapped, not cut.
    left = table([row[:2] for row in (heads, *body)], width, indent="   ")
    margin = max(map(cells, left)) + 2
    if margin > width // 2:
        for line, row in zip(left[1:], body, strict=True):
            lines += [line, *wrap(row[2], width, indent="     ")]
        return lines
    for line, row in zip(left, (heads, *body), strict=True):
        lines += wrap(row[2], width, indent=pad(line, margin), hanging=" " * margin)
    return lines


def _figure(side: Side | None) -> str:
    if side is None:
        return "–"
    return format_number(max(v.value for v in side.values), side.unit)
