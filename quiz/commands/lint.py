"""`quiz lint`: check decks, and with --prove run what proves their cards."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from quiz.commands.common import LANGUAGE, say, surroundings
from verify.api import verbatim

if TYPE_CHECKING:
    from quiz.deck.load import Loaded
    from quiz.lint.finding import Finding

NAME = "lint"
HELP = say(
    "デッキの誤りを、場所と直し方とともに示します。\n\n例: quiz lint decks/mine.yaml\n\n"
    "例: quiz lint decks/ --prove",
    "Say what is wrong with decks, where, and how to mend it.\n\n"
    "Example: quiz lint decks/mine.yaml\n\nExample: quiz lint decks/ --prove",
)


def command(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help=say("デッキのファイルか ID", "files or deck ids")),
    ] = None,
    format: Annotated[
        str, typer.Option(metavar="text|json", help=say("出力の形式", "format of the report"))
    ] = "text",
    prove: Annotated[
        bool,
        typer.Option("--prove", help=say("全カードを実行して証明する", "prove every card by runs")),
    ] = False,
) -> int:
    from quiz.deck.library import find_decks
    from quiz.lint.command import run_lint

    around = surroundings()
    return run_lint(
        find_decks(paths or [], around.home),
        format,
        LANGUAGE,
        sys.stdout.write,
        others=find_decks([], around.home),
        width=around.width,
        further=prove_decks if prove else None,
    )


def prove_decks(decks: Sequence[Loaded]) -> Iterator[Finding]:
    """Prove every card that has a proof, and yield what isn't proven and what can't fail."""
    from quiz.commands.verify import results
    from quiz.deck.problem import Problem
    from quiz.lint.finding import Finding
    from quiz.proof import CardVerdict

    files = {loaded.deck.id: loaded for loaded in decks if loaded.deck is not None}
    cards = [
        card
        for loaded in files.values()
        for card in (loaded.deck.cards if loaded.deck else ())
        if card.proof is not None
    ]
    for result in results(cards, fresh=True):
        card, file = result.card, files[result.card.deck]
        if result.verdict is not CardVerdict.PROVEN:
            reason = result.reason or verbatim(result.verdict.value)
            problem = Problem("not-proven", card.at("proof"), reason, card=card.key)
            yield Finding(file.path, problem, file.source)
        for weakness in result.weaknesses:
            place = card.at(*weakness.assertion.place)
            loose = Problem("claim-cannot-fail", place, weakness.text, card=card.key)
            yield Finding(file.path, loose, file.source)
