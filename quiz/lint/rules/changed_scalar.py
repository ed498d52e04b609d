"""A value without quotes that YAML reads as something else than the text that stands there.

`No` becomes false, `4:3` becomes 243, `010` becomes 8, `1_000` becomes 1000, `2024-01-15` a date,
`~` nothing; and `1e3` is text in YAML 1.1 but a number in YAML 1.2.

Bad:

    answer: No

Good:

    answer: 'No'
"""

from __future__ import annotations

from quiz.lint.rule import from_loader

id = "changed-scalar"
check = from_loader(id)
