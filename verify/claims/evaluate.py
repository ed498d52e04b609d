"""The numbers of an expression: one, or one per rank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

from verify.claims import arithmetic
from verify.claims.arithmetic import Impossible, Spread, Undecidable, exactly, spread_of
from verify.claims.errors import ClaimError
from verify.claims.scope import Scope
from verify.claims.tree import (
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
    names,
)
from verify.quantities import Measured, Unmeasured
from verify.text import Text

Cells = tuple[Spread, ...]
"""One value for a scalar, N for a per-rank expression, N² for a matrix, row by row."""

_OPERATORS: dict[str, Callable[[Spread, Spread], Spread]] = {
    "+": arithmetic.add,
    "-": arithmetic.subtract,
    "*": arithmetic.multiply,
    "/": arithmetic.divide,
}
_FUNCTIONS: dict[str, Callable[[Spread], Spread]] = {
    "ceil": arithmetic.ceiling,
    "floor": arithmetic.floor,
    "log2": arithmetic.logarithm,
    "sqrt": arithmetic.square_root,
    "abs": arithmetic.absolute,
}
_REDUCTIONS: dict[str, Callable[[Sequence[Spread]], Spread]] = {
    "min": arithmetic.least,
    "max": arithmetic.greatest,
    "sum": arithmetic.total,
    "mean": arithmetic.mean,
}


class Evaluator:
    """Evaluates expressions whose names, units and shapes were found right (`checking.infer`).

    `cells` raises ClaimError where the arithmetic has no result, and Undecidable where a reading
    is missing or too noisy. A vector of one element and a scalar are the same thing here: a world
    of one rank compares with anything.
    """

    def __init__(self, scope: Scope, tree: Claim | Expression | None = None) -> None:
        self.scope = scope
        self.runs = frozenset(r.run for r in names(tree)) if tree is not None else frozenset()

    def cells(self, node: Expression) -> Cells:  # noqa: PLR0911 # one for each kind of node
        match node:
            case Number(value, _):
                return (exactly(value),)
            case Name():
                return self.rank(node) if node.is_rank else self.name(node)
            case Element(target, indices):
                return self.element(node, target, indices)
            case Negate(operand):
                return self.apply(node, arithmetic.negate, operand)
            case Binary(operator, left, right):
                return self.apply(node, _OPERATORS[operator], left, right)
            case Power(base, exponent):
                return self.apply(node, lambda x: arithmetic.power(x, exponent), base)
            case Call(function, arguments):
                if function in _FUNCTIONS:
                    return self.apply(node, _FUNCTIONS[function], *arguments)
                reduce = _REDUCTIONS[function]
                if len(arguments) == 1:
                    values = self.cells(arguments[0])
                    return (self.guarded(node, reduce, values),)
                return self.apply(node, lambda *values: reduce(values), *arguments)

    def apply(self, node: Node, operation: Callable[..., Spread], *operands: Expression) -> Cells:
        """An operation element by element; a scalar goes with every rank."""
        columns = broadcast(node, *(self.cells(operand) for operand in operands))
        return tuple(self.guarded(node, operation, *row) for row in zip(*columns, strict=True))

    def guarded(
        self, node: Node, operation: Callable[..., Spread], *values: Spread | Cells
    ) -> Spread:
        try:
            return operation(*values)
        except Impossible as impossible:
            _fail(node, impossible.message)

    def rank(self, node: Name) -> Cells:
        ranks = self.scope.ranks
        counts = {ranks[run] for run in self.runs if run in ranks} or set(ranks.values())
        if len(counts) != 1:
            _fail(
                node,
                Text(
                    ja="rank がどの実行のランクか決まりません。",
                    en="It isn't clear which ranks rank counts.",
                ),
            )
        return tuple(map(exactly, range(counts.pop())))

    def name(self, node: Name) -> Cells:
        held = self.held(node)
        return tuple(self.guarded(node, lambda i=i: spread_of(i)) for i in held.values)

    def held(self, node: Name) -> Measured:
        held = self.scope.held[node.reference]
        if isinstance(held, Unmeasured):
            raise Undecidable(held.reason)
        return held

    def element(self, node: Element, target: Name, indices: tuple[Expression, ...]) -> Cells:
        cells = self.name(target)
        width = self.held(target).ranks
        columns = broadcast(node, *(self.cells(index) for index in indices))
        chosen = []
        for row in zip(*columns, strict=True):
            place = 0
            for index, part in zip(row, indices, strict=False):
                if not index.exact or index.value.denominator != 1 or not 0 <= index.value < width:
                    raise no_index(part, index, width)
                place = place * width + int(index.value)
            chosen.append(cells[place])
        return tuple(chosen)


def broadcast(node: Node, *columns: Cells) -> list[Cells]:
    """The columns at one length. Raises ClaimError where worlds differ in size."""
    lengths = {len(column) for column in columns} - {1}
    if len(lengths) > 1:
        _fail(
            node,
            Text(
                ja="ランク数の違う量は、ランクごとに比べられません。",
                en="Quantities of worlds that differ in size can't be compared rank by rank.",
            ),
            Text(
                ja="max(x) などでまとめるか、x[0] のように選んでください。",
                en="Reduce them, such as max(x), or pick a rank, such as x[0].",
            ),
        )
    length = lengths.pop() if lengths else 1
    return [column * length if len(column) == 1 else column for column in columns]


def no_index(place: Node, index: Spread, width: int) -> ClaimError:
    """The mistake of a number that picks none of `width` ranks."""
    return ClaimError(
        Text(
            ja=f"番号は 0 から {width - 1} の整数です（ここは {_short(index)}）。",
            en=f"An index is whole, 0 to {width - 1}, not {_short(index)}.",
        ),
        start=place.start,
        end=place.end,
    )


def _short(value: Spread) -> str:
    return f"{float(value.value):.6g}"


def _fail(node: Node, message: Text, hint: Text | None = None) -> NoReturn:
    raise ClaimError(message, hint, start=node.start, end=node.end)
