"""`quiz study`: one sitting over the due cards and some new ones."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from quiz.commands import full_screen
from quiz.commands.common import LANGUAGE, say, surroundings
from quiz.commands.options import Decks, check_minutes
from verify.api import Language, Text, UsageError, language_named

if TYPE_CHECKING:
    from quiz.deck.card import Card
    from quiz.memory.choosing import Wish
    from quiz.prover import SittingProver

HELP = say(
    "今日の復習と新しい問題を解きます。答えるたびに記録するので、いつ終えてもかまいません。"
    "試験の計画(quiz plan)があれば、それに従って出題します。\n\n"
    "例: quiz study\n\n例: quiz study pipeline --limit 10\n\n"
    "例: quiz study --topic communication --minutes 5\n\n"
    "例: quiz study --missed\n\n例: quiz study --cram --plain --lang en",
    "Answer due and new cards. Each answer is saved at once, so stop whenever you like. With an"
    " exam planned (quiz plan) the plan chooses.\n\n"
    "Example: quiz study\n\nExample: quiz study pipeline --limit 10\n\n"
    "Example: quiz study --topic communication --minutes 5\n\n"
    "Example: quiz study --missed\n\nExample: quiz study --cram --plain --lang ja",
)
NOTHING_TODAY = Text(ja="今日の問題はありません。", en="Nothing to study today.")
NOTHING_SUCH = Text(ja="当てはまる問題はありません。", en="No card fits.")
PLAN_DONE = Text(
    ja="今日の計画は終わっています。もっと解くなら --missed か --cram を付けてください。",
    en="Today's part of the plan is done. For more, add --missed or --cram.",
)


def command(
    decks: Decks = None,
    new: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help=say("今日の新しい問題の数", "new cards today")),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help=say("この回の問題の数", "cards in this sitting")),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            callback=check_minutes,
            help=say("この回の時間(分)", "minutes of this sitting"),
        ),
    ] = None,
    topic: Annotated[
        str | None,
        typer.Option(metavar="T", help=say("この話題の問題だけ", "only cards on this topic")),
    ] = None,
    missed: Annotated[
        bool,
        typer.Option(
            "--missed",
            help=say(
                "この 7 日に間違えた問題(期限前でも)", "answered wrong within 7 days, due or not"
            ),
        ),
    ] = False,
    cram: Annotated[
        bool,
        typer.Option(
            "--cram",
            help=say(
                "一度は答えた問題を、予定を変えずに復習",
                "review what was answered before, leaving the schedule alone",
            ),
        ),
    ] = False,
    plain: Annotated[
        bool,
        typer.Option("--plain", help=say("一行ずつの画面を使う", "use the line-by-line screen")),
    ] = False,
    lang: Annotated[
        str | None, typer.Option(metavar="ja|en", help=say("表示の言語", "language"))
    ] = None,
) -> int:
    from quiz.memory.choosing import Wish

    language = LANGUAGE if lang is None else language_named(lang, "--lang")
    wish = Wish(topic, missed, cram, new, limit)
    return _study(decks or [], wish, minutes, language, full=full_screen.wanted(plain))


def _study(
    names: list[str], wish: Wish, minutes: float | None, language: Language, *, full: bool
) -> int:
    from quiz.commands.choosing import chosen_now
    from quiz.commands.decks import all_decks
    from quiz.commands.streams import reader, write
    from quiz.events import Origin
    from quiz.memory.scheduler import Scheduler
    from quiz.recorder import LogRecorder
    from quiz.screens.line import LineScreen
    from quiz.screens.lines import Page
    from quiz.session.state import Turn
    from quiz.sitting import Sitting
    from quiz.store import open_store

    around = surroundings()
    decks = all_decks(names)
    cards = [card for deck in decks for card in deck.cards]
    _check_topic(wish.topic, cards)
    with open_store(around.home, write=True) as store:
        state = store.state()
        today = around.clock.now().day
        chosen, plan = chosen_now(store, cards, state, today, wish)
        page = Page(
            language,
            around.width,
            {deck.id: deck.title for deck in decks},
            plan.days_left(today) if plan else None,
        )
        scheduler = Scheduler(state.parameters, parameter_set=state.parameter_set)
        origin = Origin.CRAM if wish.cram else Origin.STUDY
        recorder = LogRecorder(
            store, state, scheduler, around.clock, cards, str(uuid.uuid4()), origin
        )
        if not chosen:
            nothing = _nothing(wish, plan is not None and plan.days_left(today) > 0)
            lines = [*page.prose(nothing), *page.upcoming(recorder.upcoming())]
            typer.echo("\n".join(lines))
            return 0
        turns = tuple(Turn(card, state.of(card.key).answers) for card in chosen)
        with ExitStack() as stack:

            def prover() -> SittingProver:
                from quiz.commands.shelf import StoreShelf
                from quiz.prover import SittingProver
                from verify.api.command import look_now
                from verify.api.worlds import LocalWorld

                world = stack.enter_context(LocalWorld())
                shelf = stack.enter_context(StoreShelf(around.home))
                look = replace(look_now(), language=language, width=around.width, colour=False)
                return SittingProver(world, shelf, look, patience=0.0 if full else None)

            sitting = Sitting(turns, recorder, prover, time.monotonic, minutes=minutes)
            if full:
                return full_screen.show(sitting, page, decks)
            LineScreen(sitting, page, reader(), write).run()
            return 0


def _nothing(wish: Wish, planned: bool) -> Text:
    if wish.topic or wish.missed or wish.cram:
        return NOTHING_SUCH
    return PLAN_DONE if planned else NOTHING_TODAY


def _check_topic(topic: str | None, cards: Sequence[Card]) -> None:
    """Raises UsageError where no card is on this topic."""
    from quiz.deck.problem import quoted
    from quiz.memory.choosing import topics

    known = topics(cards)
    if topic is None or topic in known:
        return
    raise UsageError(
        Text(
            ja=f"--topic に指定した {quoted(topic)} という話題はありません。",
            en=f"--topic: no card is on {quoted(topic)}.",
        ),
        Text(ja=f"話題: {', '.join(known)}", en=f"Topics: {', '.join(known)}"),
    )
