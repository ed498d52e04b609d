"""A proof names an experiment that doesn't exist.

Bad:

    proof: {experiment: data-paralel-step}

Good:

    proof: {experiment: data-parallel-step}
"""

from __future__ import annotations

from collections.abc import Iterator

from quiz.deck.problem import Problem
from quiz.lint.claims import experiment, place_of
from quiz.lint.rule import Context
from verify.api import ProofdeckError

id = "unknown-experiment"


def check(context: Context) -> Iterator[Problem]:
    for card in context.cards:
        for run in card.proof.runs if card.proof else ():
            found = experiment(run.experiment)
            if isinstance(found, ProofdeckError):
                place = (*place_of(run), "experiment")
                name = run.experiment
                yield context.problem(
                    id, card, place, found.message, found.hint, part=(name, 0, len(name))
                )
