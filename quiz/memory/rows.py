"""The log as the fold reads it: rows, which of them are undone, and where their cards went."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator

from quiz.events import Event, EventKind

Row = tuple[
    int,  # day
    int,  # counter
    str,  # id
    str,  # kind
    str | None,  # card
    str | None,  # target
    str | None,  # value, as JSON text
    str | None,  # origin
    int | None,  # grade
    int | None,  # due
    float | None,  # desired retention
]
"""What the fold needs of an event, in the order of the fold: a plain tuple, since a log may hold
a million."""

ROW_COLUMNS = (
    "day", "counter", "id", "kind", "card", "target", "value", "origin", "grade", "due",
    "retention",
)  # fmt: skip


def row_of(event: Event) -> Row:
    """The part of an event that the fold reads."""
    answer = event.answer
    return (
        event.day,
        event.counter,
        event.id,
        event.kind.value,
        event.card,
        event.target,
        json.dumps(dict(event.value)) if event.value else None,
        answer.origin.value if answer else None,
        int(answer.grade) if answer else None,
        answer.due if answer else None,
        answer.retention if answer else None,
    )


def rows_of(events: Iterable[Event]) -> Iterator[Row]:
    """The rows of several events."""
    return map(row_of, events)


def merge(*logs: Iterable[Event]) -> list[Event]:
    """The union by id, in the order of the fold. Rows never change, so equal ids are one row."""
    union = {event.id: event for log in logs for event in log}
    return sorted(union.values(), key=lambda event: (event.day, event.counter, event.id))


def undone(rows: Iterable[Row]) -> dict[str, int]:
    """Ids of the rows that an undo removes, with the counter of the undo.

    An undo itself can't be undone: answering again does that.
    """
    return {row[5]: row[1] for row in rows if row[3] == EventKind.UNDO and row[5] is not None}


class _Group:
    """Names that lead to one card."""

    def __init__(self, to: str) -> None:
        self.to = to
        self.names: set[str] = set()


def renames(rows: Iterable[Row], dead: Container[str]) -> dict[str, str]:
    """Where the history of each reattached card went, from rows in the order of the fold.

    It holds for all rows of the old card whenever written, so that a machine that didn't know of
    the change merges well. The latest reattachment wins; going there and back is no cycle.
    """
    groups: dict[str, _Group] = {}  # by name
    leading: dict[str, _Group] = {}  # by where they lead; a group that leads nowhere is empty

    def lead(name: str, to: str) -> None:
        """Take a name out of its group into the one that leads there."""
        if name in groups:
            groups[name].names.discard(name)
        groups[name] = leading.setdefault(to, _Group(to))
        groups[name].names.add(name)

    for row in rows:
        old, new = row[4], row[5]
        if row[3] == EventKind.REATTACH and row[2] not in dead and old and new:
            lead(new, new)
            lead(old, new)
            if old != new and old in leading:  # all that led to the old card follow
                small, large = sorted((leading.pop(old), leading[new]), key=lambda g: len(g.names))
                large.names |= small.names
                groups.update(dict.fromkeys(small.names, large))
                large.to, leading[new] = new, large
    return {name: group.to for name, group in groups.items() if name != group.to}
