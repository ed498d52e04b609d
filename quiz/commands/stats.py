"""`quiz stats`: what the log says about memory, confidence and beliefs."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Annotated

import typer

from quiz.commands.common import say, surroundings

if TYPE_CHECKING:
    from quiz.memory.stats import Stats

NAME = "stats"
HELP = say(
    "定着率、確信と正答率の対応、惑わされている考えを表示します。\n\n例: quiz stats --json",
    "Show retention, calibration, and the beliefs that still fool you.\n\n"
    "Example: quiz stats --json",
)


def command(
    decks: Annotated[
        list[str] | None,
        typer.Argument(metavar="DECK", help=say("デッキの ID かパス", "deck ids or paths")),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help=say("JSON で出力", "print JSON"))] = False,
) -> None:
    from quiz.commands.decks import all_cards
    from quiz.memory.stats import compute_stats
    from quiz.store import open_store

    around = surroundings()
    cards = all_cards(decks or [])
    with open_store(around.home, write=False) as store:
        state, events, predicted = store.state(), list(store.events()), store.predictions()
    stats = compute_stats(cards, state, events, predicted, around.clock.now().day)
    if as_json:
        typer.echo(json.dumps(_record(stats), ensure_ascii=False))
    else:
        typer.echo("\n".join(_lines(stats)))


def _record(stats: Stats) -> dict[str, object]:
    from quiz.memory.study_day import date_of

    record = dataclasses.asdict(stats)
    record["day"] = date_of(stats.day).isoformat()
    for belief in record["beliefs"]:
        belief["day"] = date_of(belief["day"]).isoformat()
    for row in record["calibration"]:
        row["confidence"] = row["confidence"].name.lower().replace("_", "-")
    return record


def _lines(stats: Stats) -> list[str]:
    """Only what has been answered: a share of nothing isn't printed."""
    from quiz.screens.lines import CONFIDENCES

    lines = [
        say(
            f" カード {stats.cards} 枚   未出題 {stats.new}   今日の復習 {stats.due}",
            f" {stats.cards} cards   {stats.new} new   {stats.due} due today",
        ),
        say(
            f" 解答 {stats.answers} 回   今日 {stats.answers_today}   学習 {stats.days_studied} 日",
            f" {stats.answers} answers   {stats.answers_today} today   {stats.days_studied} days",
        ),
    ]
    retention = stats.retention
    if retention.true is not None and retention.predicted is not None:
        lines.append(
            say(
                f" 定着率 {retention.true:.0%}   予測 {retention.predicted:.0%}"
                f"   ({retention.answers} 回)",
                f" recalled {retention.true:.0%}   predicted {retention.predicted:.0%}"
                f"   ({retention.answers} answers)",
            )
        )
    for row in stats.calibration:
        if row.answers:
            name = CONFIDENCES[row.confidence]
            lines.append(
                say(
                    f" {name.ja}: {row.answers} 回中 {row.correct} 回正解",
                    f" {name.en}: {row.correct} of {row.answers} right",
                )
            )
    if stats.beliefs:
        lines += ["", say(" まだ惑わされている考え", " beliefs that still fool you")]
        lines += [f"   {belief.times}×  {belief.belief}  {belief.card}" for belief in stats.beliefs]
    if any(stats.forecast):
        days = "  ".join(map(str, stats.forecast))
        lines += ["", say(f" これから 14 日の復習  {days}", f" due in the next 14 days  {days}")]
    return lines
