"""The file can't be opened: it is missing, a folder, a pipe, or not yours to read.

Bad:

    quiz lint decks/no-such-file.yaml

Good:

    quiz lint decks/
"""

from __future__ import annotations

from quiz.lint.rule import from_loader

id = "unreadable"
check = from_loader(id)
