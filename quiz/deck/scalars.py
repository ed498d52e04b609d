"""What YAML makes of a scalar that an author meant as text, and what LaTeX suffers from it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from decimal import Decimal

import yaml

from quiz.deck.fill import MATHEMATICS
from verify.api import Text

STRING = "tag:yaml.org,2002:str"
NULL = "tag:yaml.org,2002:null"
BOOLEAN = "tag:yaml.org,2002:bool"

_LONGEST_READ = 40  # characters; the longest scalar whose reading is worked out and shown

# Plain scalars that YAML 1.2 reads as numbers; PyYAML (YAML 1.1) leaves 1e3, 08 and -.5 alone.
_NUMBER_IN_1_2 = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|0o[0-7]+", re.ASCII
)

_NUMERIC = "+-.0123456789"

_DIGITS = re.compile("[-+]?[0-9]+", re.ASCII)
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})", re.ASCII)
_DECIMAL = re.compile(
    r"[-+]?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,18})?(?:[eE][-+]?[0-9]{1,3})?", re.ASCII
)


def is_plain_text(node: yaml.ScalarNode) -> bool:
    """Whether every YAML reader takes the scalar as the text that stands there."""
    if node.tag != STRING:
        return False
    if node.style or node.value[:1] not in _NUMERIC:  # spares most texts the match
        return True
    return _NUMBER_IN_1_2.fullmatch(node.value) is None


def number(value: str) -> int | float | None:
    """The number that a plain scalar shows to everyone alike, or None (`010`, `1_000`, `4:3`)."""
    if _INTEGER.fullmatch(value):
        return int(value)
    if not _DECIMAL.fullmatch(value) or not math.isfinite(read := float(value)):
        return None
    # 1e-400 would be 0, and of eighteen decimals the last would be lost.
    return read if Decimal(value) == Decimal(repr(read)) else None


def reading(node: yaml.ScalarNode) -> str | None:
    """What YAML reads in place of the text (`No` is false), or None where that can't be said."""
    if len(node.value) > _LONGEST_READ:
        return None
    if node.tag == STRING:
        if _DIGITS.fullmatch(node.value):
            return str(int(node.value))
        return str(int(node.value, 8) if "o" in node.value else float(node.value))
    try:
        value = yaml.SafeLoader("").construct_object(node)
    except (yaml.YAMLError, ValueError, OverflowError, KeyError):  # a bad date, a lone `=`
        return None
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


# Letters that double quotes accept after \, and what they become.
_ESCAPED = {
    "0": Text(ja="ヌル文字", en="a null character"),
    "a": Text(ja="警告音", en="a bell"),
    "b": Text(ja="後退文字", en="a backspace"),
    "t": Text(ja="タブ", en="a tab"),
    "n": Text(ja="改行", en="a line break"),
    "v": Text(ja="垂直タブ", en="a vertical tab"),
    "f": Text(ja="改ページ", en="a form feed"),
    "r": Text(ja="復帰", en="a carriage return"),
    "e": Text(ja="エスケープ文字", en="an escape character"),
    "N": Text(ja="改行", en="a line break"),
    "L": Text(ja="行区切り", en="a line separator"),
    "P": Text(ja="段落区切り", en="a paragraph separator"),
    "_": Text(ja="改行しない空白", en="a no-break space"),
}

_COMMAND = re.compile(r"\\(?:\\|([0abtnvfreNLP_][A-Za-z]*)|.)", re.DOTALL)

# Commands that begin with such a letter and hardly begin a word of prose after a line break or tab.
_LATEX = re.compile(
    "nabla|neq|neg|not|notin|nu|rho|rightarrow|rfloor|rceil|right|rangle|times|theta|tau|tfrac"
    "|text|textbf|textrm|textit|to|tilde|top|beta|bar|binom|begin|bigl|bigr|boldsymbol|bmod|bot"
    "|approx|alpha|ast|arg|argmin|argmax|frac|forall|flat|frown|eta|epsilon|equiv|exp|exists|ell"
    "|varepsilon|varphi|vec|vdots|vee|Lambda|Leftarrow|Phi|Pi|Psi|Pr"
)


def broken_latex(raw: str) -> Iterator[tuple[int, str]]:
    """LaTeX commands that double quotes turn into control characters.

    `raw` is the scalar as the file has it, quotes included. Yields (offset in `raw`, the command
    without its backslash).
    """
    mathematics = [match.span() for match in MATHEMATICS.finditer(raw)]
    for match in _COMMAND.finditer(raw):
        word = match[1]
        if word and (_LATEX.fullmatch(word) or any(a <= match.start() < b for a, b in mathematics)):
            yield match.start(), word


def escape_meaning(command: str) -> Text:
    """What the first letter of a command became: `nabla` begins with a line break."""
    return _ESCAPED[command[0]]
