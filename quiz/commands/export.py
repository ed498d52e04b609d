"""`quiz export`: decks for Anki."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quiz.commands.common import LANGUAGE, say, surroundings
from quiz.commands.options import Decks
from quiz.deck.card import Deck, Kind
from verify.api import ProofdeckError, Text, UsageError, printable, report_file, wrap

if TYPE_CHECKING:
    from quiz.exchange.sides import EvidenceOf, Sides

HELP = say(
    "デッキを Anki のパッケージにします。選択肢、数式、保存済みの証拠の表も入ります。カードを直して"
    "もう一度書き出し、Anki に読み込むと、復習の記録はそのままで文だけが新しくなります。\n\n"
    "ファイル名が .csv、.tsv、.txt なら、Anki が読めるテキストにします。\n\n"
    "例: quiz export cards.apkg\n\n例: quiz export cards.csv data-parallel",
    "Make an Anki package of decks: choices, mathematics and the table of the stored evidence "
    "included. Export again after an edit, and Anki updates its notes and keeps their history.\n\n"
    "A FILE that ends in .csv, .tsv or .txt becomes text that Anki reads.\n\n"
    "Example: quiz export cards.apkg\n\nExample: quiz export cards.csv data-parallel",
)
_PACKAGE = ".apkg"
_LEFT = Text(
    ja="Anki に渡せないもの: 証明の実行、計算問題の数の出し直し(最初の組だけ書き出しました)、"
    "確信度、学習の記録。",
    en="Not carried to Anki: running the proofs, fresh numbers for computations (their first set "
    "was exported), confidence, your log.",
)


def command(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help=say("作るファイル", "the file to make"))
    ],
    decks: Decks = None,
    force: Annotated[
        bool,
        typer.Option("--force", help=say("あれば置き換える", "replace it where it exists")),
    ] = False,
) -> int:
    from quiz.commands.decks import all_decks
    from quiz.exchange import anki_text
    from quiz.store import open_store

    ending = file.suffix.lower()
    _check(file, (_PACKAGE, *anki_text.SEPARATORS), force=force)
    around = surroundings()
    chosen = all_decks(decks or [])
    with open_store(around.home, write=False) as store:
        made = _sides(chosen, store.evidence)
    written = [card for _, cards in made.values() for card in cards]
    if not written:
        raise UsageError(
            Text(
                ja="書き出せるカードがないので、何も書きませんでした。",
                en="No card could be exported, so nothing was written.",
            )
        )
    if ending == _PACKAGE:
        _write_package(file, made, int(around.clock.now().at.timestamp()))
    else:
        report_file.write_whole(file, anki_text.write(ending, made))
    for line in _summary(file, written):
        typer.echo("\n".join(wrap(line, around.width, indent=" ")))
    return int(len(written) < sum(len(deck.cards) for deck in chosen))


def _check(file: Path, endings: Sequence[str], *, force: bool) -> None:
    """Raises UsageError before anything is made where the file can't be."""
    shown = printable(str(file))
    if file.suffix.lower() not in endings:
        raise UsageError(
            Text(
                ja=f"{shown}: 書き出す形式がわかりません。",
                en=f"{shown}: this name doesn't say which format to write.",
            ),
            Text(
                ja=f"ファイル名の終わり: {', '.join(endings)}",
                en=f"Let the name end in one of {', '.join(endings)}.",
            ),
        )
    if not force and os.path.lexists(file):
        raise UsageError(
            Text(
                ja=f"{shown}: すでにあるので、上書きしませんでした。",
                en=f"{shown}: this exists already and was not overwritten.",
            ),
            Text(
                ja="別の名前を指定するか、置き換えてよければ --force を付けてください。",
                en="Give another name, or --force to replace it.",
            ),
        )
    report_file.check_writable(file)


def _sides(decks: Sequence[Deck], evidence_of: EvidenceOf) -> dict[str, tuple[str, list[Sides]]]:
    from quiz.exchange.sides import sides

    made: dict[str, tuple[str, list[Sides]]] = {}
    for deck in decks:
        cards = []
        for card in deck.cards:
            try:
                cards.append(sides(card, LANGUAGE, evidence_of))
            except ProofdeckError as error:
                typer.echo(f"{card.key}: {error.render(LANGUAGE)}", err=True)
        if cards:
            made[deck.id] = deck.title.pick(LANGUAGE), cards
    return made


def _write_package(file: Path, made: dict[str, tuple[str, list[Sides]]], seconds: int) -> None:
    from quiz.exchange import anki_package

    draft = file.absolute().with_name(f".{file.name}.{os.getpid()}.new")
    try:
        anki_package.write(draft, made, seconds)
        draft.replace(file)
    except OSError as error:
        shown, reason = printable(str(file)), error.strerror or str(error)
        raise UsageError(
            Text(ja=f"{shown} に書き込めません: {reason}", en=f"{shown} can't be written: {reason}")
        ) from error
    finally:
        draft.unlink(missing_ok=True)


def _summary(file: Path, cards: Sequence[Sides]) -> list[str]:
    kinds = Counter(card.kind for card in cards)
    proven = sum(bool(card.evidence) for card in cards)
    names = {
        Kind.RECALL: say("想起", "recall"),
        Kind.TRAP: say("選択", "trap"),
        Kind.COMPUTE: say("計算", "compute"),
    }
    parts = say("、", ", ").join(f"{names[kind]} {kinds[kind]}" for kind in Kind if kinds[kind])
    return [
        say(
            f"{printable(str(file))}   カード {len(cards)} 枚({parts})、証拠付き {proven} 枚",
            f"{printable(str(file))}   cards: {len(cards)} ({parts}), with evidence: {proven}",
        ),
        _LEFT.pick(LANGUAGE),
    ]
