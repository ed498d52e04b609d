"""A comment allows a finding and doesn't say why.

The reason is for whoever reads the deck next, and stands behind two hyphens.

Bad:

    ask: Who sends?  # quiz: allow near-duplicate

Good:

    ask: Who sends?  # quiz: allow near-duplicate -- asked again on purpose, before the exam
"""

from __future__ import annotations

from quiz.lint.rule import from_lint

id = "suppression-without-reason"
check = from_lint
