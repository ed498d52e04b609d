"""Proving: ask a world for the evidence that is missing, then judge."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from quiz.deck.card import Card
from quiz.proof.judging import CardResult, CardVerdict, judge
from quiz.proof.plan import Combination, plan
from verify.api import LANGUAGES, ProofdeckError, Text
from verify.api.worlds import (
    Evidence,
    OnProgress,
    Request,
    ignore_progress,
    of_several,
    request_key,
)


class World(Protocol):
    """What a prover needs of a world."""

    def run(self, request: Request, progress: OnProgress = ...) -> Evidence: ...


class Shelf(Protocol):
    """Where evidence is kept between runs of the program."""

    def get(self, key: str) -> Evidence | None: ...

    def put(self, key: str, evidence: Evidence) -> None: ...


@dataclass
class Prover:
    """Proves cards; a run that several cards need is made once.

    `fresh` leaves the shelf unread, but still fills it.
    """

    world: World
    shelf: Shelf | None = None
    fresh: bool = False
    _known: dict[str, Evidence] = field(default_factory=dict)

    def evidence(self, request: Request, progress: OnProgress = ignore_progress) -> Evidence:
        """Evidence from this session, else the shelf, else a run. Raises RunFailed."""
        key = request_key(request)
        if key not in self._known:
            kept = None if self.fresh or self.shelf is None else self.shelf.get(key)
            if kept is None:
                kept = self.world.run(request, progress)
                if self.shelf is not None:
                    self.shelf.put(key, kept)
            self._known[key] = kept
        return self._known[key]

    @property
    def made(self) -> Mapping[str, Evidence]:
        """All evidence that this prover has, by key."""
        return self._known

    def prove(
        self,
        card: Card,
        combinations: Sequence[Combination] | None = None,
        progress: OnProgress = ignore_progress,
    ) -> CardResult:
        """The card's verdict; a broken run makes it `failed`, never an exception."""
        started = time.perf_counter()
        try:
            needed = plan(card, combinations)
            requests = list(needed.requests())
            for number, request in enumerate(requests, start=1):
                self.evidence(request, of_several(progress, number, requests))
            result = judge(needed, self.evidence)
        except ProofdeckError as error:
            result = CardResult(card, CardVerdict.FAILED, reason=_whole(error))
        return replace(result, seconds=time.perf_counter() - started)


def _whole(error: ProofdeckError) -> Text:
    """What went wrong with what may mend it, as one text: a verdict has room for one reason."""
    if error.hint is None:
        return error.message
    both = {
        language: f"{error.message.pick(language)} {error.hint.pick(language).strip()}"
        for language in LANGUAGES
    }
    return Text(**both)
