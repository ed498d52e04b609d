"""What `quiz doctor` asks of the states; `quiz.store.health` looks at the file and its rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from quiz.memory.fold import fold
from quiz.memory.rows import rows_of
from quiz.memory.states import LogState
from quiz.store import Store
from verify.api import Text, printable

MOST_SHOWN = 20  # findings of one sort


@dataclass(frozen=True)
class Report:
    events: int
    cards: int
    findings: tuple[Text, ...]


def examine(store: Store) -> Report:
    """Rebuild every state. Raises StoreRefused for a row that holds no event."""
    events = list(store.events())  # refuses a row that holds no event
    state = fold(rows_of(events))
    findings = [*_parameters(state), *_states(store, state)]
    return Report(len(events), len(state.cards), tuple(findings))


def _parameters(state: LogState) -> Iterator[Text]:
    for event in map(printable, state.unusable[:MOST_SHOWN]):
        yield Text(
            ja=f"パラメーターの行 {event} は FSRS で使えないので、無視しています。",
            en=f"The parameters in row {event} can't be used by FSRS and count for nothing.",
        )


def _states(store: Store, state: LogState) -> Iterator[Text]:
    """A sitting rereads one card at a time (`Store.refreshed`): the cached state must be the one
    that the whole log gives, whatever order its rows are read in."""
    read = store.state()
    different = [
        key
        for key in sorted(state.cards.keys() | read.cards.keys())
        if not state.of(key) == read.of(key) == store.refreshed(LogState(), key).of(key)
    ]
    for key in map(printable, different[:MOST_SHOWN]):
        yield Text(
            ja=f"カード {key}: 作り直した状態が、いまの状態と違います。",
            en=f"Card {key}: the state rebuilt from the log differs from the one in use.",
        )
