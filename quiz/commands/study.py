"""`quiz study`: one sitting over the due cards and some new ones."""

from __future__ import annotations

import sys
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated

import typer

from quiz.commands import full_screen
from quiz.commands.common import LANGUAGE, say, surroundings
from verify.api import Language, Text, language_named, look_now

NAME = "study"
HELP = say(
    "今日の復習と新しい問題を解きます。答えるたびに記録するので、いつ終えてもかまいません。\n\n"
    "例: quiz study\n\n例: quiz study pipeline --limit 10",
    "Answer due and new cards. Each answer is saved at once, so stop whenever you like.\n\n"
    "Example: quiz study\n\nExample: quiz study pipeline --limit 10",
)
LONGEST_LINE = 4096
LONGEST_INPUT = 2**20  # characters without a line break: no keyboard sends that

NOTHING_TODAY = Text(ja="今日の問題はありません。", en="Nothing to study today.")


def command(
    decks: Annotated[
        list[str] | None,
        typer.Argument(metavar="DECK", help=say("デッキの ID かパス", "deck ids or paths")),
    ] = None,
    new: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help=say("今日の新しい問題の数", "new cards today")),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help=say("この回の問題の数", "cards in this sitting")),
    ] = None,
    plain: Annotated[
        bool,
        typer.Option("--plain", help=say("一行ずつの画面を使う", "use the line-by-line screen")),
    ] = False,
    lang: Annotated[
        str | None, typer.Option(metavar="ja|en", help=say("表示の言語", "language"))
    ] = None,
) -> int:
    language = LANGUAGE if lang is None else language_named(lang, "--lang")
    return _study(decks or [], new, limit, language, full=full_screen.wanted(plain))


def _study(
    names: list[str], new: int | None, limit: int | None, language: Language, *, full: bool
) -> int:
    from quiz.commands.decks import all_decks
    from quiz.commands.verify import StoreShelf
    from quiz.memory.queue import NEW_PER_DAY, build_queue
    from quiz.memory.scheduler import Scheduler
    from quiz.prover import SittingProver
    from quiz.recorder import LogRecorder
    from quiz.screens.line import LineScreen
    from quiz.screens.lines import Page
    from quiz.session.state import Turn
    from quiz.sitting import Sitting
    from quiz.store import open_store
    from verify.api import LocalWorld

    around = surroundings()
    decks = all_decks(names)
    cards = [card for deck in decks for card in deck.cards]
    page = Page(language, around.width, {deck.id: deck.title for deck in decks})
    with open_store(around.home, write=True) as store:
        state = store.state()
        per_day = NEW_PER_DAY if new is None else new
        today = around.clock.now().day
        queue = build_queue(cards, state, today, new_per_day=per_day, limit=limit)
        scheduler = Scheduler(state.parameters, parameter_set=state.parameter_set)
        recorder = LogRecorder(store, state, scheduler, around.clock, cards, str(uuid.uuid4()))
        if not queue.cards:
            lines = [" " + NOTHING_TODAY.pick(language), *page.upcoming(recorder.upcoming())]
            typer.echo("\n".join(lines))
            return 0
        turns = tuple(Turn(card, state.of(card.key).answers) for card in queue.cards)
        look = replace(look_now(), language=language, width=around.width, colour=False)
        with LocalWorld() as world, StoreShelf(around.home) as shelf:
            prover = SittingProver(world, shelf, look, patience=0.0 if full else None)
            sitting = Sitting(turns, recorder, prover, time.monotonic)
            if full:
                return full_screen.show(sitting, page, decks)
            LineScreen(sitting, page, _reader(), _write).run()
            return 0


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _reader() -> Callable[[], str | None]:
    """Lines of standard input; a prompt where both ends are a terminal."""
    prompted = sys.stdin.isatty() and sys.stdout.isatty()

    def read() -> str | None:
        if prompted:
            _write("> ")
        line = sys.stdin.readline(LONGEST_LINE)
        length = len(line)
        while line and not line.endswith("\n") and (more := sys.stdin.readline(LONGEST_LINE)):
            length += len(more)
            line = line[:LONGEST_LINE] + more[-1:]
            if length > LONGEST_INPUT:
                return None
        if prompted and not line.endswith("\n"):
            _write("\n")
        return line.removesuffix("\n") if line else None

    return read
