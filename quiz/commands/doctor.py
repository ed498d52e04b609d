"""`quiz doctor`: is the log whole, does the state follow from it, and has every card its deck?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from quiz.commands.common import LANGUAGE, say, surroundings
from quiz.commands.json_line import json_line
from quiz.commands.options import AsJson
from verify.api import Text, printable

if TYPE_CHECKING:
    from quiz.deck.card import Card

HELP = say(
    "記録を調べます。ファイルの破損、読めない行や証拠、状態の作り直しとの食い違い、どのデッキにも"
    "ないカードの記録を報告します。--reattach を付けないかぎり、何も書き込みません。\n\n"
    "例: quiz doctor\n\n例: quiz doctor --reattach old-deck/card new-deck/card",
    "Check the log: damage to the file, rows and evidence that can't be read, states that differ"
    " from what a rebuild gives, and history whose card is in no deck. Writes nothing without"
    " --reattach.\n\nExample: quiz doctor\n\n"
    "Example: quiz doctor --reattach old-deck/card new-deck/card",
)


def command(
    decks: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DECK",
            help=say("ほかに使っているデッキのパス", "paths of other decks you study"),
        ),
    ] = None,
    reattach: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="OLD NEW",
            help=say(
                "カード OLD(またはデッキ OLD)の記録を NEW に引き継ぐ",
                "give the history of card (or deck) OLD to NEW",
            ),
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    cards = _known_cards(decks or [])
    if reattach is not None:
        return _reattach(*reattach, cards)
    return _examine(cards, as_json)


def _known_cards(paths: list[str]) -> dict[str, Card]:
    """The cards of the usual decks and of those named."""
    from quiz.commands.decks import all_cards

    cards = all_cards([]) + (all_cards(paths) if paths else [])
    return {card.key: card for card in cards}


def _reattach(old: str, new: str, cards: dict[str, Card]) -> int:
    from quiz.events import EventKind
    from quiz.orphans import reattachments
    from quiz.store import open_store

    around = surroundings()
    with open_store(around.home, write=True) as store:
        pairs, now = reattachments(old, new, store.state(), cards), around.clock.now()
        store.append_all(
            [now.event(EventKind.REATTACH, card=before, target=after) for before, after in pairs]
        )
    for before, after in pairs:
        typer.echo(f" {printable(before)} → {after}")
    return 0


def _examine(cards: dict[str, Card], as_json: bool) -> int:
    from quiz.checkup import examine
    from quiz.orphans import orphans
    from quiz.store import open_store
    from quiz.store.health import examine_file, examine_rows, foreign_rows

    around = surroundings()
    lost: Mapping[str, int] = {}
    with open_store(around.home, write=False) as store:
        (events,) = store.connection.execute("SELECT count(*) FROM events").fetchone()
        findings = [*examine_file(store), *examine_rows(store, around.clock.now().day)]
        if foreign := list(foreign_rows(store)):  # nothing can be folded from these
            findings += foreign
        else:
            report = examine(store)
            findings += report.findings
            lost = orphans(store.state(), cards)
    findings += [_orphan(name, answers) for name, answers in lost.items()]
    if as_json:
        record = {
            "events": events,
            "orphans": [{"card": name, "answers": answers} for name, answers in lost.items()],
            "findings": [finding.pick(LANGUAGE) for finding in findings],
        }
        typer.echo(json_line(record))
        return 1 if findings else 0
    typer.echo(say(f" 記録 {events} 行を調べました。", f" Rows checked: {events}"))
    for finding in findings:
        typer.echo("   " + finding.pick(LANGUAGE))
    if lost:
        typer.echo(
            say(
                " カードの名前を変えたなら、quiz doctor --reattach 古い名前 新しい名前"
                " で引き継げます。",
                " If a card was renamed: quiz doctor --reattach OLD NEW",
            )
        )
    if not findings:
        typer.echo(say(" 異常はありません。", " All is well."))
    return 1 if findings else 0


def _orphan(name: str, answers: int) -> Text:
    shown = printable(name)
    return Text(
        ja=f"{shown}: 解答 {answers} 回の記録がありますが、どのデッキにもありません。",
        en=f"{shown}: no deck has this card (answers: {answers}).",
    )
