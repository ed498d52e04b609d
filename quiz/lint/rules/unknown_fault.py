"""A proof names a fault that its experiment doesn't declare.

Bad:

    truth: [{claim: replica_spread == 0, unless: skip-everything}]

Good:

    truth: [{claim: replica_spread == 0, unless: skip-all-reduce}]
"""

from __future__ import annotations

from collections.abc import Iterator

from quiz.deck.problem import Problem
from quiz.lint.claims import experiment, place_of, stated
from quiz.lint.rule import Context
from verify.api import Experiment, Text, UnknownName, verbatim

id = "unknown-fault"


def check(context: Context) -> Iterator[Problem]:
    for card in context.cards:
        if card.proof is None:
            continue
        known: dict[str, None] = {}
        for run in card.proof.runs:
            found = experiment(run.experiment)
            if not isinstance(found, Experiment):
                break
            known |= dict.fromkeys(fault.name for fault in found.faults)
            try:
                found.check_fault(run.fault)
            except UnknownName as error:
                yield context.problem(
                    id, card, (*place_of(run), "fault"), error.message, error.hint
                )
        else:
            for claim in stated(card):
                if claim.unless is not None and claim.unless not in known:
                    place = (*claim.place[:-1], "unless")
                    yield context.problem(
                        id,
                        card,
                        place,
                        Text(
                            ja=f"この証明の実験に故障 {claim.unless} はありません。",
                            en=f"No experiment of this proof has a fault {claim.unless}.",
                        ),
                        verbatim(", ".join(known)) if known else None,
                        part=(claim.unless, 0, len(claim.unless)),
                    )
