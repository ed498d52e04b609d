"""A key is unknown or missing, or a value is of the wrong type.

A misspelt key would otherwise be ignored in silence: a `hints:` that nobody ever sees.

Bad:

    - id: ring-bytes
      kind: recall
      ask: Who sends what?
      anser: Gradients.

Good:

    - id: ring-bytes
      kind: recall
      ask: Who sends what?
      answer: Gradients.
"""

from __future__ import annotations

from quiz.lint.rule import from_loader

id = "schema"
check = from_loader(id)
