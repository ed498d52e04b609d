"""One sitting with its effects performed: the same for every screen."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from quiz.events import EventKind, Grade
from quiz.session import inputs
from quiz.session.blocks import Ask, Block, Feedback, Key, Notice
from quiz.session.effects import Effect, Mark, Prove, RemoveLast, Save, Show, Warm
from quiz.session.inputs import Input
from quiz.session.machine import step
from quiz.session.question import Draft, Question
from quiz.session.state import State, Turn
from verify.api import ProofdeckError, Text

TIME_IS_UP = Text(ja="時間になりました。", en="Time is up.")


@dataclass(frozen=True)
class Progress:
    """What a proof is doing now: which of its runs where there are several, and which rank."""

    text: Text
    run: Text | None = None
    rank: int | None = None


@dataclass(frozen=True)
class Report:
    """What a proof came to, ready to read, and the key of its evidence.

    `lines` gives it in another width, in columns.
    """

    text: str
    evidence: str | None = None
    lines: Callable[[int], list[str]] | None = None


Part = Block | Progress | Report | None
"""What a sitting hands to its screen; None is no news yet."""


class Prover(Protocol):
    """Whatever can prove a card. The width and language of its reports are its own."""

    def warm(self) -> None:
        """Get ready in the background; costs the learner no time."""

    def known(self, question: Question) -> Report | None:
        """The last evidence about this card, if there is any; starts nothing."""

    def prove(self, question: Question) -> Iterator[Progress | Report | None]:
        """Run the proof; None is no news yet. Raises ProofdeckError where it can't."""

    def stop(self) -> None:
        """Break off the proof that runs; nobody goes on with its iterator."""


class Recorder(Protocol):
    """Where answers go. `preview` and `save` agree on every interval."""

    def preview(self, question: Question) -> Mapping[Grade, int]:
        """Days until the card would be due again, for each grade."""

    def save(self, draft: Draft, seconds: float) -> inputs.Saved:
        """Make the answer durable. Raises ProofdeckError where that fails."""

    def undo(self, event: str, card: str) -> inputs.Saved:
        """Make the undoing of a row durable. Raises ProofdeckError where that fails."""

    def mark(self, kind: EventKind, card: str, on: bool) -> inputs.Saved:
        """Suspend, bury or flag a card durably, or take it back. Raises ProofdeckError."""

    def flagged(self, card: str) -> bool:
        """Whether the card bears a flag."""

    def upcoming(self) -> tuple[int, int] | None:
        """In how many days the next cards are due, and how many; None where there are none."""


class Sitting:
    """Feeds the state machine and performs what it asks for."""

    def __init__(
        self,
        turns: tuple[Turn, ...],
        recorder: Recorder,
        prover: Callable[[], Prover],
        clock: Callable[[], float],
        minutes: float | None = None,
    ) -> None:
        """`prover` is called when one is first needed, with the first question on screen.

        `clock` gives seconds; once `minutes` have passed no other question is asked.
        """
        self.state = State.of(turns)
        self.recorder = recorder
        self._make_prover = prover
        self._clock = clock
        self._since = clock()
        self._until = None if minutes is None else self._since + 60 * minutes
        self._shown: str | None = None  # evidence that came with the answer

    @cached_property
    def prover(self) -> Prover:
        return self._make_prover()

    def send(self, event: Input) -> Iterator[Part]:
        """Everything that `event` brings about, in order. To be consumed to its end; at a None,
        which only a prover of limited patience yields, as well a little later."""
        waiting = deque([event])
        while waiting:
            self.state, effects = step(self.state, waiting.popleft())
            for effect in effects:
                yield from self._perform(effect, waiting)

    def _perform(self, effect: Effect, waiting: deque[Input]) -> Iterator[Part]:
        match effect:
            case Show(Ask()) if self._until is not None and self._clock() >= self._until:
                self._until = None
                waiting.append(inputs.Quit())
                yield Notice(TIME_IS_UP)
            case Show(block):
                if isinstance(block, Ask):
                    self._since, self._shown = self._clock(), None
                yield block
                yield from self._known(block)
            case Save(draft):
                complete = replace(draft, evidence=draft.evidence or self._shown)
                seconds = self._clock() - self._since
                waiting.append(_acknowledged(lambda: self.recorder.save(complete, seconds)))
            case RemoveLast(row, card):
                waiting.append(_acknowledged(lambda: self.recorder.undo(row, card)))
            case Mark(kind, card, on):
                waiting.append(_acknowledged(lambda: self.recorder.mark(kind, card, on)))
            case Prove(question):
                waiting.append((yield from self._prove(question)))
            case Warm():
                self.prover.warm()

    def _known(self, block: Block) -> Iterator[Report]:
        """What was measured before, where it belongs: with an answer, and where one went wrong."""
        match block:
            case Key(question):
                report = self.prover.known(question)
                self._shown = report.evidence if report else None
            case Feedback(draft) if draft.correct is False:
                report = self.prover.known(draft.question)
            case _:
                report = None
        if report is not None:
            yield report

    def _prove(self, question: Question) -> Generator[Part, None, Input]:
        began, evidence = self._clock(), None
        try:
            for part in self.prover.prove(question):
                yield part
                if isinstance(part, Report):
                    evidence = part.evidence
        except ProofdeckError as error:
            yield Notice(error.message)
            if error.hint is not None:
                yield Notice(error.hint)
        self._since += self._clock() - began  # watching isn't thinking about the answer
        return inputs.ProofDone(evidence)


def _acknowledged(write: Callable[[], inputs.Saved]) -> Input:
    try:
        return write()
    except ProofdeckError as error:
        return inputs.SaveFailed(Text(ja=error.render("ja"), en=error.render("en")))
