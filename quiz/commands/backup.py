"""`quiz backup`: a copy of the log and the evidence, also while a sitting is open."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from quiz.commands.common import say, surroundings
from verify.api import Text, UsageError, printable

HELP = say(
    "学習の記録をファイルに写します。学習中でも使えます。\n\n"
    "戻すには quiz import FILE で今の記録に合わせます。学習していないときに、データのフォルダーの"
    " quiz.db、quiz.db-wal、quiz.db-shm を消し、quiz.db という名前でコピーしてもかまいません。"
    "\n\n例: quiz backup ~/quiz-2026-10-01.db",
    "Copy your log into a file, also while you study.\n\n"
    "To restore it, add it to the log with quiz import FILE; or while not studying, delete "
    "quiz.db, quiz.db-wal and quiz.db-shm in the data folder and copy it there as quiz.db."
    "\n\nExample: quiz backup ~/quiz-2026-10-01.db",
)
NOTHING = Text(ja="まだ記録がありません。", en="There is no log to back up yet.")


def command(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help=say("作るファイル", "the file to make"))
    ],
    force: Annotated[
        bool,
        typer.Option("--force", help=say("あれば置き換える", "replace it where it exists")),
    ] = False,
) -> int:
    from quiz.store import open_store
    from quiz.store.copying import copy

    target = file.absolute()
    with open_store(surroundings().home, write=False) as store:
        if not store.path.exists():
            raise UsageError(NOTHING, Text(ja="quiz study", en="quiz study"))
        if target.exists() and target.samefile(store.path):
            raise UsageError(
                Text(
                    ja="学習の記録そのものには書き込めません。",
                    en="That file is the log itself.",
                ),
                Text(ja="別の名前を指定してください。", en="Give another name."),
            )
        (rows,) = store.connection.execute("SELECT count(*) FROM events").fetchone()
        copy(store.connection, target, replace=force)
    shown = printable(str(file))
    typer.echo(say(f" {shown}   記録 {rows} 行", f" {shown}   rows: {rows}"))
    return 0
