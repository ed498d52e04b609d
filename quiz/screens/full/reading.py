"""How a typed number is understood, said while it is being typed: `6 MiB = 6,291,456 B`."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

from quiz.numbers import Typed, Unclear
from quiz.screens.wrap import clean
from verify.api import BYTE, ONE, Text, verbatim


def reading(text: str, typed: Typed | Unclear, answer: Fraction | Unclear) -> Text:
    """What was typed, and the value in the base unit; or what is missing.

    `typed` and `answer` are what `quiz.numbers` makes of `text`, on its own and as the answer.
    """
    if isinstance(typed, Unclear):
        return typed.reason
    value, unit = typed.value, typed.unit or ONE
    named = "B" if unit == BYTE else "" if unit == ONE else str(unit)
    figure = _figure(value) + (f" {named}" if named else "")
    shown = _spaced(text)
    same = shown.replace(",", "").replace(" ", "") == figure.replace(",", "").replace(" ", "")
    told = figure if same else f"{shown} {'≈' if _rounded(value) else '='} {figure}"
    if isinstance(answer, Unclear):
        return Text(
            ja=f"{told}   {answer.reason.pick('ja')}", en=f"{told}   {answer.reason.pick('en')}"
        )
    return verbatim(told)


def _figure(value: Fraction) -> str:
    if value.denominator == 1:
        return f"{int(value):,}"
    return f"{float(value):,.6g}"


def _rounded(value: Fraction) -> bool:
    return value.denominator != 1 and Fraction(f"{float(value):.6g}") != value


def _spaced(text: str) -> str:
    """The text in half width, a blank before the unit."""
    plain = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", clean(text))).strip()
    return re.sub(r"(?<=[0-9.])(?=[^\W\d_]|%)(?![eE][-+]?[0-9])", " ", plain)
