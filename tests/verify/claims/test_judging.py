"""Verdicts against hand arithmetic. A ring all-reduce sends 2(N−1)/N·S per rank: for 4 ranks and
4 MiB that is 6 MiB, 6,291,456 B; gloo adds 144 B a message, 6,293,184 B in all (1728 B, 0.027 %).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from verify.claims import (
    Claim,
    ClaimError,
    Judgement,
    Reference,
    Scope,
    Side,
    Verdict,
    evaluate,
    holds,
    join,
    judge,
    over_runs_lure,
    over_runs_truth,
    parse_claim,
    parse_expression,
)
from verify.quantities import Interval, Measured, Shape, Source, Unmeasured, per_rank, scalar
from verify.text import Text
from verify.units import BYTE, MiB

CONFIRMED, REFUTED, UNDECIDED = Verdict.CONFIRMED, Verdict.REFUTED, Verdict.UNDECIDED


def verdict(text: str, scope: Scope) -> Verdict:
    return judge(parse_claim(text), scope).verdict


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # exact arithmetic
        ("2*(ranks-1)/ranks*gradient == 6 MiB", CONFIRMED),
        ("wire_sent == 2*(ranks-1)/ranks*gradient", CONFIRMED),
        ("wire_sent == 6 MiB + 1 B", REFUTED),
        ("bubble_replay == (stages-1)/(microbatches+stages-1)", CONFIRMED),
        ("bubble_replay == 0.27272727272727272727", REFUTED),
        ("bubble_replay*11 == 3", CONFIRMED),
        ("sqrt(ranks) == log2(ranks)", CONFIRMED),
        ("sqrt(4/9) == 2/3", CONFIRMED),
        ("log2(1/8) == -3", CONFIRMED),
        ("ceil(7/2)-floor(7/2) == 1", CONFIRMED),
        ("abs(2-ranks) == 2", CONFIRMED),
        ("2**-2 == 0.25", CONFIRMED),
        ("-ranks**2 == 0-16", CONFIRMED),
        ("0.1+0.2 == 0.3", CONFIRMED),
        # an irrational root is enclosed, not exact
        ("sqrt(2)**2 == ranks/2", UNDECIDED),
        ("sqrt(2) == 1.41421356 ± 1e-8", CONFIRMED),
        ("log2(3) == 1.58496250072 ± 1e-11", CONFIRMED),
        ("log2(3) > 1.5", CONFIRMED),
        # tolerances
        ("wire_sent == 6 MiB - 1000 B ± 1 KiB", CONFIRMED),
        ("wire_sent == 6 MiB - 1025 B ± 1 KiB", REFUTED),
        ("wire_sent == 6 MiB - 1024 B ± 1 KiB", CONFIRMED),
        ("100*ranks == 396 ± 1%", REFUTED),  # 4 > 1 % of 396
        ("100*ranks == 404 ± 1%", CONFIRMED),  # 4 ≤ 4.04
        ("ranks == 5 ± 12.5% of microbatches", CONFIRMED),
        ("ranks == 6 ± 12.5% of microbatches", REFUTED),
        ("ranks != 5 ± 12.5% of microbatches", REFUTED),
        ("ranks != 6 ± 12.5% of microbatches", CONFIRMED),
        ("0-ranks == 0-4.01 ± 1%", CONFIRMED),
        # inequalities
        ("ranks < 4", REFUTED),
        ("ranks <= 4", CONFIRMED),
        ("ranks > 4", REFUTED),
        ("ranks >= 4", CONFIRMED),
        ("gradient_difference <= 1e-12", CONFIRMED),
        ("gradient_difference <= 1e-16", REFUTED),
        # floats: never equal without a tolerance, except to zero
        ("replica_spread == 0", CONFIRMED),
        ("replica_spread != 0", REFUTED),
        ("gradient_difference == 0", REFUTED),
        ("replica_spread == bubble_replay", UNDECIDED),
        ("gradient_difference == 1e-16", UNDECIDED),
        # intervals: 0.26 – 0.28 – 0.30
        ("bubble_wall == 0.28 ± 0.03", CONFIRMED),
        ("bubble_wall == 0.27 ± 0.02", UNDECIDED),
        ("bubble_wall == 0.2 ± 0.05", REFUTED),
        ("bubble_wall != 0.2 ± 0.05", CONFIRMED),
        ("bubble_wall < 0.31", CONFIRMED),
        ("bubble_wall < 0.28", UNDECIDED),
        ("bubble_wall > 0.30", REFUTED),
        ("bubble_wall == 0", REFUTED),
        ("1/bubble_wall < 4", CONFIRMED),
        ("busy == 1 s ± 101 ms", CONFIRMED),
        # ranks and matrices
        ("uneven == 11-2*rank", CONFIRMED),
        ("uneven == min(microbatches, stages-rank)", REFUTED),
        ("max(uneven) == 11", CONFIRMED),
        ("min(uneven) == 5", CONFIRMED),
        ("mean(uneven) == 8", CONFIRMED),
        ("sum(uneven) == ranks*8", CONFIRMED),
        ("uneven[ranks-1] == 5", CONFIRMED),
        ("uneven[rank] == uneven", CONFIRMED),
        ("max(uneven, 8) >= 8", CONFIRMED),
        ("sum(wire_matrix) == 24 MiB", CONFIRMED),
        ("wire_matrix[0,1] == 6 MiB", CONFIRMED),
        ("wire_matrix[1,0] == 0", CONFIRMED),
        ("wire_matrix[rank,rank] == 0", CONFIRMED),
        # not measurable here
        ("peak == 0", UNDECIDED),
        ("gradient == 4 MiB ± 1% of peak", UNDECIDED),
        ("logical == 6 MiB", UNDECIDED),
    ],
)
def test_verdicts(ring: Scope, text: str, expected: Verdict) -> None:
    assert verdict(text, ring) is expected


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("wire_sent == 1 s", "1 s"),
        ("wire_sent + 1 == 4 MiB", "wire_sent + 1"),
        ("busy*gradient == busy ± 1%", "busy"),
        ("gradient == 4 MiB ± 2", "2"),
        ("log2(gradient) == 2", "log2(gradient)"),
        ("sqrt(gradient) == 2 KiB", "sqrt(gradient)"),
        ("min(gradient, 1 s) == 0", "1 s"),
        ("uneven[gradient] == 0", "gradient"),
        ("wire_matrix == 0", "wire_matrix"),
        ("abs(wire_matrix) == 0", "wire_matrix"),
        ("wire_matrix[0] == 0", "wire_matrix[0]"),
        ("uneven[0,1] == 0", "uneven[0,1]"),
        ("ranks[0] == 0", "ranks[0]"),
        ("wire_send == 0", "wire_send"),
        ("base.wire_sent == 0", "base.wire_sent"),
        ("schedule == 1", "schedule"),
        ("uneven[4] == 0", "4"),
        ("uneven[0-1] == 0", "0-1"),
        ("uneven[1/2] == 0", "1/2"),
        ("uneven[bubble_wall] == 0", "bubble_wall"),
        ("1/(ranks-4) == 0", "1/(ranks-4)"),
        ("1/replica_spread == 0", "1/replica_spread"),
        ("0**-1 == 1", "0**-1"),
        ("sqrt(0-ranks) == 1", "sqrt(0-ranks)"),
        ("log2(ranks-4) == 1", "log2(ranks-4)"),
        ("ranks == ranks-4 ± 1%", "ranks-4"),
        ("ranks == 4 ± 1% of ranks-4", "ranks-4"),
        ("ranks == 4 ± ranks-5", "ranks-5"),
        ("((((2**16)**16)**16)**16) == ranks", "(((2**16)**16)**16)"),
    ],
)
def test_the_authors_mistakes(ring: Scope, text: str, fault: str) -> None:
    with pytest.raises(ClaimError) as caught:
        judge(parse_claim(text), ring)
    assert text[caught.value.start : caught.value.end].strip("()") == fault.strip("()")


def test_names_the_ranks_that_refute(make_scope: Callable[..., Scope]) -> None:
    scope = make_scope({"x": per_rank([1, 2, 1, 3])})
    judgement = judge(parse_claim("x == 1"), scope)
    assert (judgement.verdict, judgement.ranks) == (REFUTED, (1, 3))
    assert judge(parse_claim("max(x) == 1"), scope).ranks == ()


def test_any_rank_refutes_and_all_confirm(make_scope: Callable[..., Scope]) -> None:
    values = (Interval(0.8, 1.0, 1.2), Interval(0.9, 1.0, 1.1), Interval(2.0, 2.0, 2.0))
    noisy = Measured(BYTE, Shape.PER_RANK, Source.MEASURED, values[:2])
    judgement = judge(parse_claim("x == 1 B ± 0.15 B"), make_scope({"x": noisy}, 2))
    assert judgement.verdict is UNDECIDED
    assert judgement.reason is not None
    assert "spread" in judgement.reason.pick("en")
    off = Measured(BYTE, Shape.PER_RANK, Source.MEASURED, values)
    judgement = judge(parse_claim("x == 1 B ± 0.15 B"), make_scope({"x": off}, 3))
    assert (judgement.verdict, judgement.ranks) == (REFUTED, (2,))


def test_missing_readings_say_why(ring: Scope) -> None:
    judgement = judge(parse_claim("peak == 4 MiB"), ring)
    assert judgement.left is None
    assert judgement.right is not None
    assert judgement.right.to_json() == 4 * MiB
    assert judgement.reason == Text(ja="ここでは測れません。", en="Not measurable here.")


def test_a_derived_value_proves_nothing(ring: Scope) -> None:
    judgement = judge(parse_claim("logical == 7 MiB"), ring)
    assert judgement.verdict is UNDECIDED
    assert judgement.left is not None
    assert str(judgement.left) == "6.00 MiB"
    assert judgement.reason is not None
    assert "logical" in judgement.reason.pick("ja")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_value_that_is_not_finite_is_refused(
    make_scope: Callable[..., Scope], value: float
) -> None:
    with pytest.raises(ClaimError):
        judge(parse_claim("x <= 1"), make_scope({"x": scalar(value)}))


def test_gloo_counts_its_messages(make_scope: Callable[..., Scope]) -> None:
    scope = make_scope({"x": per_rank([6_293_184] * 4, BYTE)})
    assert verdict("x == 6 MiB ± 0.03%", scope) is CONFIRMED
    assert verdict("x == 6 MiB ± 0.02%", scope) is REFUTED
    assert verdict("x == 6 MiB + 144*12 B", scope) is CONFIRMED


def test_runs_are_compared(make_scope: Callable[..., Scope]) -> None:
    def named(run: str, *sent: int) -> Scope:
        scope = make_scope({"x": per_rank(sent)}, len(sent))
        return Scope(
            {Reference(run, r.name): d for r, d in scope.known.items()},
            {Reference(run, r.name): v for r, v in scope.held.items()},
            {run: len(sent)},
        )

    both = join(named("base", 3, 5), named("doubled", 6, 10))
    assert verdict("doubled.x == 2*base.x", both) is CONFIRMED
    assert verdict("doubled.x[0] == base.x[0]", both) is REFUTED
    assert verdict("base.x == 3+2*rank", both) is CONFIRMED
    unlike = join(named("base", 3, 5), named("wide", 3, 5, 7))
    with pytest.raises(ClaimError):
        verdict("wide.x == base.x", unlike)
    with pytest.raises(ClaimError):
        verdict("wide.x[0] == base.x[0] + rank", unlike)
    assert verdict("max(wide.x) > max(base.x)", unlike) is CONFIRMED
    with pytest.raises(ClaimError) as caught:
        verdict("x == 1", both)
    assert caught.value.hint is not None
    assert "base.x, doubled.x" in caught.value.hint.pick("en")


def test_results_and_varied_names_join_a_scope() -> None:
    scope = Scope().with_names({"ranks": 4, "payload": "4 MiB", "schedule": "1f1b", "on": True})
    result = evaluate(parse_expression("2*(ranks-1)/ranks*payload"), scope)
    assert result == Side((Interval.point(6 * MiB),), BYTE)
    assert verdict("result == 6 MiB", scope.with_names({"result": result.measured()})) is CONFIRMED
    for word in ("schedule", "on"):
        with pytest.raises(ClaimError):
            verdict(f"{word} == 1", scope)


def test_a_condition_on_parameters() -> None:
    scope = Scope().with_names({"stages": 4, "microbatches": 8})
    assert holds("microbatches >= 2*stages", scope)
    assert not holds("microbatches < stages", scope)


@pytest.mark.parametrize(
    ("text", "shown", "number", "exact"),
    [
        ("gradient*3/2", "6.00 MiB", 6 * MiB, str(6 * MiB)),
        ("bubble_replay", "3/11 = 0.2727", 3 / 11, "3/11"),
        ("ranks", "4", 4, "4"),
        ("uneven", "r0: 11, r1: 9, r2: 7, r3: 5", [11, 9, 7, 5], ["11", "9", "7", "5"]),
        ("wire_sent", "r0–r3: 6.00 MiB", [6 * MiB] * 4, [str(6 * MiB)] * 4),
        ("bubble_wall", "0.28 (0.26 – 0.3)", 0.28, None),
        ("replica_spread", "0", 0.0, None),
        ("busy/20", "50 ms (45 ms – 55 ms)", 0.05, None),
        ("0", "0", 0, "0"),
    ],
)
def test_sides(ring: Scope, text: str, shown: str, number: object, exact: object) -> None:
    side = evaluate(parse_expression(text), ring)
    assert side is not None
    assert str(side) == shown
    assert side.to_json() == number
    assert side.exact_json() == exact


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([CONFIRMED, CONFIRMED], CONFIRMED),
        ([CONFIRMED, UNDECIDED], UNDECIDED),
        ([CONFIRMED, UNDECIDED, REFUTED], REFUTED),
        ([UNDECIDED], UNDECIDED),
        ([], UNDECIDED),
    ],
)
def test_over_runs(verdicts: list[Verdict], expected: Verdict) -> None:
    side = Side((Interval.point(0),))
    judgements = [Judgement(verdict, side, side) for verdict in verdicts]
    assert over_runs_truth(judgements) is expected
    assert over_runs_lure(judgements) is expected


OPPOSITE = {"==": "!=", "<": ">=", ">": "<="}
OPPOSITE |= {after: before for before, after in OPPOSITE.items()}


@settings(deadline=None, max_examples=300, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_confirmed_and_refuted_exclude_each_other(
    claims: st.SearchStrategy[Claim], ring: Scope, data: st.DataObject
) -> None:
    """Judging raises nothing but ClaimError, and a claim's opposite gets the opposite verdict."""
    claim = data.draw(claims)
    opposite = Claim(claim.left, OPPOSITE[claim.comparison], claim.right, claim.tolerance)
    try:
        found = judge(claim, ring)
    except ClaimError:
        with pytest.raises(ClaimError):
            judge(opposite, ring)
        return
    # Per rank both can be refuted: some ranks refute the one, others the other.
    other = judge(opposite, ring).verdict
    assert {found.verdict, other} != {CONFIRMED}
    if not any(s is not None and s.shape is Shape.PER_RANK for s in (found.left, found.right)):
        assert (found.verdict is CONFIRMED) <= (other is REFUTED)


