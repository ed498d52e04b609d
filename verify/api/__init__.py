"""All of `verify` that `quiz` may use, by theme. Importing it brings no torch.

Here is what every part speaks with: text in two languages, errors, units, columns of a terminal.
Claims, experiments, worlds, pages and the command line are modules of their own, so that a command
loads only what it needs.
"""

from __future__ import annotations

from verify import EXPERIMENTS
from verify.entry import INTERRUPTED, await_input, enter, tell
from verify.errors import NotInstalled, ProofdeckError, RunFailed, UnknownName, UsageError
from verify.language import chosen as language_named
from verify.language import from_environment as language_from_environment
from verify.language import from_locale as language_from_locale
from verify.quantities import Value
from verify.report import file as report_file
from verify.report.columns import cells, cut, fold, pad, table, wrap
from verify.text import LANGUAGES, Language, Text, printable, verbatim
from verify.units import BYTE, ONE, SECOND, Unit, format_size, parse_size

__all__ = [
    "BYTE",
    "EXPERIMENTS",
    "INTERRUPTED",
    "LANGUAGES",
    "ONE",
    "SECOND",
    "Language",
    "NotInstalled",
    "ProofdeckError",
    "RunFailed",
    "Text",
    "Unit",
    "UnknownName",
    "UsageError",
    "Value",
    "await_input",
    "cells",
    "cut",
    "enter",
    "fold",
    "format_size",
    "language_from_environment",
    "language_from_locale",
    "language_named",
    "pad",
    "parse_size",
    "printable",
    "report_file",
    "table",
    "tell",
    "verbatim",
    "wrap",
]
