"""How well recall is predicted on the real log, beside guessing the mean and the defaults.

Mean log loss in nats, unweighted, over each card's first review of a later UTC date; lower is
better. *Whole*: fitted on all of it. *Time split*: fitted on the earliest 80 % of the
predictions, judged on the rest. Seconds are those of one fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from time import perf_counter

from bench import review_log
from quiz.memory.fit import Item, fit, fitted, items_of
from quiz.memory.scheduler import default_parameters


def main() -> Iterator[str]:
    items = items_of((r.card, r.day, r.grade, True) for r in review_log.read())
    began = perf_counter()
    fitted(items)
    seconds = perf_counter() - began
    found = fit(items, default_parameters())
    assert found is not None
    earlier, later = items[: -found.later], items[-found.later :]
    rows = (
        ("a constant chance", _constant(items, items), _constant(earlier, later)),
        ("FSRS-6, defaults", found.before, found.later_before),
        (f"FSRS-6, fitted ({seconds:.2f} s)", found.after, found.later_after),
    )
    yield f"{len(items)} predictions{'':14} whole      time split ({found.later})"
    for name, whole, split in rows:
        ratios = whole / rows[0][1], split / rows[0][2]
        yield f"  {name:26} {whole:.4f} {ratios[0]:.3f} ×   {split:.4f} {ratios[1]:.3f} ×"


def _constant(seen: list[Item], asked: list[Item]) -> float:
    chance = sum(item.grade > 1 for item in seen) / len(seen)
    return -sum(log(chance if item.grade > 1 else 1 - chance) for item in asked) / len(asked)
