"""The command line: `quiz`. Thin: the commands are in `quiz.commands`, one file each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from keyword import iskeyword
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from quiz.collector import collect_rarely
from quiz.commands.common import LANGUAGE, say
from verify.api import INTERRUPTED, ProofdeckError, enter, tell

COMMANDS = (
    "study",
    "exam",
    "plan",
    "due",
    "stats",
    "reviews",
    "fit",
    "lint",
    "import",
    "export",
    "backup",
    "doctor",
    "deck",
    "verify",
)


class _Commands(Mapping[str, object]):
    """The commands by name, each imported when it is looked up: starting one needs no other."""

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)

    def __getitem__(self, name: str) -> object:
        from quiz.commands.help import translate

        if name not in COMMANDS:
            raise KeyError(name)
        file = f"{name}_" if iskeyword(name) else name
        module = import_module(f"quiz.commands.{file}")
        holder = typer.Typer(add_completion=False, rich_markup_mode=None)
        if hasattr(module, "app"):
            holder.add_typer(module.app, name=name)
        else:
            holder.command(name, help=module.HELP)(module.command)
        command = typer.main.get_command(holder)
        if isinstance(command, TyperGroup):  # around a group, not around a lone command
            command = command.commands[name]
        translate(command, LANGUAGE)
        return command


class _Group(TyperGroup):
    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes | {"commands": _Commands()})


app = typer.Typer(
    cls=_Group,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help=say(
        "分散学習の問題を解き、答えをこのマシンの torch.distributed で確かめます。",
        "Questions on distributed training, their answers proven by runs on this machine.",
    ),
    epilog=say(
        "\b\n例:\n  quiz study                  今日の復習と新しい問題\n"
        "  quiz lint decks/mine.yaml   デッキの検査\n"
        "  quiz verify list            実行できる実験",
        "\b\nExamples:\n  quiz study                  today's reviews and new cards\n"
        "  quiz lint decks/mine.yaml   check a deck\n"
        "  quiz verify list            experiments to run",
    ),
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"proofdeck {version('proofdeck')}")
        except PackageNotFoundError:
            typer.echo(say("proofdeck (インストールされていません)", "proofdeck (not installed)"))
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_show_version,
            is_eager=True,
            help=say("版を表示して終わります。", "Show the version and exit."),
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Entry of the program. Exit codes: 0, 1 findings, 2 usage or broken input, 130 interrupted."""
    collect_rarely()
    enter(run, LANGUAGE)


def run(arguments: Sequence[str]) -> int:
    """Run one command and give its exit code. What goes wrong is on standard error by then."""
    from quiz.commands.help import translate, usage_error

    command = typer.main.get_command(app)
    translate(command, LANGUAGE)
    try:
        code = command.main(list(arguments), prog_name="quiz", standalone_mode=False)
    except typer.TyperException as error:
        return tell(usage_error(error), LANGUAGE)
    except ProofdeckError as error:
        return tell(error, LANGUAGE)
    except typer.Abort:
        return INTERRUPTED
    return code if isinstance(code, int) else 0
