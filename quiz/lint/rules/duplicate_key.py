"""One key stands twice in the same mapping.

YAML keeps the last of the two and drops the first without a word.

Bad:

    ask: The question that gets lost
    ask: The question that is shown

Good:

    ask: The question that is shown
"""

from __future__ import annotations

from quiz.lint.rule import from_loader

id = "duplicate-key"
check = from_loader(id)
