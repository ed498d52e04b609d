"""How long answers take this learner, and how often the first sight of a card succeeds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from statistics import fmean

from quiz.events import Answer, Event, Grade, Origin

LONGEST = 120.0  # seconds; a longer answer is a learner who was called away
PRIOR_ANSWERS = 10  # how many answers of one's own weigh as much as the figures of a stranger


@dataclass(frozen=True, slots=True)
class Effort:
    """Seconds per answer by what it was, and two shares.

    The defaults are the means of 12,580 reviews by one learner (tests/data/README.md); each gives
    way to the learner's own measurements.
    """

    first_recall: float = 0.28  # share of new cards answered right at first sight
    first_recalled: float = 14.9
    first_failed: float = 17.7
    recalled: float = 12.1
    failed: float = 15.3
    relearn_recall: float = 0.72  # share recalled when asked again in the same sitting
    relearn_recalled: float = 11.4
    relearn_failed: float = 13.3

    @property
    def relearning(self) -> float:
        """Expected seconds from a failure to the recall that ends it, in the same sitting."""
        return self.relearn_recalled + (1 / self.relearn_recall - 1) * self.relearn_failed

    @property
    def new(self) -> float:
        """Expected seconds of a new card, relearning included."""
        failed = self.first_failed + self.relearning
        return self.first_recall * self.first_recalled + (1 - self.first_recall) * failed


def measured(answers: Iterable[tuple[Event, Answer, str]]) -> Effort:
    """The learner's own figures, from answers in the order of the log (`standing_answers`).

    Study answers count, cram and exam ones don't. A mean of n answers is drawn towards the default
    as if that were PRIOR_ANSWERS answers.
    """
    samples: dict[str, list[float]] = {field.name: [] for field in fields(Effort)}
    last: dict[str, int] = {}
    for event, answer, card in answers:
        if answer.origin is not Origin.STUDY:
            continue
        before = last.get(card)
        last[card] = event.day
        ok = answer.grade > Grade.AGAIN
        prefix = "first_" if before is None else "relearn_" if before == event.day else ""
        samples[prefix + ("recalled" if ok else "failed")].append(min(answer.seconds, LONGEST))
        if prefix and not answer.after_undo:
            samples[prefix + "recall"].append(float(ok))
    default = Effort()
    return Effort(**{name: _drawn(getattr(default, name), own) for name, own in samples.items()})


def _drawn(default: float, own: list[float]) -> float:
    return fmean([*own, *[default] * PRIOR_ANSWERS])
