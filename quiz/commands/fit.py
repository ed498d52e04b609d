"""`quiz fit`: FSRS fitted to the learner's own log, kept only where it predicts better."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from quiz.commands.common import LANGUAGE, say, surroundings
from quiz.commands.json_line import json_line
from quiz.commands.options import AsJson
from quiz.events import EventKind
from verify.api import Text

if TYPE_CHECKING:
    from quiz.memory.fit import Fit

HELP = say(
    "FSRS のパラメーターを、これまでの解答に合わせます。古い 8 割だけに合わせたものが新しい 2 割を"
    "いまより正しく予測できたときに限り、採用します。模擬試験の解答は使いません。\n\n"
    "例: quiz fit\n\n例: quiz fit --reschedule",
    "Fit FSRS to your answers. The fit is kept only if one made from the older four fifths predicts"
    " the newest fifth better than what is in force. Answers of mock exams are left out.\n\n"
    "Example: quiz fit\n\nExample: quiz fit --reschedule",
)


def command(
    reschedule: Annotated[
        bool,
        typer.Option(
            "--reschedule",
            help=say("復習日も計算し直す", "compute the due days anew as well"),
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    from quiz.memory.fit import FEWEST, fit, given_in, items_of
    from quiz.memory.stats import standing_answers
    from quiz.store import open_store

    around = surroundings()
    with open_store(around.home, write=False) as store:
        items = items_of(given_in(standing_answers(list(store.events()))))
        state = store.state()
    found = fit(items, state.parameters)
    if found is None:
        if as_json:
            typer.echo(json_line({"kept": False, "answers": len(items), "needed": FEWEST}))
        else:
            typer.echo(_too_few(len(items), FEWEST).pick(LANGUAGE))
        return
    if found.better:
        value = {"w": list(found.parameters), "reschedule": reschedule}
        with open_store(around.home, write=True) as store:
            store.append(around.clock.now().event(EventKind.PARAMETERS, value=value))
    if as_json:
        typer.echo(json_line(_record(found)))
    else:
        typer.echo("\n".join(_lines(found, rescheduled=reschedule)))


def _too_few(answers: int, needed: int) -> Text:
    return Text(
        ja=f" 1 日以上あけて答えた回数が {answers} 回で、まだ足りません({needed} 回から)。"
        "何も変えていません。",
        en=f" {answers} answers were given a day or more after the one before; a fit needs"
        f" {needed}. Nothing was changed.",
    )


def _record(found: Fit) -> dict[str, object]:
    return {
        "kept": found.better,
        "answers": found.items,
        "log_loss": {"before": round(found.before, 4), "after": round(found.after, 4)},
        "newest": {
            "answers": found.later,
            "before": round(found.later_before, 4),
            "after": round(found.later_after, 4),
        },
        "parameters": [round(number, 4) for number in found.parameters],
    }


def _lines(found: Fit, *, rescheduled: bool) -> list[str]:
    lines = [
        say(
            f" 予測の誤差(対数損失、小さいほどよい)、{found.items} 回の解答",
            f" Error of prediction (log loss, less is better), {found.items} answers",
        ),
        say(
            f"   新しい {found.later} 回(合わせるときに使わない)  "
            f"{found.later_before:.4f} → {found.later_after:.4f}",
            f"   the newest {found.later}, kept from the fit   "
            f"{found.later_before:.4f} → {found.later_after:.4f}",
        ),
        say(
            f"   すべて  {found.before:.4f} → {found.after:.4f}",
            f"   all of them   {found.before:.4f} → {found.after:.4f}",
        ),
    ]
    if not found.better:
        kept = say(
            " 予測はよくならないので、いまのパラメーターのままにします。",
            " It predicts no better, so the parameters stay as they were.",
        )
    elif rescheduled:
        kept = say(
            " 採用し、復習日も計算し直しました。",
            " It is in force, and due days are computed anew.",
        )
    else:
        kept = say(
            " 採用しました。いまの復習日は変わりません。",
            " It is in force from the next answer on; due days stay as promised.",
        )
    return [*lines, kept]
