"""What the log says of each card, and as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from quiz.memory.scheduler import DEFAULT_SET, Memory, default_parameters


@dataclass(frozen=True, slots=True)
class CardState:
    """What the log says of one card. Days are study days; None where nothing is known."""

    stability: float | None = None
    difficulty: float | None = None
    last_day: int | None = None  # of the last answer that entered FSRS
    due: int | None = None  # also set by a wrong exam answer to a new card
    repetitions: int = 0  # answers that entered FSRS
    answers: int = 0  # every answer row, undone ones too: the next answer's `repetition`
    lapses: int = 0  # times forgotten after having been recalled
    failed: bool = False  # the last answer was Again: due until recalled, whatever its siblings
    first_day: int | None = None  # of the first answer that entered FSRS
    answered_day: int | None = None  # of the last answer of any origin: no row goes before it
    missed_day: int | None = None  # of the last Again of any origin
    suspended: bool = False
    buried_on: int | None = None  # hidden on that day only
    flagged: bool = False
    last_answer: str | None = None  # id of the last answer not undone: what undo would remove
    last_event: str | None = None  # id of the row with the highest counter
    after_undo: bool = False  # the last answer was undone: the next one has seen the key

    @property
    def is_new(self) -> bool:
        """Whether no answer has entered FSRS yet."""
        return self.repetitions == 0

    @property
    def unrecalled(self) -> bool:
        """Whether it was answered wrong, in an exam too, and hasn't been recalled since."""
        if self.failed or self.missed_day is None or self.due is None:
            return self.failed
        return self.due <= self.missed_day

    @property
    def memory(self) -> Memory | None:
        if self.stability is None or self.difficulty is None:
            return None
        return Memory(self.stability, self.difficulty)


NEW = CardState()


@dataclass(frozen=True)
class LogState:
    """The whole log folded."""

    cards: Mapping[str, CardState] = field(default_factory=dict)
    parameter_set: str = DEFAULT_SET  # id of the parameters event in force
    parameters: tuple[float, ...] = field(default_factory=default_parameters)
    renamed: Mapping[str, str] = field(default_factory=dict)  # old deck/card -> the one it became
    unusable: tuple[str, ...] = ()  # parameters events that FSRS refuses; they count for nothing

    def of(self, card: str) -> CardState:
        """The state of a card, also of one never seen."""
        return self.cards.get(card, NEW)
