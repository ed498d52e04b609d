"""A text holds a control character or one that reorders the line.

Such characters steer the terminal (colours, cursor, title) or make a line look like another one.
They come from escapes in double quotes or from copied text. Line breaks and tabs are fine.

Bad:

    ask: "\\e[31mred"

Good:

    ask: 'red'
"""

from __future__ import annotations

from quiz.lint.rule import from_loader

id = "control-character"
check = from_loader(id)