@settings(deadline=None)
@given(
    st.fractions(min_value=-50, max_value=50, max_denominator=20),
    st.fractions(min_value=0, max_value=5, max_denominator=20),
    st.fractions(min_value=0, max_value=1),
    st.fractions(min_value=0, max_value=5, max_denominator=20),
)
def test_a_verdict_holds_everywhere_inside_the_interval(
    make_scope: Callable[..., Scope], low: Fraction, width: Fraction, part: Fraction, wide: Fraction
) -> None:
    """Whatever the interval is judged, each point in it is judged likewise, if decided."""
    point = low + part * width
    interval = Measured(
        BYTE, Shape.SCALAR, Source.MEASURED, (Interval(low, low + width / 2, low + width),)
    )
    bound = scalar(wide, BYTE)
    text = "x*x == 100 B*1 B ± bound*1 B" if wide else "x >= 3 B"
    whole = verdict(text, make_scope({"x": interval, "bound": bound}))
    one = verdict(text, make_scope({"x": scalar(point, BYTE), "bound": bound}))
    assert whole in (UNDECIDED, one)


def test_unmeasured_is_never_a_number(make_scope: Callable[..., Scope]) -> None:
    gone = Unmeasured(Text(ja="なし", en="none"))
    assert verdict("x == x", make_scope({"x": gone})) is UNDECIDED
