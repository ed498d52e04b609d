"""`quiz import`: what another program, another machine or a backup knows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from quiz.commands.common import LANGUAGE, say, surroundings

HELP = say(
    "ほかのプログラムのカードをデッキにします。Anki の .apkg と .colpkg は学習の記録も引き継ぎ、"
    "CSV などの区切りテキストと hashcards の Markdown も読めます。\n\n"
    "別のマシンの quiz.db やバックアップは、今の記録に合わせます。何度行っても、どちらの向きでも、"
    "結果は同じです。\n\n"
    "例: quiz import LinearAlgebra.apkg\n\n例: quiz import ~/quiz-2026-10-01.db",
    "Make decks of another program's cards: Anki's .apkg and .colpkg, with the answers given "
    "there, CSV and the like, and Markdown of hashcards.\n\n"
    "Or add the log of another machine, or a backup, to yours. Doing it twice, or the other way "
    "round, gives the same.\n\n"
    "Example: quiz import LinearAlgebra.apkg\n\nExample: quiz import ~/quiz-2026-10-01.db",
)


def command(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help=say("取り込むファイル", "the file to import"))
    ],
    replace: Annotated[
        bool,
        typer.Option(
            "--replace",
            help=say(
                "手元と文が違うカードを置き換える(証明のあるカードは残す)",
                "replace cards that differ, but for those with a proof",
            ),
        ),
    ] = False,
    dry: Annotated[
        bool,
        typer.Option(
            "--dry-run", help=say("何も書き込まず、要約だけ示す", "only say what would be done")
        ),
    ] = False,
) -> int:
    from quiz.store.guard import is_log

    if file.is_file() and is_log(file):  # opening a pipe would wait for its writer
        return _merge(file)
    return _take(file, replace=replace, dry=dry)


def _take(file: Path, *, replace: bool, dry: bool) -> int:
    from quiz.exchange.importing import import_file
    from quiz.exchange.summary import summary
    from verify.api import wrap

    around = surroundings()
    done = import_file(file, around.home, around.clock.now(), replace=replace, dry=dry)
    for line in summary(file.name, done, LANGUAGE, dry=dry):
        text = line.lstrip()
        typer.echo("\n".join(wrap(text, around.width, indent=" " * (1 + len(line) - len(text)))))
    return 1 if done.material.bad else 0


def _merge(file: Path) -> int:
    from quiz.store import open_log, open_store
    from quiz.store.merging import merge

    with open_log(file) as other, open_store(surroundings().home, write=True) as store:
        merged = merge(store, other)
    typer.echo(
        say(
            f" {merged.added} 行を加えました(同じものが {merged.known} 行ありました)。",
            f" Rows added: {merged.added}   here already: {merged.known}",
        )
    )
    return 0
