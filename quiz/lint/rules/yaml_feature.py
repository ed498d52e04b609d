"""An anchor, an alias or a tag, which a deck doesn't need.

A small file of aliases can unfold into gigabytes, and a tag changes what a value is. A text that
begins with `&`, `*` or `!` is taken for one of them.

Bad:

    ask: *important*

Good:

    ask: '*important*'
"""

from __future__ import annotations

from quiz.lint.rule import from_loader

id = "yaml-feature"
check = from_loader(id)
