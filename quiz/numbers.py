"""Numbers as a learner types them: `6MiB`, `6.0 × 2^20 B`, `3/11`, `27.3 %`, `６　ＭｉＢ`.

A number is a product or quotient of factors, each plain, grouped (`6,291,456`), with an exponent
(`6e6`) or a power (`2^20`), and one unit at the end. MB is 10**6 B, MiB is 2**20 B.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction

from verify.api import BYTE, ONE, SECOND, Text, Unit, format_size

LONGEST = 80  # characters; no number worth typing needs more
LARGEST_EXPONENT = 64
LARGEST = 10**30

_BYTES = {
    "B": 1, "byte": 1, "bytes": 1, "バイト": 1,
    **{p + "B": 1000**i for i, p in enumerate(("k", "M", "G", "T"), start=1)}, "KB": 1000,
    **{p + "iB": 1024**i for i, p in enumerate(("K", "M", "G", "T"), start=1)},
    **{p + "ib": 1024**i for i, p in enumerate(("k", "m", "g", "t"), start=1)},
}  # fmt: skip
_SECONDS = {
    "s": Fraction(1), "秒": Fraction(1), "ms": Fraction(1, 1000), "ミリ秒": Fraction(1, 1000),
    "us": Fraction(1, 10**6), "μs": Fraction(1, 10**6),
}  # fmt: skip
_COUNTS = ("台", "個", "回", "枚", "倍", "times", "x")
_UNITS: dict[str, tuple[Fraction, Unit]] = {
    **{name: (Fraction(size), BYTE) for name, size in _BYTES.items()},
    **{f"{name}/s": (Fraction(size), BYTE / SECOND) for name, size in _BYTES.items()},
    **{name: (size, SECOND) for name, size in _SECONDS.items()},
    **{name: (Fraction(1), ONE) for name in _COUNTS},
    "%": (Fraction(1, 100), ONE),
}
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_NUMBER = r"(?:[0-9]{1,3}(?:[ ,_'][0-9]{3})+|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+"
_FACTOR = re.compile(
    rf" *(?P<number>{_NUMBER})(?:[eE](?P<scale>[+-]?[0-9]{{1,3}})(?![0-9]))?"
    r"(?: *(?:\^|\*\*) *(?P<power>-?[0-9]{1,3})(?![0-9]))? *"
)


@dataclass(frozen=True, slots=True)
class Typed:
    """A number and its unit; None where no unit was given. A `%` is a plain number."""

    value: Fraction
    unit: Unit | None


@dataclass(frozen=True, slots=True)
class Unclear:
    """What was typed can't be graded, and why; it is asked again."""

    reason: Text


NOT_A_NUMBER = Unclear(
    Text(
        ja="数として読めません。6 MiB、6291456 B、3/11、27.3% のように入力してください。",
        en="That doesn't read as a number. Write it like 6 MiB, 6291456 B, 3/11 or 27.3%.",
    )
)
TOO_LONG = Unclear(Text(ja="長すぎて数として読めません。", en="That is too long for a number."))
BYTES_WANTED = Unclear(
    Text(
        ja="単位も付けてください。例: 6 MiB (2^20 B が 6 個)、6 MB (10^6 B が 6 個)、6291456 B",
        en="Add the unit: 6 MiB (of 2^20 B), 6 MB (of 10^6 B) or 6291456 B.",
    )
)
WHICH_PREFIX = Unclear(
    Text(
        ja="単位があいまいです。10^6 B なら MB、2^20 B なら MiB と書いてください。",
        en="That unit could mean two things: write MB for 10^6 B, MiB for 2^20 B.",
    )
)
SECONDS_WANTED = Unclear(
    Text(
        ja="秒で答えてください。例: 1.5 s、20 ms",
        en="The answer is a time: write 1.5 s or 20 ms.",
    )
)
PLAIN_WANTED = Unclear(
    Text(
        ja="単位のない数で答えてください。例: 12、3/11、27.3%",
        en="The answer has no unit: write 12, 3/11 or 27.3%.",
    )
)
DECIMAL_COMMA = Unclear(
    Text(
        ja="コンマは 3 桁区切りとして読みます。小数点は . で書いてください。",
        en="A comma separates thousands here; write the decimal point as a full stop.",
    )
)


