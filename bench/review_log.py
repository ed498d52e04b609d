"""The real review log that the benchmarks rest on; see tests/data/README.md."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path

from quiz.memory.effort import Effort
from quiz.memory.study_day import EPOCH

FILE = Path(__file__).parent.parent / "tests" / "data" / "fsrs-review-log.csv"


@dataclass(frozen=True, slots=True)
class Review:
    """One review. Days are UTC dates, counted from 1970-01-01."""

    card: str
    day: int
    grade: int
    seconds: float


def read(file: Path = FILE) -> list[Review]:
    """The reviews, oldest first."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = sorted(csv.DictReader(lines), key=lambda row: row["review_time"])
    return [
        Review(
            row["card_id"],
            (datetime.fromisoformat(row["review_time"]).date() - EPOCH).days,
            int(row["review_rating"]),
            int(row["review_duration"]) / 1000,
        )
        for row in rows
    ]


def durations(reviews: list[Review]) -> dict[str, list[float]]:
    """Seconds by sort of answer, as `Effort` names them."""
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    last: dict[str, int] = {}
    for review in reviews:
        before = last.get(review.card)
        last[review.card] = review.day
        prefix = "first_" if before is None else "relearn_" if before == review.day else ""
        seconds[prefix + ("failed" if review.grade == 1 else "recalled")].append(review.seconds)
    return seconds


def effort(reviews: list[Review]) -> Effort:
    """The means and shares of the log."""
    seconds = durations(reviews)
    figures = {name: sum(of) / len(of) for name, of in seconds.items()}
    for sort in ("first", "relearn"):
        recalled, failed = len(seconds[f"{sort}_recalled"]), len(seconds[f"{sort}_failed"])
        figures[f"{sort}_recall"] = recalled / (recalled + failed)
    return Effort(**{field.name: figures[field.name] for field in fields(Effort)})
