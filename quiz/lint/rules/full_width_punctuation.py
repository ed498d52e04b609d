"""A full-width sign stands where a sign of YAML is meant.

Input methods produce `：`, `－`, `，` and the full-width space, which look like YAML's signs and
aren't. In prose they are right and stay; only the place of a sign makes one wrong.

Bad:

    ask：だれが送るか

Good:

    ask: だれが送るか
"""

from __future__ import annotations

from quiz.lint.rule import from_loader

id = "full-width-punctuation"
check = from_loader(id)