def parse_number(text: str) -> Typed | Unclear:
    """What was typed, exactly, with the unit it was given. Never raises."""
    if len(text) > LONGEST:
        return TOO_LONG
    plain = _plain(text)
    if plain is None:
        return NOT_A_NUMBER
    if plain.lower().startswith("0x"):
        return NOT_A_NUMBER  # a hexadecimal one, hardly a product with nothing
    sign = -1 if plain.startswith("-") else 1
    plain = plain[1:] if plain.startswith(("+", "-")) else plain
    value, position, divide = Fraction(sign), 0, False
    while True:
        match = _FACTOR.match(plain, position)
        factor = match and _factor(match)
        if match is None or factor is None or (divide and factor == 0):
            return NOT_A_NUMBER
        value = value / factor if divide else value * factor
        if abs(value) > LARGEST:
            return NOT_A_NUMBER
        position = match.end()
        operator = re.compile(r"[*/]|x(?= *[0-9.])").match(plain, position)
        if operator is None:
            return _with_unit(value, plain[position:].strip())
        divide, position = operator[0] == "/", operator.end()


def answer_for(unit: Unit, text: str) -> Fraction | Unclear:
    """The number typed, in the base unit `unit` (B, s, B/s or 1), or why it is asked again."""
    typed = parse_number(text)
    if isinstance(typed, Unclear):
        return typed
    if typed.unit == unit or (typed.unit is None and unit == ONE):
        return typed.value
    if unit.bytes:
        return BYTES_WANTED
    return SECONDS_WANTED if unit.seconds else PLAIN_WANTED


def amount(value: Fraction | float, unit: Unit) -> str:
    """A number in a base unit, for reading: `6.00 MiB`, `0.25 s`, `3/11`, `12`."""
    if unit == BYTE:
        return format_size(value)
    if unit != ONE:
        return f"{float(value):.4g} {unit}"
    exact = isinstance(value, Fraction) and value.denominator < 1000
    return str(value) if exact else f"{float(value):.4g}"


def _plain(text: str) -> str | None:
    """One spelling for each sign: half-width, `*` for products, `-` for minus. None: hopeless."""
    text = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda m: "^" + m[0].translate(_SUPERSCRIPTS), text)
    if any(unicodedata.category(c) == "No" for c in text):
        return None  # ½ and ⑥ would turn into digits that join their neighbours
    text = unicodedata.normalize("NFKC", text).replace("\u00b5", "μ").strip()
    text = re.sub("[×✕✖·⋅∗]", "*", text.replace("**", "^"))
    text = re.sub("[−–—‐]", "-", text).replace("÷", "/")
    return re.sub(r"\s+", " ", text).lstrip("≈~約= ")


def _factor(match: re.Match[str]) -> Fraction | None:
    digits = re.sub("[ ,_']", "", match["number"])
    scale, power = int(match["scale"] or 0), int(match["power"] or 1)
    value = Fraction(digits)
    if abs(scale) > LARGEST_EXPONENT or abs(power) > LARGEST_EXPONENT or (power < 0 and not value):
        return None
    return (value * Fraction(10) ** scale) ** power


def _with_unit(value: Fraction, unit: str) -> Typed | Unclear:
    if not unit:
        return Typed(value, None)
    for name in (unit, unit.lower() if unit.lower().endswith(("ib", "byte", "bytes")) else unit):
        if name in _UNITS:
            scale, kind = _UNITS[name]
            return Typed(value * scale, kind)
    if re.fullmatch("[kKmMgGtT]i?b?", unit):
        return WHICH_PREFIX  # "Mb" is megabits to some, "M" either of two
    return DECIMAL_COMMA if re.match(",[0-9]", unit) else NOT_A_NUMBER
