"""Proving from inside a sitting: a world that warms up while the learner reads.

The run goes on in a thread of its own, so that whoever shows its progress stays in charge.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from quiz.deck.card import Kind
from quiz.proof import CardResult, Prover, Shelf, plan
from quiz.report.card import draw
from quiz.session.question import Question
from quiz.sitting import Progress, Report
from verify.api import ProofdeckError, Value
from verify.api.pages import Look
from verify.api.worlds import (
    Evidence,
    LocalWorld,
    OnProgress,
    Request,
    RunProgress,
    ignore_progress,
    progress_words,
    request_key,
)


class SittingProver:
    """Proves the card on screen; keeps what it measured on the shelf.

    `patience` is how long `prove` waits for news, in seconds, before it yields None, so that a
    screen that must go on drawing can come back later; without it `prove` waits.
    """

    def __init__(
        self, world: LocalWorld, shelf: Shelf, look: Look, *, patience: float | None = None
    ) -> None:
        self._world = world
        self._shelf = shelf
        self._look = look
        self._patience = patience

    def warm(self) -> None:
        """Start loading torch. Without it a proof will say what to install; reading goes on."""
        with suppress(ProofdeckError):
            self._world.warm()

    def stop(self) -> None:
        """Break off the proof that runs, if one does, and get ready for the next."""
        self._world.close()
        self.warm()

    def known(self, question: Question) -> Report | None:
        """The last evidence about this card, if all of it is kept; runs nothing."""
        with suppress(ProofdeckError):
            requests = list(plan(question.card, _combinations(question)).requests())
            if all(self._shelf.get(request_key(request)) is not None for request in requests):
                prover = Prover(_NoWorld(), self._shelf)
                return self._report(question, prover.prove(question.card, _combinations(question)))
        return None

    def prove(self, question: Question) -> Iterator[Progress | Report | None]:
        """Run the card's proof on this machine, whatever is kept. None: no news yet.

        Raises what the thread of the run raised, which is a fault of ours.
        """
        messages: queue.Queue[Progress | CardResult | Exception] = queue.Queue()

        def hear(step: RunProgress) -> None:
            text = progress_words(replace(step, run=None))
            messages.put(Progress(text, step.run, step.rank if step.rank < step.ranks else None))

        prover = Prover(self._world)

        def work() -> None:
            try:
                messages.put(prover.prove(question.card, _combinations(question), hear))
            except Exception as error:  # a fault of ours: raised where the sitting runs
                messages.put(error)

        threading.Thread(target=work, daemon=True).start()
        while not isinstance(message := self._next(messages), CardResult):
            if isinstance(message, Exception):
                raise message
            yield message
        for key, evidence in prover.made.items():  # here: a database serves one thread
            self._shelf.put(key, evidence)
        yield self._report(question, message)

    def _next(
        self, messages: queue.Queue[Progress | CardResult | Exception]
    ) -> Progress | CardResult | Exception | None:
        try:
            return messages.get(timeout=self._patience)
        except queue.Empty:
            return None

    def _report(self, question: Question, result: CardResult) -> Report:
        labels = {choice.key: question.letter(choice) for choice in question.order}

        def lines(width: int) -> list[str]:
            return draw(result, replace(self._look, width=width), labels=labels)

        key = result.keys[0] if result.keys else None
        return Report("\n".join(lines(self._look.width)).rstrip(), key, lines)


class _NoWorld:
    """For showing what is kept."""

    def run(self, request: Request, progress: OnProgress = ignore_progress) -> Evidence:
        raise AssertionError("nothing may be run here")


def _combinations(question: Question) -> list[Mapping[str, Value]] | None:
    """`v` proves a compute card at the learner's own parameters."""
    return [question.parameters] if question.card.kind is Kind.COMPUTE else None
