"""Proving from inside a sitting: a world that warms up while the learner reads.

The run goes on in a thread of its own, so that whoever shows its progress stays in charge.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress

from quiz.deck.card import Card, Kind
from quiz.proof import CardResult, Prover, Shelf, plan
from quiz.report.card import draw
from quiz.sitting import Progress, Report
from verify.api import (
    Evidence,
    LocalWorld,
    Look,
    OnProgress,
    ProofdeckError,
    Request,
    RunProgress,
    Text,
    Value,
    ignore_progress,
    request_key,
)

_STEP = Text(ja="ランク {rank} / {ranks}: {step}", en="rank {rank} of {ranks}: {step}")


class SittingProver:
    """Proves the card on screen; keeps what it measured on the shelf."""

    def __init__(self, world: LocalWorld, shelf: Shelf, look: Look) -> None:
        self._world = world
        self._shelf = shelf
        self._look = look

    def warm(self) -> None:
        """Start loading torch. Without it a proof will say what to install; reading goes on."""
        with suppress(ProofdeckError):
            self._world.warm()

    def known(self, card: Card, parameters: Mapping[str, Value]) -> Report | None:
        """The last evidence about this card, if all of it is kept; runs nothing."""
        with suppress(ProofdeckError):
            requests = list(plan(card, _combinations(card, parameters)).requests())
            if all(self._shelf.get(request_key(request)) is not None for request in requests):
                prover = Prover(_NoWorld(), self._shelf)
                return self._report(prover.prove(card, _combinations(card, parameters)))
        return None

    def prove(self, card: Card, parameters: Mapping[str, Value]) -> Iterator[Progress | Report]:
        """Run the card's proof on this machine, whatever is kept."""
        messages: queue.Queue[Progress | CardResult] = queue.Queue()

        def hear(step: RunProgress) -> None:
            messages.put(Progress(_STEP.fill(rank=step.rank, ranks=step.ranks, step=step.step)))

        prover = Prover(self._world)

        def work() -> None:
            messages.put(prover.prove(card, _combinations(card, parameters), hear))

        threading.Thread(target=work, daemon=True).start()
        while isinstance(message := messages.get(), Progress):
            yield message
        for key, evidence in prover.made.items():  # here: a database serves one thread
            self._shelf.put(key, evidence)
        yield self._report(message)

    def _report(self, result: CardResult) -> Report:
        key = result.keys[0] if result.keys else None
        return Report("\n".join(draw(result, self._look)).rstrip(), key)


class _NoWorld:
    """For showing what is kept."""

    def run(self, request: Request, progress: OnProgress = ignore_progress) -> Evidence:
        raise AssertionError("nothing may be run here")


def _combinations(card: Card, parameters: Mapping[str, Value]) -> list[Mapping[str, Value]] | None:
    """`v` proves a compute card at the learner's own parameters."""
    return [parameters] if card.kind is Kind.COMPUTE else None
