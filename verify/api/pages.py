"""What evidence looks like: in a terminal, as a page, as a trace."""

from __future__ import annotations

from verify.claims.mathml import formula_mathml
from verify.report.html import ClaimPart, Entry, command_of, document, filters_of, tone_of
from verify.report.html import both as in_both
from verify.report.ledger import Line as LedgerLine
from verify.report.ledger import draw as draw_ledger
from verify.report.plain import plain
from verify.report.run import Look
from verify.report.run import pictures as draw_pictures
from verify.report.trace import trace as trace_of

__all__ = [
    "ClaimPart",
    "Entry",
    "LedgerLine",
    "Look",
    "command_of",
    "document",
    "draw_ledger",
    "draw_pictures",
    "filters_of",
    "formula_mathml",
    "in_both",
    "plain",
    "tone_of",
    "trace_of",
]
