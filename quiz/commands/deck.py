"""`quiz deck`: decks for those who write them. list, show, new, schema."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quiz.commands.common import LANGUAGE, say, surroundings
from quiz.commands.options import AsJson, Decks
from verify.api import Text, UsageError, printable, report_file
from verify.api.command import read_line
from verify.api.experiments import experiment_names, find_experiment

if TYPE_CHECKING:
    from quiz.deck.card import Card
    from quiz.deck.loaded import Loaded
    from quiz.deck.skeleton import Fields

_NEW_DECK = "mine"  # the file of a first card, where none is named
_LISTED = Text(
    ja="{cards} 枚(recall {recall}、trap {trap}、compute {compute}、証明つき {proofs})",
    en="cards: {cards} ({recall} recall, {trap} trap, {compute} compute, {proofs} with a proof)",
)
_PROBLEMS = Text(ja="問題 {problems} 件", en="problems: {problems}")
_WRITTEN = Text(
    ja="{place} に {card} を書きました。選択肢や truth の claim は実験の法則から取った下書きです。"
    "文に合わせて直してください。",
    en="Wrote {card} at {place}. Its claims are drafts, taken from the experiment's laws: make "
    "them say what your text says.",
)
_NEXT = Text(ja="次に: {commands}", en="Next: {commands}")
_ODD = Text(
    ja="このデッキには追記できません。次のカードを手で入れてください。\n\n{card}",
    en="This deck can't be added to. Put the card in by hand:\n\n{card}",
)

app = typer.Typer(
    no_args_is_help=True,
    help=say(
        "デッキを作る・見る(list, show, new, schema)。\n\n例: quiz deck new decks/mine.yaml",
        "Write and look at decks: list, show, new, schema.\n\n"
        "Example: quiz deck new decks/mine.yaml",
    ),
)


@app.command(
    "list",
    help=say(
        "デッキの一覧を表示します。\n\n例: quiz deck list --json",
        "List the decks.\n\nExample: quiz deck list --json",
    ),
)
def list_decks(
    decks: Decks = None,
    as_json: AsJson = False,
) -> None:
    from quiz.commands.json_line import json_line
    from quiz.deck.library import find_decks, read_decks
    from quiz.screens.wrap import wrap

    around = surroundings()
    records = [_record(loaded) for loaded in read_decks(find_decks(decks or [], around.home))]
    if as_json:
        typer.echo(json_line(records))
        return
    for record in records:
        title = Text(**record["title"]).pick(LANGUAGE) if record["title"] else ""
        problems = f"  {_PROBLEMS.fill(**record).pick(LANGUAGE)}" if record["problems"] else ""
        head = f"{record['deck'] or record['path']}  {title}"
        lines = wrap(head, around.width)
        lines += wrap(_LISTED.fill(**record).pick(LANGUAGE) + problems, around.width, first="   ")
        lines += wrap(record["path"], around.width, first="   ")
        typer.echo("\n".join(lines))


@app.command(
    "show",
    help=say(
        "カードを、学習者に見えるとおりに答えと証明まで表示します。\n\n"
        "例: quiz deck show data-parallel/dp-nothing-to-send\n\n"
        "例: quiz deck show decks/mine.yaml::who-sends",
        "Show cards as the learner sees them, with the answer and what the proof claims.\n\n"
        "Example: quiz deck show data-parallel/dp-nothing-to-send\n\n"
        "Example: quiz deck show decks/mine.yaml::who-sends",
    ),
)
def show(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="ID",
            help=say(
                "deck/card、FILE::card、またはデッキの ID かパス(全カード)",
                "deck/card, FILE::card, or a deck's id or path for all of its cards",
            ),
        ),
    ],
) -> None:
    from quiz.commands.decks import cards_named
    from quiz.report.preview import draw
    from quiz.screens.lines import Page

    around = surroundings()
    chosen = cards_named(names, whole=True)
    page = Page(LANGUAGE, around.width, {deck.id: deck.title for deck, _ in chosen})
    for _, card in chosen:
        typer.echo("\n".join(draw(card, page)))


@app.command(
    "new",
    help=say(
        "質問に答えると、すぐ証明できるカードを書き、エディターで開きます。"
        "標準入力から 1 行 1 答でも使えます。\n\n例: quiz deck new\n\n"
        "例: quiz deck new decks/mine.yaml",
        "Ask a few questions, write a card whose proof runs as it is, and open your editor. "
        "Answers may come from a pipe, one a line.\n\n"
        "Example: quiz deck new\n\nExample: quiz deck new decks/mine.yaml",
    ),
)
def new(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help=say(
                "デッキのファイル(なければ作る。省略すると自分のデッキ mine)",
                "the deck's file, made where there is none (by default your own deck, mine)",
            ),
        ),
    ] = None,
    no_edit: Annotated[
        bool, typer.Option("--no-edit", help=say("エディターを開かない", "open no editor"))
    ] = False,
) -> int:
    from quiz.commands.interview import Interview
    from quiz.deck import skeleton
    from quiz.deck.library import own_decks
    from quiz.deck.load import load

    path = file or own_decks(surroundings().home) / f"{_NEW_DECK}.yaml"
    at_terminal = sys.stdin.isatty() and sys.stderr.isatty()
    interview = Interview(read_line, _aside, LANGUAGE, again=at_terminal)
    if path.exists():
        loaded = load(path)
        _check_usable(loaded)
        assert loaded.deck is not None
        fields = interview.card(loaded.deck, loaded.declared)
        deck, text = loaded.deck.id, skeleton.appended(loaded.source.text, loaded.deck, fields)
    else:
        _check_suffix(path)
        deck, title = interview.deck(path.stem)
        fields = interview.card(None, ())
        text = skeleton.new_deck(deck, title, fields)
    line = _check(path, text, fields)
    _write(path, text)
    key = f"{deck}/{fields['id']}"
    place = f"{path}:{line}"
    typer.echo(_WRITTEN.fill(place=place, card=key).pick(LANGUAGE))
    if at_terminal and not no_edit:
        _edit(path, line)
    commands = ", ".join((f"quiz deck show {path}::{fields['id']}", f"quiz lint {path} --prove"))
    typer.echo(_NEXT.fill(commands=commands).pick(LANGUAGE))
    return 0


@app.command(
    "schema",
    help=say(
        "デッキの JSON Schema を表示します。エディターが補完と検査に使います。\n\n"
        "例: quiz deck schema > deck.schema.json",
        "Print the JSON Schema of a deck, by which an editor completes and checks.\n\n"
        "Example: quiz deck schema > deck.schema.json",
    ),
)
def schema() -> None:
    surroundings()
    typer.echo(_schema(), nl=False)


def _schema() -> str:
    from quiz.deck.json_schema import text_of

    return text_of(find_experiment(name) for name in experiment_names())


def _record(loaded: Loaded) -> dict[str, Any]:
    """One deck as `quiz/schema/decks.json` describes it."""
    deck = loaded.deck
    cards: Sequence[Card] = deck.cards if deck is not None else ()
    kinds = [card.kind.value for card in cards]
    title = {} if deck is None else {"ja": deck.title.ja, "en": deck.title.en}
    return {
        "deck": None if deck is None else deck.id,
        "title": {language: words for language, words in title.items() if words is not None},
        "path": str(loaded.path),
        "cards": len(cards),
        "recall": kinds.count("recall"),
        "trap": kinds.count("trap"),
        "compute": kinds.count("compute"),
        "proofs": sum(card.proof is not None for card in cards),
        "problems": len(loaded.problems),
    }


def _check_suffix(path: Path) -> None:
    from quiz.deck.library import SUFFIXES

    if path.suffix not in SUFFIXES:
        raise UsageError(
            Text(
                ja=f"{path} はデッキのファイル名ではありません。", en=f"{path} isn't a deck's name."
            ),
            Text(ja="名前を .yaml で終えてください。", en="Let the name end in .yaml."),
        )


def _check_usable(loaded: Loaded) -> None:
    if loaded.deck is None:
        raise UsageError(
            Text(ja=f"{loaded.path} を読めません。", en=f"{loaded.path} can't be read."),
            Text(ja=f"確かめる: quiz lint {loaded.path}", en=f"See quiz lint {loaded.path}"),
        )


def _check(path: Path, text: str, fields: Fields) -> int:
    """The line of the new card. Raises UsageError where the file wouldn't be read as meant."""
    from quiz.deck.load import parse
    from quiz.deck.skeleton import dump

    read = parse(text.encode(), path)
    if read.deck is None or fields["id"] not in {card.id for card in read.deck.cards}:
        raise UsageError(_ODD.fill(card=dump(fields)))
    return read.declared[fields["id"]].line


def _write(path: Path, text: str) -> None:
    """The deck, and beside a new one the schema that its first line names."""
    from quiz.deck.json_schema import FILE_NAME

    is_new = not path.exists()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            Text(
                ja=f"{path.parent} を作れません: {reason}",
                en=f"{path.parent} can't be made: {reason}",
            )
        ) from error
    report_file.write_whole(path, text)
    beside = path.with_name(FILE_NAME)
    if is_new and not beside.exists():
        report_file.write_whole(beside, _schema())


def _edit(path: Path, line: int) -> None:
    """Open the author's editor, then say what is wrong with the file it left."""
    import subprocess

    from quiz.commands.decks import told
    from quiz.deck.load import load
    from quiz.editor import editor_command

    command = editor_command(os.environ, path, line)
    if command is None:
        return
    try:
        subprocess.call(command)
    except OSError as error:
        _aside(f"{command[0]}: {error.strerror}\n")
    for problem in load(path).problems:
        _aside(told(path, problem))


def _aside(text: str) -> None:
    sys.stderr.write(printable(text))
    sys.stderr.flush()
