"""The frozen tree of a claim: what evaluation, mutants, words and positions of errors share.

Every node knows the characters it was read from; two trees are equal whatever their positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from verify.units import Unit

FUNCTIONS = ("min", "max", "sum", "mean", "ceil", "floor", "log2", "sqrt", "abs")
REDUCTIONS = frozenset({"min", "max", "sum", "mean"})
TIMES = {"s": Fraction(1), "ms": Fraction(1, 10**3), "us": Fraction(1, 10**6)}  # in seconds
RANK = "rank"  # the per-rank index, 0 … ranks-1


@dataclass(frozen=True, slots=True, order=True)
class Reference:
    """A name that a claim uses: a quantity or parameter, of the only run or of a named one."""

    run: str | None
    name: str

    def __str__(self) -> str:
        return self.name if self.run is None else f"{self.run}.{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """`start` and `end` are offsets into the text; parentheses around a node aren't part of it."""

    start: int = field(default=0, compare=False, repr=False)
    end: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A literal, never negative, in bytes or seconds where it was written with a unit."""

    value: Fraction
    unit: Unit


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A quantity, a parameter, or `rank`."""

    run: str | None
    name: str

    @property
    def reference(self) -> Reference:
        return Reference(self.run, self.name)

    @property
    def is_rank(self) -> bool:
        return self.run is None and self.name == RANK


@dataclass(frozen=True, slots=True)
class Element(Node):
    """`x[i]` of a per-rank quantity, `m[i, j]` of a matrix: what i sent to j."""

    target: Name
    indices: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Negate(Node):
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """`operator` is one of `+ - * /`."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Power(Node):
    """A whole power, so that the unit of the result is known without evaluating."""

    base: Expression
    exponent: int


@dataclass(frozen=True, slots=True)
class Call(Node):
    """`function` is one of FUNCTIONS."""

    function: str
    arguments: tuple[Expression, ...]


Expression = Number | Name | Element | Negate | Binary | Power | Call


@dataclass(frozen=True, slots=True)
class Within(Node):
    """`± 2 KiB`: an absolute tolerance, in the unit of the sides."""

    amount: Expression


@dataclass(frozen=True, slots=True)
class WithinPercent(Node):
    """`± 1%` of the absolute right side, or `± 1% of` something else."""

    percent: Fraction
    of: Expression | None = None


Tolerance = Within | WithinPercent


@dataclass(frozen=True, slots=True)
class Claim(Node):
    """`left comparison right`, with a tolerance only beside `==` and `!=`."""

    left: Expression
    comparison: str
    right: Expression
    tolerance: Tolerance | None = None


def children(node: Expression) -> tuple[Expression, ...]:
    """The direct parts of an expression, in the order of the text."""
    match node:
        case Binary(_, left, right):
            return (left, right)
        case Element(target, indices):
            return (target, *indices)
        case Negate(operand):
            return (operand,)
        case Power(base, _):
            return (base,)
        case Call(_, arguments):
            return arguments
        case _:
            return ()


def roots(tree: Claim | Expression) -> tuple[Expression, ...]:
    """The expressions of a claim: left, right and what its tolerance holds."""
    if not isinstance(tree, Claim):
        return (tree,)
    match tree.tolerance:
        case Within(amount):
            return (tree.left, tree.right, amount)
        case WithinPercent(_, of) if of is not None:
            return (tree.left, tree.right, of)
        case _:
            return (tree.left, tree.right)


def walk(tree: Claim | Expression) -> Iterator[tuple[Expression, int]]:
    """Every node with its depth, the root's being 1. Without recursion, whatever the depth."""
    pending = [(root, 1) for root in reversed(roots(tree))]
    while pending:
        node, depth = pending.pop()
        yield node, depth
        pending.extend((child, depth + 1) for child in reversed(children(node)))


def names(tree: Claim | Expression) -> frozenset[Reference]:
    """The quantities and parameters that a claim or an expression uses; `rank` is neither."""
    found: set[Reference] = set()
    pending = list(roots(tree))
    while pending:
        node = pending.pop()
        if isinstance(node, Name):
            if not node.is_rank:
                found.add(node.reference)
        elif not isinstance(node, Number):
            pending.extend(children(node))
    return frozenset(found)


def is_constant(node: Expression) -> bool:
    """Whether an expression is made of literals alone."""
    return isinstance(node, Number) or (
        not isinstance(node, Name) and all(map(is_constant, children(node)))
    )


def variants(
    node: Expression, change: Callable[[Expression], Iterator[Expression]]
) -> Iterator[Expression]:
    """`node` with one of its parts changed, once for each change that `change` offers.

    Indices are left alone: another rank's value is another quantity, not a looser formula.
    """
    yield from change(node)
    match node:
        case Negate(operand):
            yield from (replace(node, operand=new) for new in variants(operand, change))
        case Binary(_, left, right):
            yield from (replace(node, left=new) for new in variants(left, change))
            yield from (replace(node, right=new) for new in variants(right, change))
        case Power(base, _):
            yield from (replace(node, base=new) for new in variants(base, change))
        case Call(_, arguments):
            for place, argument in enumerate(arguments):
                for new in variants(argument, change):
                    changed = (*arguments[:place], new, *arguments[place + 1 :])
                    yield replace(node, arguments=changed)
        case _:
            pass
