r"""LaTeX between `$` as one line of text, where that loses nothing; else its source stays.

`$2(N-1)/N \times \Psi$` reads `2(N-1)/N × Ψ`; a matrix stays as it was written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from quiz.deck.fill import MATHEMATICS

LONGEST = 1000  # characters; what is longer fits no line

_SCRIPTS = {
    "_": dict(zip("0123456789+-=()ijknmtp", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ᵢⱼₖₙₘₜₚ", strict=True)),
    "^": dict(zip("0123456789+-=()inNMPTK", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱⁿᴺᴹᴾᵀᴷ", strict=True)),
}
_ACCENTS = {
    "hat": "\u0302", "widehat": "\u0302", "tilde": "\u0303", "widetilde": "\u0303",
    "bar": "\u0304", "overline": "\u0304", "dot": "\u0307", "ddot": "\u0308", "vec": "\u20d7",
}  # fmt: skip
_SIGNS = {  # where the library has no sign, or one that terminals draw badly
    "sum": "Σ", "ast": "*", "gets": "←", "coloneqq": ":=", "|": "‖", "top": "T", "sim": "~",
    "quad": " ", "qquad": " ", ",": " ", ";": " ", ":": " ", " ": " ", "!": "",
    "left": "", "right": "", "displaystyle": "", "limits": "", "nolimits": "",
    "bigl": "", "bigr": "", "Bigl": "", "Bigr": "", "big": "", "Big": "",
    "Pr": "Pr", "argmax": "argmax", "argmin": "argmin", "$": "$", "%": "%", "#": "#", "&": "&",
}  # fmt: skip
_TEXTS = ("text", "mathrm", "mathit", "mathbf", "mathsf", "mathtt", "textbf", "textit", "texttt",
          "operatorname", "boldsymbol", "mbox")  # fmt: skip
_JOINTS = "+-*=<>×·÷±∓≤≥≠≈≡~∝→←∈≪≫⋯…/,;:.|‖"
_BEFORE, _AFTER = _JOINTS + "([{⌈⌊", _JOINTS + ")]}⌉⌋"

_COMMON = "alpha beta gamma delta epsilon eta theta lambda mu pi rho sigma tau phi psi omega Delta \
Theta Sigma Phi Psi Omega times cdot div pm le leq ge geq ne neq approx propto infty nabla partial \
sum prod to rightarrow leftarrow in ll gg ldots cdots lceil rceil lfloor rfloor log max min exp"
_SIGN = rf"\\(?:{'|'.join(_COMMON.split())})(?![A-Za-z])"
_INNER = rf"\{{(?:[\w+=(), ]|-(?!-)|{_SIGN})+\}}"
_EASY = re.compile(
    rf"(?:[^\\{{}}_^&%~#$`'-]|-(?!-)|{_SIGN}|[_^] ?(?:[A-Za-z0-9]|{_INNER})"
    rf"|\\frac ?{_INNER} ?{_INNER})+"
)
"""Formulas that surely fit a line: the library takes a millisecond to say so of each."""


class Formula(NamedTuple):
    """A formula that no line can hold: its source, and where it stands in the text."""

    source: str
    start: int
    end: int


def readable(text: str) -> str:
    """`text` with each formula that fits a line as plain characters. Never raises."""
    return MATHEMATICS.sub(lambda match: one_line(match[0]) or match[0], text)


def unrenderable(text: str) -> list[Formula]:
    """The formulas of `text` whose source a reader would see."""
    return [
        Formula(m[0], m.start(), m.end())
        for m in MATHEMATICS.finditer(text)
        if not _easy(m[0].strip("$").strip()) and one_line(m[0]) is None
    ]


def _easy(formula: str) -> bool:
    return len(formula) <= LONGEST and _EASY.fullmatch(formula) is not None


@cache
def one_line(source: str) -> str | None:
    """A formula with its `$` as a line of text; None where a line would lose something."""
    formula = re.sub(r"\s+", " ", source.strip("$")).strip()
    formula = re.sub(r"\\[dt]frac(?![A-Za-z])", r"\\frac", formula)  # only sizes differ
    formula = re.sub(r"\\(?:left|right) ?\.", "", formula)  # no bracket at all
    formula = re.sub(r" +(?=\\r[vV]ert)", "", formula)
    # A command's name ends at the first letter that isn't ASCII; the library reads on.
    formula = re.sub(r"(\\[A-Za-z]+)(?=[^\W\d_A-Za-z])", r"\1 ", formula)
    if not re.search(r"[\\{}^_&%~#$`']|--", formula):
        return formula
    if len(formula) > LONGEST:
        return None
    from pylatexenc.latexwalker import LatexWalker, LatexWalkerParseError

    try:
        nodes, _, _ = LatexWalker(formula, tolerant_parsing=False).get_latex_nodes()
        return _line(nodes).strip() or None
    except (_Beyond, LatexWalkerParseError, RecursionError):
        return None


class _Beyond(Exception):
    """Something that one line can't show."""


@dataclass
class _Piece:
    text: str
    fraction: bool = False
    script: bool = False  # a bare `_` or `^`
    soft: bool = False  # a blank that LaTeX needs between a command and a letter


