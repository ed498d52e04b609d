"""A claim with an expression in the place of a name: what a compute card's `result` stands for."""

from __future__ import annotations

from dataclasses import replace

from verify.claims.tree import (
    Binary,
    Call,
    Claim,
    Element,
    Expression,
    Name,
    Negate,
    Power,
    Reference,
    Within,
    WithinPercent,
)


def substitute(claim: Claim, name: str, expression: Expression) -> Claim:
    """`claim` with `expression` wherever the name without a run stands, indices left alone."""
    target = Reference(None, name)

    def put(node: Expression) -> Expression:
        match node:
            case Name() if node.reference == target:
                return expression
            case Negate(operand):
                return replace(node, operand=put(operand))
            case Binary(_, left, right):
                return replace(node, left=put(left), right=put(right))
            case Power(base, _):
                return replace(node, base=put(base))
            case Call(_, arguments):
                return replace(node, arguments=tuple(map(put, arguments)))
            case Element() | _:
                return node

    tolerance = claim.tolerance
    if isinstance(tolerance, Within):
        tolerance = replace(tolerance, amount=put(tolerance.amount))
    elif isinstance(tolerance, WithinPercent) and tolerance.of is not None:
        tolerance = replace(tolerance, of=put(tolerance.of))
    return replace(claim, left=put(claim.left), right=put(claim.right), tolerance=tolerance)
