"""Claims against readings: verdicts.

How a comparison is decided, `d` being left − right and `t` the tolerance (0 without one), both
intervals: `==` is confirmed where the whole of |d| is ≤ t, refuted where the whole of it is > t,
else undecided; `!=` the other way round; an inequality likewise by the sign of d.

Equality without a tolerance is for exact values. One exception: anything may be compared with an
exact 0, since a difference of floats that is exactly 0.0 says that they are equal to the bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from verify.claims.arithmetic import (
    TOO_NOISY,
    Spread,
    Undecidable,
    absolute,
    exactly,
    multiply,
    subtract,
)
from verify.claims.checking import (
    TOLERANCE_HINT,
    TOLERANCE_NEEDED,
    Form,
    form_errors,
    infer,
    relative_to_zero,
)
from verify.claims.errors import ClaimError
from verify.claims.evaluate import Cells, Evaluator, broadcast
from verify.claims.grammar import parse_claim
from verify.claims.scope import Scope
from verify.claims.side import Side
from verify.claims.tree import Claim, Expression, Within, WithinPercent, names, roots
from verify.quantities import Measured, Shape, Source
from verify.text import Text
from verify.units import ONE


class Verdict(StrEnum):
    """Of a claim."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a claim, with what was compared.

    A side is None where a reading is missing. `ranks` are those that refute a claim judged per
    rank; `reason` is why it is undecided.
    """

    verdict: Verdict
    left: Side | None
    right: Side | None
    ranks: tuple[int, ...] = ()
    reason: Text | None = None


_DERIVED = Text(
    ja="{name} はここでは測れません。論理的な大きさから導いた値なので、証拠になりません。",
    en="{name} can't be measured here: derived from logical sizes, it proves nothing.",
)


def evaluate(expression: Expression, scope: Scope) -> Side | None:
    """The value of an expression; None where a reading is missing. Raises ClaimError."""
    form, errors = infer(expression, scope.known)
    if form is None or errors:
        raise errors[0]
    side, _, _ = _side(expression, Evaluator(scope, expression), form)
    return side


def judge(claim: Claim, scope: Scope) -> Judgement:
    """The verdict on a claim. Raises ClaimError where the claim itself is wrong."""
    form, errors = form_errors(claim, scope.known)
    if form is None or errors:
        raise errors[0]
    evaluator = Evaluator(scope, claim)
    shapes = (infer(root, scope.known)[0] or form for root in roots(claim)[:2])
    left_form, right_form = (replace(form, shape=own.shape) for own in shapes)
    left, left_cells, left_reason = _side(claim.left, evaluator, left_form)
    right, right_cells, right_reason = _side(claim.right, evaluator, right_form)
    reason = left_reason or right_reason or _derived(claim, scope)
    if reason is None:
        try:
            verdicts = _verdicts(claim, evaluator, left_cells, right_cells)
        except Undecidable as undecidable:
            reason = undecidable.reason
    if reason is not None:
        return Judgement(Verdict.UNDECIDED, left, right, reason=reason)
    overall = all_of(verdicts)
    per_rank = form.shape is Shape.PER_RANK
    refuting = tuple(r for r, v in enumerate(verdicts) if v is Verdict.REFUTED and per_rank)
    noisy = TOO_NOISY if overall is Verdict.UNDECIDED else None
    return Judgement(overall, left, right, refuting, noisy)


def holds(condition: str, scope: Scope) -> bool:
    """Whether a condition on parameters (a law's `when`) is confirmed. Raises ClaimError."""
    return judge(parse_claim(condition), scope).verdict is Verdict.CONFIRMED


def all_of(verdicts: Iterable[Verdict]) -> Verdict:
    """Of a statement about all of several: any refuted refutes it; no verdict is undecided."""
    found = set(verdicts)
    if Verdict.REFUTED in found:
        return Verdict.REFUTED
    return Verdict.CONFIRMED if found == {Verdict.CONFIRMED} else Verdict.UNDECIDED


def over_runs_truth(judgements: Iterable[Judgement]) -> Verdict:
    """Of a truth over several runs or combinations: it must be confirmed in all."""
    return all_of(judgement.verdict for judgement in judgements)


def over_runs_lure(judgements: Iterable[Judgement]) -> Verdict:
    """Of a lure's own claim, so that *refuted* is the good news: one run that refutes it is enough.

    It is the same reading as a truth's, "holds in all runs"; what a card wants of it is opposite.
    """
    return all_of(judgement.verdict for judgement in judgements)


def _side(
    expression: Expression, evaluator: Evaluator, form: Form
) -> tuple[Side | None, Cells, Text | None]:
    try:
        cells = evaluator.cells(expression)
    except Undecidable as undecidable:
        return None, (), undecidable.reason
    intervals = tuple(cell.interval() for cell in cells)
    return Side(intervals, form.unit or ONE, form.shape), cells, None


def _derived(claim: Claim, scope: Scope) -> Text | None:
    for reference in sorted(names(claim), key=str):
        held = scope.held[reference]
        if isinstance(held, Measured) and held.source is Source.DERIVED:
            return _DERIVED.fill(name=reference)
    return None


def _verdicts(claim: Claim, evaluator: Evaluator, left: Cells, right: Cells) -> list[Verdict]:
    columns = broadcast(claim, left, right, _bound(claim, evaluator, right))
    rows = list(zip(*columns, strict=True))
    if claim.tolerance is None and claim.comparison in ("==", "!="):
        for one, other, _ in rows:
            _require_exact(one, other)
    decide = _DECIDE[claim.comparison]
    return [decide(subtract(one, other), bound) for one, other, bound in rows]


def _require_exact(left: Spread, right: Spread) -> None:
    against_zero = any(side.exact and side.value == 0 for side in (left, right))
    if not against_zero and not (left.exact and right.exact):
        needed, hint = TOLERANCE_NEEDED, TOLERANCE_HINT
        raise Undecidable(Text(ja=f"{needed.ja}{hint.ja}", en=f"{needed.en} {hint.en}"))


def _bound(claim: Claim, evaluator: Evaluator, right: Cells) -> Cells:
    match claim.tolerance:
        case None:
            return (exactly(0),)
        case Within(amount):
            bound = evaluator.cells(amount)
            if any(cell.value < 0 for cell in bound):
                message = Text(ja="許容差が負です。", en="The tolerance is negative.")
                raise ClaimError(message, start=amount.start, end=amount.end)
            return bound
        case WithinPercent(percent, of):
            base = right if of is None else evaluator.cells(of)
            if any(cell.value == 0 for cell in base):
                raise relative_to_zero(of or claim.right)
            share = exactly(percent / 100)
            return tuple(multiply(share, absolute(cell)) for cell in base)


def _equal(difference: Spread, bound: Spread) -> Verdict:
    distance = absolute(difference)
    if distance.high <= bound.low:
        return Verdict.CONFIRMED
    return Verdict.REFUTED if distance.low > bound.high else Verdict.UNDECIDED


def _not(decide: Callable[[Spread, Spread], Verdict]) -> Callable[[Spread, Spread], Verdict]:
    opposite = {
        Verdict.CONFIRMED: Verdict.REFUTED,
        Verdict.REFUTED: Verdict.CONFIRMED,
        Verdict.UNDECIDED: Verdict.UNDECIDED,
    }
    return lambda difference, bound: opposite[decide(difference, bound)]


def _less(difference: Spread, _: Spread) -> Verdict:
    if difference.high < 0:
        return Verdict.CONFIRMED
    return Verdict.REFUTED if difference.low >= 0 else Verdict.UNDECIDED


def _greater(difference: Spread, _: Spread) -> Verdict:
    if difference.low > 0:
        return Verdict.CONFIRMED
    return Verdict.REFUTED if difference.high <= 0 else Verdict.UNDECIDED


_DECIDE: dict[str, Callable[[Spread, Spread], Verdict]] = {
    "==": _equal,
    "!=": _not(_equal),
    "<": _less,
    ">=": _not(_less),
    ">": _greater,
    "<=": _not(_greater),
}
