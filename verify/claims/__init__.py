"""Claims: statements about measured quantities, as data.

A claim is text in a deck or a law of an experiment. It is parsed into a frozen tree, checked
against the names that an experiment declares, judged against the readings of a run, mutated to see
that it can fail, and written in plain words.
"""

from __future__ import annotations

from verify.claims.approximate import approximate
from verify.claims.checking import beyond_ranks, check, measures_nothing
from verify.claims.errors import ClaimError
from verify.claims.grammar import parse_claim, parse_expression
from verify.claims.judging import (
    Judgement,
    Verdict,
    evaluate,
    holds,
    judge,
    over_runs_lure,
    over_runs_truth,
)
from verify.claims.mutants import COUNTS, Mutant, mutants, needs_fault, survivors
from verify.claims.printing import render
from verify.claims.scope import (
    Declared,
    Scope,
    Signature,
    join,
    parameter_scope,
    parameter_signature,
    scope_of,
    signature,
)
from verify.claims.side import Side, format_number
from verify.claims.substitute import substitute
from verify.claims.tolerating import clearly_apart, tolerates
from verify.claims.tree import Claim, Expression, Name, Reference, names
from verify.claims.words import Meanings, in_words, meanings_of

__all__ = [
    "COUNTS",
    "Claim",
    "ClaimError",
    "Declared",
    "Expression",
    "Judgement",
    "Meanings",
    "Mutant",
    "Name",
    "Reference",
    "Scope",
    "Side",
    "Signature",
    "Verdict",
    "approximate",
    "beyond_ranks",
    "check",
    "clearly_apart",
    "evaluate",
    "format_number",
    "holds",
    "in_words",
    "join",
    "judge",
    "meanings_of",
    "measures_nothing",
    "mutants",
    "names",
    "needs_fault",
    "over_runs_lure",
    "over_runs_truth",
    "parameter_scope",
    "parameter_signature",
    "parse_claim",
    "parse_expression",
    "render",
    "scope_of",
    "signature",
    "substitute",
    "survivors",
    "tolerates",
]
