"""`quiz import`: what another program, another machine or a backup knows, into the log."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from quiz.commands.common import say, surroundings
from verify.api import Text, UsageError, printable

NAME = "import"
HELP = say(
    "別のマシンの記録やバックアップを、今の記録に合わせます。何度行っても、どちらの向きでも、"
    "結果は同じです。\n\n例: quiz import ~/quiz-2026-10-01.db",
    "Add the log of another machine, or a backup, to yours. Doing it twice, or the other way "
    "round, gives the same.\n\nExample: quiz import ~/quiz-2026-10-01.db",
)


def command(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help=say("取り込むファイル", "the file to import"))
    ],
) -> int:
    from quiz.store.guard import is_log

    if is_log(file):
        return _merge(file)
    shown = printable(str(file))
    if not file.is_file():
        raise UsageError(
            Text(ja=f"{shown} というファイルはありません。", en=f"There is no file {shown}.")
        )
    raise UsageError(
        Text(
            ja=f"{shown} は取り込める形式ではありません。",
            en=f"{shown} is nothing that can be imported.",
        ),
        Text(
            ja="別のマシンの quiz.db か、quiz backup で作ったファイルを指定してください。",
            en="Give a quiz.db of another machine, or a file made by quiz backup.",
        ),
    )


def _merge(file: Path) -> int:
    from quiz.store import open_log, open_store
    from quiz.store.merging import merge

    with open_log(file) as other, open_store(surroundings().home, write=True) as store:
        merged = merge(store, other)
    typer.echo(
        say(
            f" {merged.added} 行を加えました(同じものが {merged.known} 行ありました)。",
            f" {merged.added} rows added, {merged.known} were here already.",
        )
    )
    return 0
