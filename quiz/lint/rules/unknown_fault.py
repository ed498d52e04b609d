"""A proof names a fault that its experiment doesn't declare.

Bad:

    truth: [{claim: replica_spread == 0, unless: skip-everything}]

Good:

    truth: [{claim: replica_spread == 0, unless: skip-all-reduce}]
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from quiz.deck.problem import Problem
from quiz.lint.claims import experiment, place_of
from quiz.lint.rule import Context
from verify.api import Text, UnknownName
from verify.api.experiments import Experiment

id = "unknown-fault"


def check(context: Context) -> Iterator[Problem]:
    for card in context.cards:
        for run in card.proof.runs if card.proof else ():
            found = experiment(run.experiment)
            if run.fault is not None and isinstance(found, Experiment):
                try:
                    found.check_fault(run.fault)
                except UnknownName as error:
                    place = (*place_of(run), "fault")
                    yield context.problem(
                        id, card, place, error.message, error.hint, part=_whole(run.fault)
                    )
    for card, claim in context.stated:
        if claim.unless is None or card.proof is None:
            continue
        faults = _faults(tuple(run.experiment for run in card.proof.runs))
        if faults is not None and claim.unless not in faults:
            yield context.problem(
                id,
                card,
                (*claim.place[:-1], "unless"),
                Text(
                    ja=f"この証明の実験に故障 {claim.unless} はありません。",
                    en=f"No experiment of this proof has a fault {claim.unless}.",
                ),
                Text(ja=f"使える故障: {', '.join(faults)}", en=f"Possible: {', '.join(faults)}")
                if faults
                else None,
                part=_whole(claim.unless),
            )


def _whole(text: str) -> tuple[str, int, int]:
    return text, 0, len(text)


@lru_cache(maxsize=1024)
def _faults(experiments: tuple[str, ...]) -> tuple[str, ...] | None:
    """The faults of any of them; None where one is unknown."""
    found = [experiment(name) for name in experiments]
    known = [fault.name for each in found if isinstance(each, Experiment) for fault in each.faults]
    return tuple(dict.fromkeys(known)) if all(isinstance(e, Experiment) for e in found) else None
