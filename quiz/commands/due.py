"""`quiz due`: what today asks."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from quiz.commands.common import say, surroundings
from verify.api import pad

NAME = "due"
HELP = say(
    "今日の復習と新しい問題の一覧を表示します。\n\n例: quiz due --json",
    "List the cards of today.\n\nExample: quiz due --json",
)


def command(
    decks: Annotated[
        list[str] | None,
        typer.Argument(metavar="DECK", help=say("デッキの ID かパス", "deck ids or paths")),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help=say("JSON で出力", "print JSON"))] = False,
) -> None:
    from quiz.commands.decks import all_cards
    from quiz.memory.queue import build_queue
    from quiz.memory.study_day import date_of
    from quiz.store import open_store

    around = surroundings()
    cards = all_cards(decks or [])
    with open_store(around.home, write=False) as store:
        state = store.state()
    queue = build_queue(cards, state, around.clock.now().day)
    listed = [
        {
            "card": card.key,
            "kind": card.kind.value,
            "new": card in queue.new,
            "due": None if (due := state.of(card.key).due) is None else date_of(due).isoformat(),
        }
        for card in queue.cards
    ]
    day = date_of(queue.day).isoformat()
    if as_json:
        record = {"day": day, "due": len(queue.due), "new": len(queue.new), "cards": listed}
        typer.echo(json.dumps(record, ensure_ascii=False))
        return
    typer.echo(
        say(
            f" {day}   復習 {len(queue.due)} 問   新しい問題 {len(queue.new)} 問",
            f" {day}   {len(queue.due)} due   {len(queue.new)} new",
        )
    )
    for card in queue.cards:
        due = state.of(card.key).due
        when = say("新規", "new") if due is None else date_of(due).isoformat()
        typer.echo(f"   {pad(when, 10)}  {card.key}")
