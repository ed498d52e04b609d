"""All of `verify` that `quiz` may use. Importing it brings no torch."""

from __future__ import annotations

from verify.catalogue import GROUP as EXPERIMENTS
from verify.catalogue import experiment_names, find_experiment
from verify.claims import (
    Claim,
    ClaimError,
    Declared,
    Expression,
    Judgement,
    Mutant,
    Name,
    Reference,
    Scope,
    Side,
    Verdict,
    approximate,
    clearly_apart,
    evaluate,
    in_words,
    join,
    judge,
    mutants,
    names,
    needs_fault,
    over_runs_lure,
    over_runs_truth,
    parse_claim,
    parse_expression,
    render,
    scope_of,
    signature,
    survivors,
    tolerates,
)
from verify.claims import check as check_claim
from verify.claims import names as claim_names
from verify.claims.mathml import formula_mathml
from verify.claims.substitute import substitute
from verify.cli import Surroundings as VerifySurroundings
from verify.cli import app as verify_app
from verify.cli import look_now
from verify.errors import NotInstalled, ProofdeckError, RunFailed, UnknownName, UsageError
from verify.evidence import Evidence
from verify.experiment import Between, Experiment, Law, OneOf, Parameter, values_of
from verify.guesses import Guess, ask_numbers, off_by, read_line
from verify.guesses import say as say_aside
from verify.language import chosen as language_named
from verify.language import from_environment as language_from_environment
from verify.language import from_locale as language_from_locale
from verify.laws import laws_about, words_of
from verify.quantities import Value
from verify.report import file as report_file
from verify.report.columns import cells, cut, pad, printable, table, wrap
from verify.report.html import ClaimPart, Entry, command_of, document, filters_of, tone_of
from verify.report.html import both as in_both
from verify.report.ledger import Line as LedgerLine
from verify.report.ledger import draw as draw_ledger
from verify.report.plain import plain
from verify.report.progress import ProgressLine, of_several
from verify.report.progress import words as progress_words
from verify.report.run import Look
from verify.report.run import pictures as draw_pictures
from verify.report.trace import trace as trace_of
from verify.text import LANGUAGES, Language, Text, verbatim
from verify.units import BYTE, ONE, SECOND, Unit, format_size, parse_size
from verify.worlds.local import LocalWorld
from verify.worlds.request import OnProgress, Request, request_key
from verify.worlds.request import Progress as RunProgress
from verify.worlds.request import ignore as ignore_progress

__all__ = [
    "BYTE",
    "EXPERIMENTS",
    "LANGUAGES",
    "ONE",
    "SECOND",
    "Between",
    "Claim",
    "ClaimError",
    "ClaimPart",
    "Declared",
    "Entry",
    "Evidence",
    "Experiment",
    "Expression",
    "Guess",
    "Judgement",
    "Language",
    "Law",
    "LedgerLine",
    "LocalWorld",
    "Look",
    "Mutant",
    "Name",
    "NotInstalled",
    "OnProgress",
    "OneOf",
    "Parameter",
    "ProgressLine",
    "ProofdeckError",
    "Reference",
    "Request",
    "RunFailed",
    "RunProgress",
    "Scope",
    "Side",
    "Text",
    "Unit",
    "UnknownName",
    "UsageError",
    "Value",
    "Verdict",
    "VerifySurroundings",
    "approximate",
    "ask_numbers",
    "cells",
    "check_claim",
    "claim_names",
    "clearly_apart",
    "command_of",
    "cut",
    "document",
    "draw_ledger",
    "draw_pictures",
    "evaluate",
    "experiment_names",
    "filters_of",
    "find_experiment",
    "format_size",
    "formula_mathml",
    "ignore_progress",
    "in_both",
    "in_words",
    "join",
    "judge",
    "language_from_environment",
    "language_from_locale",
    "language_named",
    "laws_about",
    "look_now",
    "mutants",
    "names",
    "needs_fault",
    "of_several",
    "off_by",
    "over_runs_lure",
    "over_runs_truth",
    "pad",
    "parse_claim",
    "parse_expression",
    "parse_size",
    "plain",
    "printable",
    "progress_words",
    "read_line",
    "render",
    "report_file",
    "request_key",
    "say_aside",
    "scope_of",
    "signature",
    "substitute",
    "survivors",
    "table",
    "tolerates",
    "tone_of",
    "trace_of",
    "values_of",
    "verbatim",
    "verify_app",
    "words_of",
    "wrap",
]  # fmt: skip
