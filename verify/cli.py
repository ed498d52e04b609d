"""`python -m verify`, mounted as `quiz verify`: list, show, run. Thin: reads the environment.

Under torchrun the same `run` joins the world that is there.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from verify.catalogue import brought_by, experiment_names, find_experiment
from verify.entry import INTERRUPTED, enter, tell
from verify.errors import ProofdeckError, RunFailed, UsageError
from verify.evidence import Evidence
from verify.experiment import Experiment
from verify.language import from_environment, from_locale
from verify.text import Language, Text, verbatim

if TYPE_CHECKING:
    from verify.report.run import Look
    from verify.worlds.request import Request

try:
    _LANGUAGE: Language = from_environment(os.environ)
except UsageError:
    _LANGUAGE = from_locale(os.environ)  # help still works; the command itself says what is wrong


def _say(ja: str, en: str) -> str:
    return Text(ja=ja, en=en).pick(_LANGUAGE)


def _forget(_: Request, __: Evidence) -> None:
    """Alone, `verify` keeps no evidence."""


@dataclass(frozen=True)
class Surroundings:
    """What the program that mounts these commands brings along."""

    keep: Callable[[Request, Evidence], None] = field(default=_forget)
    schemas: Mapping[str, str] = field(default_factory=dict)  # the package that holds each one


app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help=_say(
        "答えを本物の torch.distributed の実行で確かめます。\n\n"
        "例: quiz verify run all-reduce-bytes ranks=2,4,8",
        "Prove answers by real torch.distributed runs.\n\n"
        "Example: quiz verify run all-reduce-bytes ranks=2,4,8",
    ),
)
_AsJson = Annotated[bool, typer.Option("--json", help=_say("JSON で出力", "print JSON"))]
_Name = Annotated[
    str, typer.Argument(metavar="NAME", help=_say("実験の名前", "name of the experiment"))
]


def fail(error: ProofdeckError, *, trace: bool = False) -> NoReturn:
    """Say what is wrong on standard error and leave with the error's exit code."""
    from verify.worlds.torchrun import speaks

    if not speaks(os.environ):
        raise typer.Exit(error.exit_code)
    if trace and isinstance(error, RunFailed) and error.traceback:
        sys.stderr.write(error.traceback.rstrip() + "\n")
    sys.stderr.write(error.render(_LANGUAGE) + "\n")
    raise typer.Exit(error.exit_code)


def look_now(*, stream_is_terminal: bool | None = None) -> Look:
    """Width, colour and characters of the terminal that this program writes to."""
    from verify.report.run import Look

    terminal = sys.stdout.isatty() if stream_is_terminal is None else stream_is_terminal
    columns = shutil.get_terminal_size((80, 24)).columns
    dumb = os.environ.get("TERM") == "dumb"
    stream = sys.__stdout__ or sys.stdout  # a full screen puts something of its own in the way
    encoding = (stream.encoding or "").lower()
    return Look(
        width=max(columns, 20),
        language=_LANGUAGE,
        colour=terminal and not dumb and not os.environ.get("NO_COLOR"),
        # A dumb terminal gets letters and ASCII signs alone: a screen reader reads those best.
        ascii_only=dumb or not encoding.startswith("utf"),
    )


@app.command(
    "list",
    help=_say(
        "実験の一覧を表示します。\n\n例: quiz verify list\n\n例: quiz verify list --json",
        "List the experiments.\n\nExample: quiz verify list\n\nExample: quiz verify list --json",
    ),
)
def list_experiments(as_json: _AsJson = False) -> None:
    from verify.report.columns import table

    _check_language()
    if as_json:
        _print_records()
        return
    # Another package's code is imported when an experiment of it is named, not for its title.
    rows = [
        [name, find_experiment(name).title.pick(_LANGUAGE) if origin is None else f"({origin})"]
        for name in experiment_names()
        for origin in [brought_by(name)]
    ]
    typer.echo("\n".join(table(rows, look_now().width, indent=" ")))


def _print_records() -> None:
    from verify.report.show import to_json

    found, broken = [], []
    for name in experiment_names():
        try:
            found.append(find_experiment(name))
        except UsageError as error:  # of another package: the others are listed all the same
            broken.append(error)
    typer.echo(json.dumps([to_json(experiment) for experiment in found], ensure_ascii=False))
    sys.stderr.writelines(f"{reason.render(_LANGUAGE)}\n" for reason in broken)
    if broken:
        raise typer.Exit(broken[0].exit_code)


