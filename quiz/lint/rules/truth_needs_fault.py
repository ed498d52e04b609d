"""A truth about zero, or an inequality, that names no fault under which it must be refuted.

A claim must be able to fail. Other truths are tested by changing their right side; changing a zero
or a bound tells little, so such a truth says in `unless` which fault breaks it.

Bad:

    truth: [replica_spread == 0]

Good:

    truth: [{claim: replica_spread == 0, unless: skip-all-reduce}]
"""

from __future__ import annotations

from collections.abc import Iterator

from quiz.deck.problem import Problem
from quiz.lint.claims import must_name_fault
from quiz.lint.rule import Context
from verify.api import Text

id = "truth-needs-fault"


def check(context: Context) -> Iterator[Problem]:
    for card, claim in context.stated:
        if not claim.lure and claim.unless is None and must_name_fault(claim.claim):
            yield context.problem(
                id,
                card,
                claim.place,
                Text(
                    ja="この主張が反証される故障が指定されていません。",
                    en="No fault is named under which this claim is refuted.",
                ),
                Text(
                    ja="unless に実験の故障を書いてください。",
                    en="Name a fault of the experiment in unless.",
                ),
                part=(claim.claim, 0, len(claim.claim)),
            )
