"""The grammar of claims, read by precedence climbing.

    claim      = expression comparison expression [("±" | "+/-") tolerance]
    comparison = "==" | "!=" | "<" | "<=" | ">" | ">="
    tolerance  = number "%" ["of" expression] | expression
    expression = operand {("+" | "-" | "*" | "/") operand}
    operand    = "-" operand | atom ["**" ["-"] whole number]
    atom       = number [unit] | function "(" expression {"," expression} ")"
               | [run "."] name ["[" expression ["," expression] "]"] | "(" expression ")"

As in Python, `-x**2` is `-(x**2)` and operators of one level group from the left.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import NoReturn

from verify.claims.errors import ClaimError
from verify.claims.tokens import Token, tokenize
from verify.claims.tree import (
    FUNCTIONS,
    RANK,
    REDUCTIONS,
    TIMES,
    Binary,
    Call,
    Claim,
    Element,
    Expression,
    Name,
    Negate,
    Node,
    Number,
    Power,
    Tolerance,
    Within,
    WithinPercent,
    walk,
)
from verify.text import Text
from verify.units import BYTE, ONE, PREFIXES, SECOND, Unit

MAX_DEPTH = 32
MAX_NODES = 200
MAX_EXPONENT = 16
MAX_LITERAL = Fraction(10**18)
MIN_LITERAL = Fraction(1, 10**30)
MAX_LITERAL_LENGTH = 40

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
UNITS: dict[str, tuple[Fraction, Unit]] = {
    "": (Fraction(1), ONE),
    **{name: (Fraction(size), BYTE) for name, size in PREFIXES.items()},
    **{name: (seconds, SECOND) for name, seconds in TIMES.items()},
}
_LEVELS = {"+": 1, "-": 1, "*": 2, "/": 2}


@lru_cache(maxsize=4096)
def parse_claim(text: str) -> Claim:
    """A claim from its text. Raises ClaimError, which says where."""
    return _Parser(text).claim()


@lru_cache(maxsize=4096)
def parse_expression(text: str) -> Expression:
    """An expression alone, such as the result of a compute card. Raises ClaimError."""
    return _Parser(text).alone()


@lru_cache(maxsize=1024)
def _literal(text: str, unit: str) -> Fraction | None:
    """The value of a literal in bytes, seconds or one; None where it is out of range."""
    mantissa, _, exponent = text.lower().partition("e")
    # Before Fraction sees it: 1e-999999999 would fill the memory.
    if len(text) > MAX_LITERAL_LENGTH or len(exponent.lstrip("+-0")) > 2:
        return None
    value = Fraction(mantissa) * Fraction(10) ** int(exponent or 0) * UNITS[unit][0]
    return value if value == 0 or MIN_LITERAL <= value <= MAX_LITERAL else None


def _fail(place: Node | Token, ja: str, en: str, hint: Text | None = None) -> NoReturn:
    raise ClaimError(Text(ja=ja, en=en), hint, start=place.start, end=place.end)


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens = tokenize(text)
        self.at = 0
        self.depth = 0
        self.next = self.tokens[0]

    def take(self) -> Token:
        token = self.next
        if token.kind != "end":
            self.at += 1
            self.next = self.tokens[self.at]
        return token

    def end(self) -> int:
        """Where the last token taken ended."""
        return self.tokens[self.at - 1].end

    def expect(self, kind: str) -> Token:
        if self.next.kind != kind:
            self.unexpected(Text(ja=f"ここには {kind} が必要です。", en=f"{kind} is needed here."))
        return self.take()

    def unexpected(self, hint: Text | None = None) -> NoReturn:
        token = self.next
        if token.kind == "end":
            _fail(token, "式が途中で終わっています。", "The text ends too early.", hint)
        shown = token.text[:40]
        _fail(token, f"{shown} はここに置けません。", f"{shown} can't stand here.", hint)

    def finish(self, tree: Claim | Expression) -> None:
        if self.next.kind in COMPARISONS:
            self.unexpected(
                Text(
                    ja="比較は一つの主張に一つだけです。二つの主張に分けてください。",
                    en="A claim holds one comparison; write two claims.",
                )
            )
        if self.next.kind == "%":
            self.unexpected(Text(ja="% は許容差だけに使えます。", en="% is for tolerances only."))
        if self.next.kind != "end":
            self.unexpected()
        if len(self.tokens) <= MAX_DEPTH:  # every node takes a token
            return
        for count, (node, depth) in enumerate(walk(tree), 1):
            if depth > MAX_DEPTH or count > MAX_NODES:
                self.too_much(node)

    def too_much(self, place: Node | Token) -> NoReturn:
        _fail(
            place,
            "式が複雑すぎます。",
            "The expression is too complex.",
            Text(
                ja=f"深さは {MAX_DEPTH}、要素は {MAX_NODES} までです。",
                en=f"At most {MAX_DEPTH} levels and {MAX_NODES} parts.",
            ),
        )

    def alone(self) -> Expression:
        tree = self.expression()
        self.finish(tree)
        return tree

    def claim(self) -> Claim:
        start = self.next.start
        left = self.expression()
        if self.next.kind not in COMPARISONS:
            self.unexpected(
                Text(
                    ja="主張は「左辺 == 右辺」の形です。比較は == != < <= > >= です。",
                    en="A claim is `left == right`, with == != < <= > or >=.",
                )
            )
        comparison = self.take().kind
        right = self.expression()
        tolerance = None
        if self.next.kind in ("±", "+/-"):
            tolerance = self.tolerance(comparison)
        tree = Claim(left, comparison, right, tolerance, start=start, end=self.end())
        self.finish(tree)
        return tree

    def tolerance(self, comparison: str) -> Tolerance:
        sign = self.take()
        if comparison not in ("==", "!="):
            _fail(
                sign,
                f"許容差は {comparison} には付けられません。",
                f"A tolerance doesn't go with {comparison}.",
                Text(ja="== か != だけに付けられます。", en="Only with == and !=."),
            )
        amount = self.expression()
        percent = self.next.kind == "%"
        if isinstance(amount, Number) and amount.value == 0:
            _fail(
                amount,
                "許容差が 0 です。",
                "A tolerance of 0.",
                Text(ja="厳密な一致なら許容差を書かないでください。", en="Leave it out."),
            )
        if not percent:
            return Within(amount, start=sign.start, end=self.end())
        if not isinstance(amount, Number) or amount.unit != ONE:
            _fail(
                amount,
                "% の前には数だけを書けます。",
                "Only a number can stand before %.",
                Text(ja="± 1% や ± 1% of gradient のように書きます。", en="Such as ± 1%."),
            )
        self.take()
        of = None
        if self.next.kind == "name" and self.next.text == "of":
            self.take()
            of = self.expression()
        return WithinPercent(amount.value, of, start=sign.start, end=self.end())

    def expression(self, floor: int = 0) -> Expression:
        start = self.next.start
        left = self.operand()
        while (level := _LEVELS.get(self.next.kind, 0)) > floor:
            operator = self.take().kind
            right = self.expression(level)
            left = Binary(operator, left, right, start=start, end=self.end())
        return left

    def operand(self) -> Expression:
        start = self.next
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.too_much(start)
        if start.kind == "-":
            self.take()
            operand = self.operand()
            tree: Expression = Negate(operand, start=start.start, end=self.end())
        else:
            tree = self.atom()
            if self.next.kind == "**":
                self.take()
                exponent = self.exponent()
                tree = Power(tree, exponent, start=start.start, end=self.end())
        self.depth -= 1
        return tree

    def exponent(self) -> int:
        negative = self.next.kind == "-"
        if negative:
            self.take()
        hint = Text(
            ja=f"指数は −{MAX_EXPONENT} から {MAX_EXPONENT} の整数で書いてください。",
            en=f"A power is a whole number from -{MAX_EXPONENT} to {MAX_EXPONENT}.",
        )
        token = self.next
        if token.kind != "number":
            self.unexpected(hint)
        self.take()
        if not token.text.isdecimal() or len(token.text) > 2 or int(token.text) > MAX_EXPONENT:
            shown = token.text[:40]
            _fail(token, f"指数 {shown} は使えません。", f"{shown} is no power here.", hint)
        if self.next.kind == "**":
            self.unexpected(hint)
        return -int(token.text) if negative else int(token.text)

    def atom(self) -> Expression:
        token = self.next
        if token.kind == "number":
            return self.number()
        if token.kind == "name":
            return self.call() if self.tokens[self.at + 1].kind == "(" else self.name()
        if token.kind == "(":
            self.take()
            inner = self.expression()
            self.expect(")")
            if self.next.kind in (".", "["):
                self.unexpected(_ONLY_NAMES)
            return inner
        self.unexpected()

    def number(self) -> Number:
        token = self.take()
        unit = "" if self.next.kind != "name" or self.next.text == "of" else self.take().text
        if unit and unit not in UNITS:
            _fail(
                self.tokens[self.at - 1],
                f"{unit[:40]} という単位はありません。",
                f"There is no unit {unit[:40]}.",
                Text(
                    ja=f"単位: {', '.join(filter(None, UNITS))}。掛け算は 2*x のように書きます。",
                    en=f"Units: {', '.join(filter(None, UNITS))}. Multiplication is written 2*x.",
                ),
            )
        value = _literal(token.text, unit)
        if value is None:
            _fail(
                token,
                "数が範囲の外です。",
                "The number is out of range.",
                Text(
                    ja=f"数は 0 か 1e-30 から 1e18 まで、{MAX_LITERAL_LENGTH} 文字以内です。",
                    en=f"A number is 0 or from 1e-30 to 1e18, in {MAX_LITERAL_LENGTH} characters.",
                ),
            )
        return Number(value, UNITS[unit][1], start=token.start, end=self.end())

    def call(self) -> Call:
        token = self.take()
        if token.text not in FUNCTIONS:
            shown = token.text[:40]
            _fail(
                token,
                f"{shown} という関数はありません。",
                f"There is no function {shown}.",
                Text(ja=f"関数: {', '.join(FUNCTIONS)}", en=f"Functions: {', '.join(FUNCTIONS)}"),
            )
        self.expect("(")
        arguments = [self.expression()]
        while self.next.kind == ",":
            if token.text not in ("min", "max"):
                only_one = f"{token.text}(x)"
                self.unexpected(Text(ja=f"引数は一つです: {only_one}", en=f"One: {only_one}"))
            self.take()
            arguments.append(self.expression())
        self.expect(")")
        if self.next.kind in (".", "["):
            self.unexpected(_ONLY_NAMES)
        return Call(token.text, tuple(arguments), start=token.start, end=self.end())

    def name(self) -> Name | Element:
        first = self.plain_name()
        run, name = None, first.text
        if self.next.kind == ".":
            self.take()
            if self.next.kind != "name":
                self.unexpected(_ONLY_NAMES)
            second = self.plain_name()
            if RANK in (first.text, second.text):
                _fail(
                    first if first.text == RANK else second,
                    "rank はランク番号なので、実行名と組み合わせられません。",
                    "rank is the index of a rank; it goes with no run.",
                )
            run, name = first.text, second.text
            if self.next.kind in (".", "("):
                self.unexpected(_ONLY_NAMES)
        node = Name(run, name, start=first.start, end=self.end())
        return self.element(node) if self.next.kind == "[" else node

    def plain_name(self) -> Token:
        token = self.take()
        if token.text in FUNCTIONS:
            argument = "(x)" if token.text not in REDUCTIONS else "(wire_sent)"
            _fail(
                token,
                f"{token.text} は関数です。",
                f"{token.text} is a function.",
                Text(ja=f"{token.text}{argument} のように書きます。", en=f"{token.text}{argument}"),
            )
        return token

    def element(self, target: Name) -> Element:
        if target.is_rank:
            self.unexpected(Text(ja="rank は番号です。", en="rank is an index itself."))
        self.take()
        indices = [self.expression()]
        if self.next.kind == ",":
            self.take()
            indices.append(self.expression())
        self.expect("]")
        if self.next.kind in (".", "["):
            self.unexpected(
                Text(ja="行列の要素は m[i, j] と書きます。", en="A matrix is indexed m[i, j].")
            )
        return Element(target, tuple(indices), start=target.start, end=self.end())


_ONLY_NAMES = Text(
    ja="点は「実行名.量」だけ、角括弧は量の名前の後だけに使えます。",
    en="A dot joins a run and a quantity only; brackets follow a quantity's name only.",
)