@app.command(
    help=_say(
        "実験の内容・パラメータ・量・法則・故障を表示します。\n\n"
        "例: quiz verify show pipeline-bubble",
        "Show what an experiment does: parameters, quantities, laws, faults.\n\n"
        "Example: quiz verify show pipeline-bubble",
    )
)
def show(
    name: _Name,
    as_json: _AsJson = False,
) -> None:
    from verify.report.show import draw, to_json

    _check_language()
    try:
        experiment = find_experiment(name)
    except ProofdeckError as error:
        fail(error)
    if as_json:
        typer.echo(json.dumps(to_json(experiment), ensure_ascii=False))
    else:
        typer.echo("\n".join(draw(experiment, look_now())))


@app.command(
    help=_say(
        "実験を実行し、測定値を法則の期待値と並べて表示します。値をコンマで区切ると順に実行します。\n\n"
        "例: quiz verify run all-reduce-bytes ranks=4 payload='4 MiB'\n\n"
        "例: quiz verify run pipeline-bubble schedule=1f1b microbatches=2,4,8\n\n"
        "例: quiz verify run data-parallel-step --fault skip-all-reduce",
        "Run an experiment; show measured beside expected. Values separated by commas run in turn."
        "\n\nExample: quiz verify run all-reduce-bytes ranks=4 payload='4 MiB'\n\n"
        "Example: quiz verify run pipeline-bubble schedule=1f1b microbatches=2,4,8\n\n"
        "Example: quiz verify run data-parallel-step --fault skip-all-reduce",
    )
)
def run(
    context: typer.Context,
    name: _Name,
    settings: Annotated[
        list[str] | None,
        typer.Argument(metavar="KEY=VALUE", help=_say("パラメータ", "parameters")),
    ] = None,
    fault: Annotated[
        str | None, typer.Option(help=_say("わざと壊す故障の名前", "break it on purpose"))
    ] = None,
    repeat: Annotated[
        int | None,
        typer.Option(min=1, max=1000, help=_say("繰り返しの回数", "how many times to repeat")),
    ] = None,
    as_json: _AsJson = False,
    allow_large: Annotated[
        bool,
        typer.Option(
            "--allow-large", help=_say("大きな実行の制限を外す", "lift the bounds on large runs")
        ),
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help=_say("証拠をページとして保存", "write the evidence as a page")
        ),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help=_say(
                "時間軸を Perfetto で開ける形式で保存", "write the timeline for Perfetto to open"
            ),
        ),
    ] = None,
    predict: Annotated[
        bool,
        typer.Option(
            "--predict",
            help=_say(
                "先に予想を聞き、測定値と並べる(標準入力から 1 問 1 行)",
                "ask for guesses first and show them beside the result (one line each, from "
                "standard input)",
            ),
        ),
    ] = False,
    traceback: Annotated[
        bool,
        typer.Option(
            "--traceback", help=_say("失敗したランクの記録を表示", "show a failed rank's traceback")
        ),
    ] = False,
) -> None:
    _check_language()
    from verify.guesses import ask
    from verify.laws import judge_laws
    from verify.report.file import check_all, write_whole
    from verify.report.runs import report, to_json, trace_of
    from verify.worlds.bounds import check_bounds
    from verify.worlds.request import Request

    surroundings = context.find_object(Surroundings) or Surroundings()
    try:
        experiment = find_experiment(name)
        experiment.check_fault(fault)
        requests = [
            Request(experiment, experiment.bind(given), fault, repeat)
            for given in expand(experiment, settings or [], allow_large=allow_large)
        ]
        for request in requests:
            check_bounds(request, allow_large=allow_large)
        if os.environ.get("RANK", "0") == "0":
            check_all([path for path in (html, trace) if path is not None])
        guesses = ask(requests, look_now().width, _LANGUAGE) if predict else None
        results = []
        # Evidence first, so that its world has ended when the loop does; ranks may yield none.
        for evidence, request in zip(_evidence(requests), requests, strict=False):
            results.append(evidence)
            # At once, in case a later run breaks. Fewer repeats than a card's proof makes don't
            # stand in for it.
            if request.times >= experiment.repeats(request.parameters):
                surroundings.keep(request, evidence)
        judged = [(evidence, judge_laws(experiment, evidence)) for evidence in results]
    except ProofdeckError as error:
        fail(error, trace=traceback)
    if not results:
        return  # under torchrun, every rank but the first
    if as_json:
        typer.echo(json.dumps(to_json(judged, experiment, guesses), ensure_ascii=False))
    else:
        typer.echo("\n".join(report(judged, experiment, look_now(), guesses)))
    try:
        if html is not None:
            from verify.report.page import draw as draw_page

            write_whole(html, draw_page(judged, experiment, _LANGUAGE, settings or [], repeat))
        if trace is not None:
            write_whole(trace, trace_of(judged, experiment, _LANGUAGE))
    except ProofdeckError as error:
        fail(error)
    refuted = any(law.judgement.verdict == "refuted" for _, laws in judged for law in laws)
    raise typer.Exit(1 if refuted else 0)


