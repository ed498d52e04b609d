"""`quiz stats`: what the log says about memory, confidence and beliefs."""

from __future__ import annotations

import typer

from quiz.commands.common import LANGUAGE, say, surroundings
from quiz.commands.options import AsJson, Decks

HELP = say(
    "定着率、自信と正答率の対応、惑わされている考え、かかった時間、これからの復習、連続日数を表示し"
    "ます。\n\n例: quiz stats\n\n例: quiz stats --json",
    "Show retention, calibration, the beliefs that still fool you, time spent, what falls due and"
    " the days studied.\n\nExample: quiz stats\n\nExample: quiz stats --json",
)


def command(
    decks: Decks = None,
    as_json: AsJson = False,
) -> None:
    from quiz.commands.decks import all_cards
    from quiz.commands.json_line import json_line
    from quiz.memory.stats import compute_stats
    from quiz.report.stats import lines, record
    from quiz.store import open_store

    around = surroundings()
    cards = all_cards(decks or [])
    with open_store(around.home, write=False) as store:
        state, events, predicted = store.state(), list(store.events()), store.predictions()
    stats = compute_stats(cards, state, events, predicted, around.clock.now().day)
    if as_json:
        typer.echo(json_line(record(stats, cards)))
    else:
        typer.echo("\n".join(lines(stats, cards, LANGUAGE, around.width)))
