"""Arguments and options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from quiz.commands.common import say
from verify.api import Text, UsageError

_LEAST_MINUTES = 0.1

Decks = Annotated[
    list[str] | None,
    typer.Argument(metavar="DECK", help=say("デッキの ID かパス", "deck ids or paths")),
]
AsJson = Annotated[bool, typer.Option("--json", help=say("JSON で出力", "print JSON"))]


def check_minutes(minutes: float | None) -> float | None:
    """Callback of every `--minutes`: typer's own ranges let a NaN through. Raises UsageError."""
    from quiz.memory.plan import MOST_MINUTES

    if minutes is None or _LEAST_MINUTES <= minutes <= MOST_MINUTES:
        return minutes
    raise UsageError(
        Text(
            ja=f"--minutes の値 {minutes:g} は範囲外です。",
            en=f"--minutes: {minutes:g} is out of range.",
        ),
        Text(
            ja=f"{_LEAST_MINUTES:g} から {MOST_MINUTES} までで指定してください。",
            en=f"Give {_LEAST_MINUTES:g} to {MOST_MINUTES}.",
        ),
    )
