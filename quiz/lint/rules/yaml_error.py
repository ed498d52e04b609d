"""The file is not the YAML that decks are written in.

Besides broken YAML this refuses what a deck doesn't need and what makes a file dangerous or hard
to follow: anchors and aliases (a small file can unfold into gigabytes), tags, a second document,
nesting deeper than 12 levels, files over 16 MiB, and text that isn't UTF-8.

Bad:

    ask: which one: a or b

Good:

    ask: 'which one: a or b'
"""

from __future__ import annotations

from quiz.lint.rule import from_loader

id = "yaml-error"
check = from_loader(id)
