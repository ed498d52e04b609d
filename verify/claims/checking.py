"""What can be said of a claim before any run: names, units, shapes, and equality that can't hold.

`infer` finds the unit and the shape of an expression; judging relies on it, so that arithmetic
itself never meets two units or a matrix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from verify.claims.arithmetic import DIVISION_BY_ZERO, Undecidable
from verify.claims.errors import ClaimError
from verify.claims.evaluate import Cells, Evaluator, no_index
from verify.claims.scope import Scope, Signature
from verify.claims.tree import (
    RANK,
    REDUCTIONS,
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
    Within,
    WithinPercent,
    children,
    is_constant,
    names,
    roots,
    walk,
)
from verify.quantities import Shape
from verify.text import Text, verbatim
from verify.units import ONE, Unit

_UNIT_NAMES = {"1": Text(ja="単位のない数", en="a plain number")}


@dataclass(frozen=True, slots=True)
class Form:
    """Unit and shape of an expression. `unit` is None for a literal 0, which has any unit."""

    unit: Unit | None
    shape: Shape = Shape.SCALAR
    exact: bool = True  # False where a clock or an irrational constant makes it inexact for sure
    zero: bool = False  # a literal 0


def infer(expression: Expression, known: Signature) -> tuple[Form | None, list[ClaimError]]:
    """The form of an expression, None where a mistake hides it, and the mistakes found."""
    inference = _Inference(known)
    form = inference.plain(expression)
    return form, inference.errors


def form_errors(claim: Claim, known: Signature) -> tuple[Form | None, list[ClaimError]]:
    """The form of the comparison, and mistakes in names, units and shapes."""
    inference = _Inference(known)
    left, right = inference.plain(claim.left), inference.plain(claim.right)
    form = inference.united(claim.right, left, right)
    for amount in roots(claim)[2:]:
        bound = inference.plain(amount)
        whole = inference.united(amount, form, bound)
        form = whole if whole is None or form is None else replace(form, shape=whole.shape)
    return form, inference.errors


def check(claim: Claim, known: Signature) -> tuple[ClaimError, ...]:
    """Every mistake that can be seen without running: what lint reports.

    On top of names, units and shapes: a claim about nothing or of two equal sides, a constant that
    has no value, a tolerance relative to 0, and an equality without tolerance where a side can't be
    exact.
    """
    form, errors = form_errors(claim, known)
    if errors:
        return tuple(errors)
    if (idle := measures_nothing(claim, known)) is not None:
        return (idle,)
    if claim.left == claim.right:
        message = Text(
            ja="左辺と右辺が同じなので、どんな測定でも結果が変わりません。",
            en="Both sides are the same, so no measurement can decide it.",
        )
        return (ClaimError(message, start=claim.start, end=claim.end),)
    errors += [error for root in roots(claim) for error in _constant_errors(root)]
    if errors:
        return tuple(errors)
    tolerance = claim.tolerance
    if isinstance(tolerance, Within) and _is_no_amount(tolerance.amount):
        amount = tolerance.amount
        errors.append(ClaimError(NO_AMOUNT, TOLERANCE_HINT, start=amount.start, end=amount.end))
    if isinstance(tolerance, WithinPercent):
        base = tolerance.of or claim.right
        if is_zero(base):
            errors.append(relative_to_zero(base))
    if tolerance is None and claim.comparison in ("==", "!=") and form is not None:
        exact = form.exact or is_zero(claim.left) or is_zero(claim.right)
        if not exact:
            errors.append(
                ClaimError(TOLERANCE_NEEDED, TOLERANCE_HINT, start=claim.start, end=claim.end)
            )
    return tuple(errors)


def measures_nothing(claim: Claim, known: Signature) -> ClaimError | None:
    """The mistake of a claim about parameters and constants alone, whose names are all known."""
    if not all(known[name].given for name in names(claim)):
        return None
    message = Text(
        ja="測定する量がなく、どの実行でも反証できない主張です。",
        en="The claim names no measured quantity, so no run can refute it.",
    )
    return ClaimError(message, start=claim.start, end=claim.end)


def beyond_ranks(claim: Claim, ranks: Mapping[str | None, int]) -> tuple[ClaimError, ...]:
    """The constant indices of a claim that pick no rank, given the number of ranks of each run."""
    return tuple(
        no_index(index, cell, width)
        for node, _ in walk(claim)
        if isinstance(node, Element) and (width := ranks.get(node.target.run)) is not None
        for index in node.indices
        for cell in _constant_cells(index) or ()
        if cell.value >= width
    )


TOLERANCE_NEEDED = Text(
    ja="厳密でない値どうしを、許容差なしで等しいとは判定できません。",
    en="Values that aren't exact can't be judged equal without a tolerance.",
)
NO_AMOUNT = Text(
    ja="許容差は 0 より大きくなければなりません。", en="A tolerance must be more than 0."
)
TOLERANCE_HINT = Text(
    ja="「± 1%」のように許容差を付けてください。",
    en="Add a tolerance, such as ± 1%.",
)


def relative_to_zero(place: Node) -> ClaimError:
    """A tolerance of some percent of 0."""
    return ClaimError(
        Text(
            ja="0 に対する割合の許容差は使えません。", en="A tolerance can't be a percentage of 0."
        ),
        Text(
            ja="± 2 KiB のような絶対値か、± 1% of gradient のように基準を書いてください。",
            en="Give an amount, such as ± 2 KiB, or a base, such as ± 1% of gradient.",
        ),
        start=place.start,
        end=place.end,
    )


def is_zero(expression: Expression) -> bool:
    """Whether an expression is a constant equal to 0."""
    if isinstance(expression, Number):
        return expression.value == 0
    cells = _constant_cells(expression)
    return cells is not None and all(cell.exact and cell.value == 0 for cell in cells)


def _is_no_amount(expression: Expression) -> bool:
    """Whether an amount is a constant that isn't positive."""
    cells = _constant_cells(expression)
    return cells is not None and all(cell.value <= 0 for cell in cells)