@app.command(
    help=_say(
        "--json の出力を説明する JSON Schema を表示します。\n\n例: quiz verify schema run",
        "Print the JSON Schema that describes what --json prints.\n\n"
        "Example: quiz verify schema run",
    )
)
def schema(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help=_say("出力の名前", "which output"))
    ] = "run",
) -> None:
    from verify.schema import text

    _check_language()
    surroundings = context.find_object(Surroundings) or Surroundings()
    try:
        typer.echo(text(name, surroundings.schemas), nl=False)
    except ProofdeckError as error:
        fail(error)


def expand(
    experiment: Experiment, settings: Sequence[str], *, allow_large: bool = False
) -> Iterator[dict[str, object]]:
    """Every combination of `key=value` and `key=a,b,c`. Raises UsageError on anything else.

    `world=local` may be said to any experiment; another world only to one that has a choice.
    """
    from verify.worlds.bounds import check_runs

    choices: dict[str, list[str]] = {}
    for setting in settings:
        key, separator, values = setting.partition("=")
        if not separator or not key:
            raise UsageError(
                Text(
                    ja=f"{setting[:60]} は key=value の形ではありません。",
                    en=f"{setting[:60]} is not of the form key=value.",
                ),
                Text(
                    ja=f"例: {experiment.name} {experiment.parameters()[0].name}=4",
                    en=f"Example: {experiment.name} {experiment.parameters()[0].name}=4",
                ),
            )
        if key in choices:
            raise UsageError(
                Text(
                    ja=f"{key[:60]} が 2 回指定されています。",
                    en=f"{key[:60]} is given twice.",
                ),
                Text(
                    ja=f"値を順に試すには: {key[:60]}=A,B",
                    en=f"To run several values in turn: {key[:60]}=A,B",
                ),
            )
        choices[key] = [value.strip() for value in values.split(",")]
    if "world" not in {parameter.name for parameter in experiment.parameters()}:
        for kind in choices.pop("world", []):
            _check_local(experiment.name, kind)
    check_runs(math.prod(map(len, choices.values())), allow_large)
    for combination in itertools.product(*choices.values()):
        yield dict(zip(choices, combination, strict=True))


def _check_local(name: str, kind: str) -> None:
    if kind != "local":
        raise UsageError(
            Text(
                ja=f"{name} は world=local だけで実行できます({kind[:40]} は不可)。",
                en=f"{name} runs with world=local alone, not {kind[:40]}.",
            ),
            Text(
                ja="fake の world は数えるだけです: quiz verify show model-traffic",
                en="A fake world only counts: quiz verify show model-traffic",
            ),
        )


def _evidence(requests: Sequence[Request]) -> Iterator[Evidence]:
    """Evidence of each request from the world at hand; nothing on ranks that only take part."""
    from verify.report.progress import ProgressLine, of_several
    from verify.worlds.torchrun import run_here, under_torchrun

    if under_torchrun(os.environ):
        found = (run_here(request) for request in requests)
        yield from (evidence for evidence in found if evidence is not None)
        return
    from verify.worlds.local import LocalWorld

    with (
        LocalWorld() as world,
        ProgressLine(sys.stderr, _LANGUAGE, shutil.get_terminal_size().columns) as progress,
    ):
        for number, request in enumerate(requests, start=1):
            yield world.run(request, of_several(progress, number, requests))


def _check_language() -> None:
    try:
        from_environment(os.environ)
    except UsageError as error:
        fail(error)


def main() -> None:
    """Entry of `python -m verify`. Exit codes: 0, 1 a law refuted or a run broken, 2, 130."""
    enter(_main, _LANGUAGE)


def _main(arguments: Sequence[str]) -> int:
    try:
        code = app(list(arguments), prog_name="verify", standalone_mode=False)
    except typer.Abort:
        return INTERRUPTED
    except typer.TyperException as error:
        return tell(UsageError(verbatim(error.format_message())), _LANGUAGE)
    return code if isinstance(code, int) else 0
