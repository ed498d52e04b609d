"""Arguments and options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from quiz.commands.common import say

Decks = Annotated[
    list[str] | None,
    typer.Argument(metavar="DECK", help=say("デッキの ID かパス", "deck ids or paths")),
]
AsJson = Annotated[bool, typer.Option("--json", help=say("JSON で出力", "print JSON"))]
