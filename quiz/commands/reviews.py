"""`quiz reviews`: the answers that stand."""

from __future__ import annotations

from typing import Annotated

import typer

from quiz.commands.common import say, surroundings
from quiz.commands.json_line import json_line
from quiz.events import Answer, Event
from quiz.memory.study_day import date_of
from verify.api import printable

HELP = say(
    "これまでの解答を古い順に表示します。取り消したものは除きます。\n\n例: quiz reviews --json",
    "List the answers so far, oldest first, less the undone ones.\n\nExample: quiz reviews --json",
)


def command(
    as_json: Annotated[
        bool, typer.Option("--json", help=say("JSON Lines で出力", "print JSON lines"))
    ] = False,
) -> None:
    from quiz.memory.stats import standing_answers
    from quiz.store import open_store

    with open_store(surroundings().home, write=False) as store:
        events = list(store.events())
    for event, answer, card in standing_answers(events):
        if as_json:
            typer.echo(json_line(_record(event, answer, card)))
        else:
            typer.echo(f" {date_of(event.day)}  {answer.grade.value}  {printable(card)}")


def _record(event: Event, answer: Answer, card: str) -> dict[str, object]:
    sure = answer.confidence
    return {
        "id": event.id,
        "card": card,
        "kind": answer.card_kind,
        "grade": int(answer.grade),
        "at": event.at,
        "day": date_of(event.day).isoformat(),
        "confidence": None if sure is None else sure.name.lower().replace("_", "-"),
        "seconds": answer.seconds,
        "correct": answer.correct,
        "choice": answer.choice,
        "raw": answer.raw,
        "parameters": dict(answer.parameters),
        "repetition": answer.repetition,
        "due": None if answer.due is None else date_of(answer.due).isoformat(),
        "origin": answer.origin.value,
        "after_undo": answer.after_undo,
        "evidence": answer.evidence,
    }
