"""The file is not the YAML that decks are written in.

A second document in one file, and text that isn't UTF-8, are refused too.

Bad:

    ask: which one: a or b

Good:

    ask: 'which one: a or b'
"""

from __future__ import annotations

from quiz.lint.rule import from_loader

id = "yaml-error"
check = from_loader(id)
