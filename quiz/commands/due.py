"""`quiz due`: what today asks."""

from __future__ import annotations

import typer

from quiz.commands.common import say, surroundings
from quiz.commands.json_line import json_line
from quiz.commands.options import AsJson, Decks
from quiz.screens.wrap import columns
from verify.api import pad

HELP = say(
    "今日の復習と新しい問題の一覧を表示します。\n\n例: quiz due --json",
    "List the cards of today.\n\nExample: quiz due --json",
)


def command(
    decks: Decks = None,
    as_json: AsJson = False,
) -> None:
    from quiz.commands.choosing import chosen_now
    from quiz.commands.decks import all_cards
    from quiz.memory.choosing import Wish
    from quiz.memory.study_day import date_of
    from quiz.store import open_store

    around = surroundings()
    cards = all_cards(decks or [])
    now = around.clock.now()
    with open_store(around.home, write=False) as store:
        state = store.state()
        chosen, plan = chosen_now(store, cards, state, now.day, Wish())
    listed = [
        {
            "card": card.key,
            "kind": card.kind.value,
            "new": state.of(card.key).is_new and state.of(card.key).due is None,
            "due": None if (due := state.of(card.key).due) is None else date_of(due).isoformat(),
        }
        for card in chosen
    ]
    day, new = date_of(now.day).isoformat(), sum(card["new"] is True for card in listed)
    if as_json:
        record = {"day": day, "due": len(chosen) - new, "new": new, "cards": listed}
        exam = None if plan is None else date_of(plan.exam).isoformat()
        typer.echo(json_line(record | ({} if exam is None else {"exam": exam})))
        return
    heading = [
        day,
        say(f"復習 {len(chosen) - new} 問", f"{len(chosen) - new} due"),
        say(f"新しい問題 {new} 問", f"{new} new"),
    ]
    typer.echo("\n".join(columns(heading, around.width)))
    for card in chosen:
        due = state.of(card.key).due
        when = say("新規", "new") if due is None else date_of(due).isoformat()
        typer.echo(f"   {pad(when, 10)}  {card.key}")
