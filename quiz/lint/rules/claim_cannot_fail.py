"""With --prove: a truth that the runs would confirm whatever it said.

Every run also confirms it with its right side changed, or no run refutes it under the fault that
it names, so it teaches nothing.

Bad:

    truth: [wire_sent == payload ± 400%]

Good:

    truth: [wire_sent == 2*(ranks-1)/ranks*payload ± 1%]
"""

from __future__ import annotations

from quiz.lint.rule import from_proving

id = "claim-cannot-fail"
check = from_proving
