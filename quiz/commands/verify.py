"""`quiz verify card` and `quiz verify deck`, beside the commands that verify brings itself."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quiz.commands import telling
from quiz.commands.common import LANGUAGE, say, surroundings
from quiz.commands.options import AsJson
from quiz.commands.shelf import StoreShelf
from quiz.commands.telling import Tell, Write
from quiz.deck.card import Card
from quiz.proof import CardResult, CardVerdict, Prover
from quiz.schema import SCHEMAS
from verify.api import ProofdeckError, Text, UsageError, report_file
from verify.api.command import VerifySurroundings, read_line, say_aside, verify_app
from verify.api.worlds import Evidence, LocalWorld, ProgressLine, Request, request_key

if TYPE_CHECKING:
    from quiz.report.guesses import Guessed

# An app of our own, since verify's is its own program's too: what we add stays here.
app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help=verify_app.info.help)
app.registered_commands += verify_app.registered_commands

_FRESH = typer.Option("--fresh", help=say("保存済みの証拠を使わない", "ignore stored evidence"))
_HTML = typer.Option(
    "--html", metavar="FILE", help=say("証拠をページとして保存", "write the evidence as a page")
)
_TRACE = typer.Option(
    "--trace",
    metavar="FILE",
    help=say("時間軸を Perfetto で開ける形式で保存", "write the timelines for Perfetto to open"),
)
_JUNIT = typer.Option(
    "--junit",
    metavar="FILE",
    help=say("判定を JUnit XML で保存", "write the verdicts as JUnit XML"),
)
_PREDICT = typer.Option(
    "--predict",
    help=say(
        "先に予想を聞き、結果と並べる(標準入力から 1 問 1 行。選択肢は a a b のように一人一文字)",
        "ask for guesses first and show them beside the result (from standard input, one line a "
        "card; of choices a letter for each voice, such as a a b)",
    ),
)


@app.callback()
def _root(context: typer.Context) -> None:
    """Give verify's own commands a shelf for their evidence, and the schemas of ours."""
    context.obj = VerifySurroundings(keep=_keep, schemas=SCHEMAS)


@app.command(
    "card",
    help=say(
        "カードの正解と誤答を、実際に実行して判定します。\n\n"
        "例: quiz verify card data-parallel/dp-hold-and-send\n\n"
        "例: quiz verify card decks/mine.yaml::my-card",
        "Run what proves a card: its truth and every lure.\n\n"
        "Example: quiz verify card data-parallel/dp-hold-and-send\n\n"
        "Example: quiz verify card decks/mine.yaml::my-card",
    ),
)
def verify_card(
    identities: Annotated[
        list[str],
        typer.Argument(
            metavar="ID",
            help=say("deck/card か FILE::card の形", "cards, as deck/card or FILE::card"),
        ),
    ],
    as_json: AsJson = False,
    fresh: Annotated[bool, _FRESH] = False,
    html: Annotated[Path | None, _HTML] = None,
    junit: Annotated[Path | None, _JUNIT] = None,
    trace: Annotated[Path | None, _TRACE] = None,
    predict: Annotated[bool, _PREDICT] = False,
) -> int:
    from quiz.commands.decks import cards_named

    found = cards_named(identities)
    decks, cards = [deck for deck, _ in found], [card for _, card in found]
    tell = telling.json_of(len(cards) > 1) if as_json else telling.draw
    words = ["card", *identities]
    page = telling.page_of(decks, words)
    files = telling.files_of((html, page), (junit, telling.junit), (trace, telling.trace))
    return _prove(cards, fresh=fresh, predict=predict, tell=tell, files=files)


@app.command(
    "deck",
    help=say(
        "デッキの全カードを証明します。\n\n例: quiz verify deck decks/ --json",
        "Prove every card of decks.\n\nExample: quiz verify deck decks/ --json",
    ),
)
def verify_deck(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help=say("デッキの ID かパス", "deck ids or paths")),
    ] = None,
    as_json: AsJson = False,
    fresh: Annotated[bool, _FRESH] = False,
    html: Annotated[Path | None, _HTML] = None,
    junit: Annotated[Path | None, _JUNIT] = None,
    trace: Annotated[Path | None, _TRACE] = None,
    predict: Annotated[bool, _PREDICT] = False,
) -> int:
    from quiz.commands.decks import all_decks

    decks = all_decks(paths or [])
    cards = [card for deck in decks for card in deck.cards if card.proof is not None]
    if not cards:
        raise UsageError(Text(ja="証明のあるカードがありません。", en="No card here has a proof."))
    tell = telling.json_of(True) if as_json else telling.draw if predict else telling.draw_deck
    words = ["deck", *(paths or [])]
    page = telling.page_of(decks, words, by_id=not paths)
    files = telling.files_of((html, page), (junit, telling.junit), (trace, telling.trace))
    return _prove(cards, fresh=fresh, predict=predict, tell=tell, files=files)


def results(
    cards: Sequence[Card], *, fresh: bool, guesses: dict[str, Guessed] | None = None
) -> Iterable[CardResult]:
    """Prove cards one after the other; every distinct run is made once. Shows progress.

    Where `guesses` are wanted, the class is asked before each card; they are kept by card.
    """
    place = surroundings()
    with (
        LocalWorld() as world,
        StoreShelf(place.home) as shelf,
        ProgressLine(sys.stderr, LANGUAGE, place.width) as progress,
    ):
        prover = Prover(world, shelf, fresh=fresh)
        for number, card in enumerate(cards, start=1):
            if guesses is not None:
                _ask(card, world, guesses)
            progress.prefix = f"{number} / {len(cards)}  {card.key}"
            progress.say("…")
            result = prover.prove(card, progress=progress)
            progress.clear()
            yield result


def _ask(card: Card, world: LocalWorld, guesses: dict[str, Guessed]) -> None:
    """What the class says, while torch loads. A card that can't be asked will say so itself."""
    from quiz.report.guesses import ask
    from quiz.screens.lines import Page

    with suppress(ProofdeckError):
        world.warm()
    with suppress(ProofdeckError):
        page = Page(LANGUAGE, surroundings().width, {})
        guesses[card.key] = ask(card, page, read_line, say_aside, again=sys.stdin.isatty())


def _prove(
    cards: Sequence[Card], *, fresh: bool, predict: bool, tell: Tell, files: Mapping[Path, Write]
) -> int:
    guesses: dict[str, Guessed] = {}
    found = results(cards, fresh=fresh, guesses=guesses if predict else None)
    told = tell(found, guesses)
    for path, write in files.items():
        report_file.write_whole(path, write(told))
    return 0 if all(result.verdict is CardVerdict.PROVEN for result in told) else 1


def _keep(request: Request, evidence: Evidence) -> None:
    with StoreShelf(surroundings().home) as shelf:
        shelf.put(request_key(request), evidence)
