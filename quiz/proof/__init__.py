"""A card and its evidence -> verdicts."""

from __future__ import annotations

from quiz.proof.assertions import Assertion, Role, assertions
from quiz.proof.judging import CardResult, CardVerdict, ClaimResult, Tried, Weakness, judge
from quiz.proof.plan import Plan, Variant, plan, proof_combinations
from quiz.proof.prover import Prover, Shelf, World

__all__ = [
    "Assertion", "CardResult", "CardVerdict", "ClaimResult", "Plan", "Prover", "Role", "Shelf",
    "Tried", "Variant", "Weakness", "World", "assertions", "judge", "plan", "proof_combinations",
]  # fmt: skip
