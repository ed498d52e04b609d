"""Where evidence is kept between commands."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Self

from quiz.commands.common import LANGUAGE
from verify.api import ProofdeckError, Text

if TYPE_CHECKING:
    from quiz.store import Store
    from verify.api.worlds import Evidence

_NOT_KEPT = Text(ja="証拠は保存されません。", en="The evidence isn't kept.")


class StoreShelf:
    """Evidence in the store, opened when first needed.

    A store that can't be opened or written is no reason not to prove: it is said once.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._stack = ExitStack()
        self._store: Store | None = None
        self._off = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def get(self, key: str) -> Evidence | None:
        store = self._opened()
        return None if store is None else store.evidence(key)

    def put(self, key: str, evidence: Evidence) -> None:
        store = self._opened()
        if store is not None:
            try:
                store.put_evidence(key, evidence)
            except ProofdeckError as error:
                self._give_up(error)

    def _opened(self) -> Store | None:
        from quiz.store import open_store

        if self._store is None and not self._off:
            try:
                self._store = self._stack.enter_context(open_store(self._home, write=True))
            except ProofdeckError as error:
                self._give_up(error)
        return None if self._off else self._store

    def _give_up(self, error: ProofdeckError) -> None:
        self._off = True
        sys.stderr.write(_NOT_KEPT.pick(LANGUAGE) + " " + error.render(LANGUAGE) + "\n")
