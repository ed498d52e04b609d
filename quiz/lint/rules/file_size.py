"""The file is larger than 16 MiB, which is more than 10,000 cards.

It is not read, so that no file can exhaust the memory.

Bad:

    deck: everything        # … and 17 MiB of cards

Good:

    deck: communication     # one theme, one file
"""

from __future__ import annotations

from quiz.lint.rule import from_loader

id = "file-size"
check = from_loader(id)
