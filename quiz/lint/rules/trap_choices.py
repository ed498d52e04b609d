"""A trap needs exactly one truth and at least one lure, each lure with a belief of its own.

The truth is the choice without a belief. The log stores beliefs, so each must be distinct.

Bad:

    choices:
      - {text: It sends gradients, claim: wire_sent > 0}
      - {text: It sends nothing, claim: wire_sent == 0}

Good:

    choices:
      - {text: It sends gradients, claim: wire_sent > 0}
      - {text: It sends nothing, claim: wire_sent == 0, belief: nothing-to-send}
"""

from __future__ import annotations

from quiz.lint.rule import from_loader

id = "trap-choices"
check = from_loader(id)
