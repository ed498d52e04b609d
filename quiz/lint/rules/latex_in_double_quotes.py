"""A LaTeX command in double quotes, where YAML reads its backslash as an escape.

"\\theta" is a tab and "heta"; "\\nabla" is a line break and "abla".

Bad:

    ask: "the gradient $\\nabla L$"

Good:

    ask: 'the gradient $\\nabla L$'
"""

from __future__ import annotations

from quiz.lint.rule import from_loader

id = "latex-in-double-quotes"
check = from_loader(id)