def _line(nodes: Sequence[Any]) -> str:
    pieces = _scripted([piece for node in nodes for piece in _pieces(node)])
    text = ""
    for index, piece in enumerate(pieces):
        if piece.soft and pieces[index + 1 : index + 2] and pieces[index + 1].text[:1].isalnum():
            continue
        after = next((p.text for p in pieces[index + 1 :] if p.text.strip()), "").strip()
        beside = (text.rstrip()[-1:], after[:1])
        lonely = beside[0] in _BEFORE and beside[1] in _AFTER  # "" at either end too
        text += f"({piece.text})" if piece.fraction and not lonely else piece.text
    return re.sub("(?<=[([{⌈⌊]) | (?=[)\\]}⌉⌋])", "", re.sub(" +", " ", text))


def _scripted(pieces: list[_Piece]) -> list[_Piece]:
    """Each `_` or `^` joined to what it stands at, with what follows it."""
    done: list[_Piece] = []
    rest = iter(pieces)
    for piece in rest:
        if not piece.script:
            done.append(piece)
            continue
        script = next((p for p in rest if p.text != " "), None)
        if script is None or script.script:
            raise _Beyond
        base = done.pop() if done else _Piece("")
        whole = f"({base.text})" if base.fraction else base.text
        done.append(_Piece(whole + _script(piece.text, script.text)))
    return done


def _script(sign: str, text: str) -> str:
    small, plain = _SCRIPTS[sign], text.replace(" ", "")
    if plain and all(c in small for c in plain) and not re.search("[A-Za-z]{3}", plain):
        return "".join(small[c] for c in plain)
    return "'" if text == "'" else sign + _operand(text)


def _operand(text: str) -> str:
    text = text.strip()
    single = re.fullmatch(r"[\w.]+|√?\w[\w']*|\([^()]*\)|.", text)
    return text if single else f"({text})"


def _pieces(node: Any) -> Iterator[_Piece]:
    kind = type(node).__name__
    if kind == "LatexCharsNode":
        for character in node.chars:
            yield _Piece(character, script=character in "_^")
    elif kind == "LatexGroupNode" and node.delimiters[0] == "{":
        yield _Piece(_line(node.nodelist))
    elif kind == "LatexSpecialsNode" and node.specials_chars in ("~", "'", "''", "--", "---"):
        yield _Piece(" " if node.specials_chars == "~" else node.specials_chars)
    elif kind == "LatexMacroNode":
        yield from _macro(node)
    else:
        raise _Beyond


def _macro(node: Any) -> Iterator[_Piece]:
    name, given = node.macroname, node.nodeargd.argnlist if node.nodeargd else []
    arguments = ["" if a is None else _argument(a) for a in given]
    last = arguments[-1] if arguments else ""  # where there is none, a group of its own follows
    if name in _MADE:
        make, count = _MADE[name]
        if len(arguments) != count:
            raise _Beyond
        yield make(*arguments)
    elif name in _TEXTS:
        yield _Piece(last)
    elif name in _ACCENTS:
        yield _Piece(_accented(last, _ACCENTS[name]))
    elif name in ("mathbb", "mathcal"):
        yield _Piece(_lettered(name, last))
    else:
        yield from _sign(name, node.macro_post_space)


def _argument(node: Any) -> str:
    return _line(node.nodelist if type(node).__name__ == "LatexGroupNode" else [node])


def _sign(name: str, space: str) -> Iterator[_Piece]:
    sign = _SIGNS[name] if name in _SIGNS else _known(name)
    if sign is None or not sign.isprintable():
        raise _Beyond
    if not sign.strip():
        yield _Piece(sign)
        return
    wordy = len(sign) > 1 and sign.isalpha()
    between = unicodedata.category(sign[0]) == "Sm" and sign not in ("∇", "∂", "Σ", "∑", "∏", "∞")
    if between or sign in "·×÷±→←":
        yield from (_Piece(" "), _Piece(sign), _Piece(" "))
        return
    yield _Piece(sign)
    if space:
        yield _Piece(" ", soft=not wordy and sign not in ("…", "⋯"))


@cache
def _known(name: str) -> str | None:
    from pylatexenc.latex2text import get_default_latex_context_db

    spec = get_default_latex_context_db().get_macro_spec(name)
    sign = spec.simplify_repl if spec is not None else None
    return sign if isinstance(sign, str) and sign and "%" not in sign else None


def _fraction(above: str, below: str) -> _Piece:
    return _Piece(f"{_operand(above)}/{_operand(below)}", fraction=True)


def _root(degree: str, of: str) -> _Piece:
    return _Piece((_script("^", degree) if degree else "") + "√" + _operand(of))


def _accented(text: str, mark: str) -> str:
    if len(text) != 1:
        raise _Beyond
    return unicodedata.normalize("NFC", text + mark)


def _lettered(name: str, text: str) -> str:
    """A double-struck letter; calligraphic ones are drawn too badly and stay plain."""
    if name == "mathcal":
        return text
    try:
        return "".join(
            unicodedata.lookup(f"DOUBLE-STRUCK CAPITAL {c}") if c.isascii() else c for c in text
        )
    except KeyError:
        return text


_MADE: dict[str, tuple[Callable[..., _Piece], int]] = {"frac": (_fraction, 2), "sqrt": (_root, 2)}
"""How to make them, and of how many arguments, left-out ones counted."""
