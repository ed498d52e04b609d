"""A comment allows a rule that finds nothing there, that doesn't exist, or that can't be allowed.

A comment at the end of a line speaks for that line, one on a line of its own for the next; with
`allow-file` it speaks for the whole file. What makes a card unusable can't be allowed.

Bad:

    ask: Who sends?  # quiz: allow changed-scalar -- it was No once

Good:

    ask: Who sends?
"""

from __future__ import annotations

from quiz.lint.rule import from_lint

id = "unused-suppression"
check = from_lint