def _constant_cells(expression: Expression) -> Cells | None:
    """What a constant comes to; None of what names something or has no value."""
    if not is_constant(expression):
        return None
    try:
        return Evaluator(Scope()).cells(expression)
    except (ClaimError, Undecidable):
        return None


def _constant_errors(node: Expression) -> list[ClaimError]:
    """Mistakes of arithmetic with literals: x/0, sqrt(-1)."""
    if isinstance(node, Number | Name):
        return []
    if not is_constant(node):  # costs little: it stops at the first name
        errors = [error for child in children(node) for error in _constant_errors(child)]
        if isinstance(node, Binary) and node.operator == "/" and is_zero(node.right):
            errors.append(ClaimError(DIVISION_BY_ZERO, start=node.start, end=node.end))
        return errors
    try:
        Evaluator(Scope()).cells(node)
    except ClaimError as error:
        return [error]
    except Undecidable:
        return []
    return []


class _Inference:
    def __init__(self, known: Signature) -> None:
        self.known = known
        self.errors: list[ClaimError] = []

    def wrong(self, place: Node, ja: str, en: str, hint: Text | None = None) -> None:
        error = ClaimError(Text(ja=ja, en=en), hint, start=place.start, end=place.end)
        self.errors.append(error)

    def plain(self, node: Expression) -> Form | None:
        """The form of something that isn't a matrix as a whole."""
        form = self.form(node)
        if form is None or form.shape is not Shape.MATRIX:
            return form
        self.wrong(
            node,
            "行列はそのままでは計算できません。",
            "A matrix can't be computed with as a whole.",
            Text(
                ja="m[i, j] で要素を選ぶか、sum(m) などでまとめてください。",
                en="Pick an element, m[i, j], or reduce it, such as sum(m).",
            ),
        )
        return None

    def form(self, node: Expression) -> Form | None:  # noqa: PLR0911 # one for each kind of node
        match node:
            case Number(value, unit):
                zero = value == 0
                return Form(None if zero and unit == ONE else unit, zero=zero)
            case Name():
                return self.name(node)
            case Element(target, indices):
                return self.element(node, target, indices)
            case Negate(operand):
                return self.plain(operand)
            case Binary():
                return self.binary(node)
            case Power(base, exponent):
                form = self.plain(base)
                if form is None or form.unit is None:
                    return form
                return replace(form, unit=form.unit**exponent)
            case Call(function, arguments):
                return self.call(node, function, arguments)

    def name(self, node: Name) -> Form | None:
        if node.is_rank:
            return Form(ONE, Shape.PER_RANK)
        declared = self.known.get(node.reference)
        if declared is None:
            self.wrong(
                node,
                f"{str(node.reference)[:80]} という量やパラメータはありません。",
                f"There is no quantity or parameter {str(node.reference)[:80]}.",
                self.suggestion(node),
            )
            return None
        if not declared.number:
            self.wrong(
                node,
                f"{node.reference} は数ではないので、計算に使えません。",
                f"{node.reference} is no number, so a claim can't compute with it.",
                Text(
                    ja="選択肢やスイッチのパラメータは、proof の with で指定してください。",
                    en="Choices and switches are set in the proof's `with`.",
                ),
            )
            return None
        return Form(declared.unit, declared.shape, exact=not declared.timed)

    def suggestion(self, node: Name) -> Text:
        in_runs = [str(r) for r in sorted(self.known, key=str) if r.run and r.name == node.name]
        if node.run is None and in_runs:
            listed = ", ".join(in_runs)
            return Text(ja=f"実行名を付けてください: {listed}", en=f"Say of which run: {listed}")
        from difflib import get_close_matches  # only where a message is due

        candidates = sorted({str(reference) for reference in self.known} | {RANK})
        close = get_close_matches(str(node.reference), candidates, n=3, cutoff=0.6)
        if close:
            return Text(ja=f"もしかして: {', '.join(close)}", en=f"Perhaps: {', '.join(close)}")
        return verbatim(", ".join(candidates))

    def element(self, node: Element, target: Name, indices: tuple[Expression, ...]) -> Form | None:
        form = self.form(target)
        shape = Shape.SCALAR
        for index in indices:
            found = self.plain(index)
            if found is None:
                continue
            if found.unit not in (None, ONE) or not found.exact:
                self.wrong(
                    index,
                    "番号は単位のない整数でなければなりません。",
                    "An index must be a whole number without a unit.",
                )
            elif not _may_be_index(index):
                self.wrong(
                    index,
                    "番号は 0 以上の整数です。",
                    "An index is a whole number from 0.",
                )
            if found.shape is Shape.PER_RANK:
                shape = Shape.PER_RANK
        if form is None:
            return None
        needed = {Shape.SCALAR: 0, Shape.PER_RANK: 1, Shape.MATRIX: 2}[form.shape]
        if needed != len(indices):
            self.wrong(
                node,
                f"{target.reference} に付ける番号は {needed} 個です。",
                f"{target.reference} takes {needed} indices, not {len(indices)}.",
            )
            return None
        return replace(form, shape=shape)

    def binary(self, node: Binary) -> Form | None:
        left, right = self.plain(node.left), self.plain(node.right)
        if node.operator in ("+", "-"):
            return self.united(node, left, right)
        if left is None or right is None:
            return None
        shape = _wider(left.shape, right.shape)
        exact = left.exact and right.exact
        if left.unit is None or right.unit is None:
            return Form(None, shape, exact)
        times = node.operator == "*"
        unit = left.unit * right.unit if times else left.unit / right.unit
        return Form(unit, shape, exact)

    def united(self, place: Node, left: Form | None, right: Form | None) -> Form | None:
        """Two forms that are added or compared: their units must be the same."""
        if left is None or right is None:
            return None
        if left.unit is not None and right.unit is not None and left.unit != right.unit:
            first, second = (_named(unit) for unit in (left.unit, right.unit))
            self.wrong(
                place,
                f"単位が合いません: {first.pick('ja')} と {second.pick('ja')}。",
                f"Units differ: {first.pick('en')} and {second.pick('en')}.",
            )
            return None
        unit = left.unit if left.unit is not None else right.unit
        return Form(unit, _wider(left.shape, right.shape), left.exact and right.exact)

    def call(self, node: Call, function: str, arguments: tuple[Expression, ...]) -> Form | None:
        if function in REDUCTIONS and len(arguments) == 1:
            form = self.form(arguments[0])
            return None if form is None else replace(form, shape=Shape.SCALAR, zero=False)
        forms = [self.plain(argument) for argument in arguments]
        form = forms[0]
        for argument, other in zip(arguments[1:], forms[1:], strict=True):
            form = self.united(argument, form, other)
        if form is None:
            return None
        if function == "log2" and form.unit not in (None, ONE):
            self.wrong(
                node,
                f"対数は単位のない数だけに使えます（ここは {form.unit}）。",
                f"A logarithm takes a plain number, not {form.unit}.",
            )
            return None
        if function == "sqrt" and form.unit is not None:
            if form.unit.bytes % 2 or form.unit.seconds % 2:
                self.wrong(
                    node,
                    f"{form.unit} の平方根には単位がありません。",
                    f"The square root of {form.unit} has no unit.",
                )
                return None
            return replace(form, unit=Unit(form.unit.bytes // 2, form.unit.seconds // 2))
        return replace(form, zero=False)


def _may_be_index(index: Expression) -> bool:
    """Whether a constant is a whole number from 0; what names something is seen in a run."""
    cells = _constant_cells(index)  # one without a value is found as that
    return cells is None or all(cell.value >= 0 and cell.value.denominator == 1 for cell in cells)


def _wider(left: Shape, right: Shape) -> Shape:
    return Shape.PER_RANK if Shape.PER_RANK in (left, right) else Shape.SCALAR


def _named(unit: Unit) -> Text:
    return _UNIT_NAMES.get(str(unit), verbatim(str(unit)))
