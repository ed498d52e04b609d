"""With --prove: the runs don't prove the card.

A truth wasn't confirmed, a lure wasn't refuted, a reading was too noisy to decide, or a run broke;
the message says which.

Bad:

    truth: [wire_sent == payload ± 1%]

Good:

    truth: [wire_sent == 2*(ranks-1)/ranks*payload ± 1%]
"""

from __future__ import annotations

from quiz.lint.rule import from_proving

id = "not-proven"
check = from_proving
