"""The plan until an exam, as the store keeps it. What it makes of a day is in `outlook`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quiz.memory.study_day import LAST_DAY

NAME = "plan"
"""Under which the store keeps it."""

LONGEST_PLAN = 3 * 365  # days
MOST_MINUTES = 24 * 60


@dataclass(frozen=True, slots=True)
class Plan:
    """An exam day (a study day), the minutes of each day before it, and the price of a second."""

    exam: int
    minutes: float
    price: float

    def record(self) -> dict[str, object]:
        """For the store."""
        return {"exam": self.exam, "minutes": self.minutes, "price": self.price}

    @classmethod
    def of(cls, record: Mapping[str, object] | None) -> Plan | None:
        """The inverse of `record`; None for nothing, or for what is no plan."""
        record = record or {}
        exam, minutes, price = (record.get(name) for name in ("exam", "minutes", "price"))
        if type(exam) is not int or not 0 <= exam <= LAST_DAY:
            return None
        if not isinstance(minutes, int | float) or not 0 < minutes <= MOST_MINUTES:
            return None
        if not isinstance(price, int | float) or not 0 < price <= 1:
            return None
        return cls(exam, float(minutes), float(price))

    def days_left(self, today: int) -> int:
        """Study days from today to the exam: 0 on the day itself, negative once it is over."""
        return self.exam - today

    def too_far(self, today: int) -> bool:
        """Whether the exam is further away than a plan reaches: a clock was wrong then or is now.

        To plan so many days would take minutes.
        """
        return self.days_left(today) > LONGEST_PLAN
