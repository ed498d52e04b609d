"""The file is nested deeper than 12 levels; a deck needs 8.

Such a file is broken (a bracket is left open) or made to exhaust its reader.

Bad:

    after: [[[[[[[[[[[[[ring-bytes]]]]]]]]]]]]]

Good:

    after: [ring-bytes]
"""

from __future__ import annotations

from quiz.lint.rule import from_loader

id = "nesting-depth"
check = from_loader(id)
