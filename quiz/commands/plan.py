"""`quiz plan`: an exam date and the minutes of a day, and what they come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from quiz.commands.common import LANGUAGE, say, surroundings
from quiz.commands.json_line import json_line
from quiz.commands.options import AsJson, check_minutes
from quiz.screens.wrap import columns, named, wrap
from verify.api import Text, UsageError

if TYPE_CHECKING:
    from quiz.deck.card import Card, Deck
    from quiz.memory.outlook import Outlook, Share
    from quiz.memory.plan import Plan
    from quiz.store import Store

HELP = say(
    "試験日と 1 日の学習時間を決めます。以後 quiz study は、試験当日に思い出せるカードが最も多く"
    "なる順に出題します。引数なしでは、いまの計画と得点の見込みを表示します。\n\n"
    "例: quiz plan --on 2027-02-20 --minutes 20\n\n例: quiz plan --json\n\n例: quiz plan --clear",
    "Set the day of an exam and the minutes to study each day. From then on quiz study asks what"
    " raises recall on that day most. Without options: the plan in force and the score to expect."
    "\n\nExample: quiz plan --on 2027-02-20 --minutes 20\n\nExample: quiz plan --json\n\n"
    "Example: quiz plan --clear",
)
MINUTES = 20.0
WIDE = 64  # columns from which shares are shown with their ranges

NO_PLAN = Text(
    ja="計画はまだありません。例: quiz plan --on 2027-02-20 --minutes 20",
    en="There is no plan yet. Example: quiz plan --on 2027-02-20 --minutes 20",
)
CLEARED = Text(ja="計画を取り消しました。", en="The plan is gone.")
ONCE_MORE = Text(
    ja="日付は 2027-02-20 の形で指定してください。", en="Give the date as in 2027-02-20."
)


def command(
    on: Annotated[
        str | None,
        typer.Option(metavar="DATE", help=say("試験日(年-月-日)", "the day of the exam")),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            callback=check_minutes,
            help=say("1 日の学習時間(分)", "minutes to study a day"),
        ),
    ] = None,
    clear: Annotated[
        bool, typer.Option("--clear", help=say("計画を取り消す", "drop the plan"))
    ] = False,
    as_json: AsJson = False,
) -> None:
    from quiz.commands.decks import all_decks
    from quiz.memory.plan import NAME as PLAN
    from quiz.memory.plan import Plan
    from quiz.store import open_store

    around = surroundings()
    today = around.clock.now().day
    changes = on is not None or minutes is not None
    if clear and changes:
        raise UsageError(
            Text(
                ja="--clear は --on や --minutes と一緒には使えません。",
                en="--clear goes without --on and --minutes.",
            )
        )
    if clear:
        with open_store(around.home, write=True) as store:
            store.set(PLAN, None)
        typer.echo(" " + CLEARED.pick(LANGUAGE))
        return
    exam = None if on is None else _exam_day(on, today)
    decks = all_decks([])
    with open_store(around.home, write=changes) as store:
        plan = Plan.of(store.setting(PLAN))
        if exam is None and plan is not None and plan.too_far(today):
            raise _too_far(plan, today)
        if changes:
            if exam is None and plan is None:
                raise UsageError(
                    Text(ja="試験日がありません。", en="The day of the exam is missing."),
                    Text(ja="--on 日付 も指定してください。", en="Add --on DATE."),
                )
            plan = _made(
                store,
                decks,
                today,
                exam if exam is not None or plan is None else plan.exam,
                minutes if minutes is not None else plan.minutes if plan else MINUTES,
            )
            store.set(PLAN, plan.record())
        if plan is None:
            lines = wrap(NO_PLAN.pick(LANGUAGE), around.width)
            typer.echo(json_line(None) if as_json else "\n".join(lines))
            return
        outlooks, cards = _outlook(store, decks, plan, today)
    if as_json:
        record = _record(plan, today, outlooks, cards)
        typer.echo(json_line(record))
    else:
        typer.echo("\n".join(_lines(plan, today, outlooks, cards, decks, around.width)))


def _exam_day(text: str, today: int) -> int:
    """The study day of a date. Raises UsageError for one that is no date, past or too far away."""
    from quiz.deck.problem import quoted
    from quiz.memory.plan import LONGEST_PLAN
    from quiz.memory.study_day import EPOCH, date_of

    try:
        day = (date.fromisoformat(text) - EPOCH).days
    except ValueError:
        raise UsageError(
            Text(
                ja=f"--on の値 {quoted(text)} は日付ではありません。",
                en=f"--on: {quoted(text)} is no date.",
            ),
            ONCE_MORE,
        ) from None
    if today < day <= today + LONGEST_PLAN:
        return day
    first, last = date_of(today + 1), date_of(today + LONGEST_PLAN)
    raise UsageError(
        Text(ja=f"--on の日付 {text} は範囲外です。", en=f"--on: {text} is out of range."),
        Text(
            ja=f"{first} から {last} までの日付を指定してください。",
            en=f"Give a date from {first} to {last}.",
        ),
    )


def _too_far(plan: Plan, today: int) -> UsageError:
    from quiz.memory.study_day import date_of

    now, day, left = date_of(today), date_of(plan.exam), plan.days_left(today)
    return UsageError(
        Text(
            ja=f"計画の試験日 {day} は、今日 {now} から {left} 日先です。計画を使えません。",
            en=f"The exam of the plan, on {day}, is {left} days from today, {now}; the plan can't"
            " be used.",
        ),
        Text(
            ja="時計を確認するか、--on で別の日付を指定してください。",
            en="Check the clock, or give another date with --on.",
        ),
    )


def _made(
    store: Store, decks: Sequence[Deck], today: int, exam: int | None, minutes: float
) -> Plan:
    from numpy.random import default_rng

    from quiz.memory.effort import measured
    from quiz.memory.outlook import make_plan
    from quiz.memory.stats import standing_answers

    if exam is None or exam <= today:
        raise UsageError(
            Text(ja="計画の試験日は過ぎています。", en="The exam of the plan is over."),
            Text(ja="--on 日付 も指定してください。", en="Add --on DATE."),
        )
    effort = measured(standing_answers(list(store.events())))
    return make_plan(
        [card for deck in decks for card in deck.cards], store.state(), today,
        exam=exam, minutes=minutes, effort=effort, random=default_rng(today),
    )  # fmt: skip


def _outlook(
    store: Store, decks: Sequence[Deck], plan: Plan, today: int
) -> tuple[list[Outlook], tuple[Card, ...]]:
    from numpy.random import default_rng

    from quiz.memory.choosing import Wish, choose
    from quiz.memory.effort import measured
    from quiz.memory.outlook import outlooks
    from quiz.memory.stats import seconds_on, standing_answers

    cards, state = [card for deck in decks for card in deck.cards], store.state()
    answers = list(standing_answers(list(store.events())))
    effort = measured(answers)
    expected = outlooks(cards, state, plan, today, effort=effort, random=default_rng(today))
    spent = seconds_on(answers, today)
    return expected, choose(cards, state, today, Wish(), plan=plan, effort=effort, spent=spent)


def _record(
    plan: Plan, today: int, outlooks: Sequence[Outlook], cards: Sequence[Card]
) -> dict[str, object]:
    from dataclasses import asdict

    from quiz.memory.study_day import date_of

    return {
        "on": date_of(plan.exam).isoformat(),
        "days": plan.days_left(today),
        "minutes": plan.minutes,
        "themes": [
            {
                key: {k: round(v, 4) for k, v in value.items()}
                if isinstance(value, dict)
                else value
                for key, value in asdict(outlook).items()
            }
            for outlook in outlooks
        ],
        "today": [card.key for card in cards],
    }


def _lines(
    plan: Plan,
    today: int,
    outlooks: Sequence[Outlook],
    cards: Sequence[Card],
    decks: Sequence[Deck],
    width: int,
) -> list[str]:
    from quiz.memory.study_day import date_of

    left = plan.days_left(today)
    day = date_of(plan.exam)
    if left <= 0:
        return wrap(
            say(f"試験日 {day} は今日か、過ぎています。", f"The exam day {day} has come."), width
        )
    minutes = f"{plan.minutes:g} minute{'s' * (plan.minutes != 1)}"
    heading = [
        say(f"試験まで {left} 日({day})", f"{left} day{'s' * (left > 1)} to the exam ({day})"),
        say(f"1 日 {plan.minutes:g} 分", f"{minutes} a day"),
    ]
    today_left = say(
        f"今日はあと {len(cards)} 問です。quiz study で始めます。",
        f"Left for today: {len(cards)} card{'s' * (len(cards) != 1)}. Begin with quiz study.",
    )
    titles = {deck.id: deck.title.pick(LANGUAGE) for deck in decks}
    return [
        *columns(heading, width),
        "",
        *_expected(outlooks, titles, width),
        "",
        *wrap(today_left, width),
    ]


def _expected(outlooks: Sequence[Outlook], titles: Mapping[str, str], width: int) -> list[str]:
    """The shares by theme, on a narrow screen without their ranges."""
    names = [
        say("全体", "all") if row.theme is None else titles.get(row.theme, row.theme)
        for row in outlooks
    ]
    head = [
        say("今日なら", "today"),
        say("何もしないと", "nothing more"),
        say("計画どおりなら", "as planned"),
    ]
    told = say("思い出せる割合の見込み", "Expected share recalled")
    shares = [(row.today, row.nothing, row.followed) for row in outlooks]
    if width < WIDE:
        lines = [
            [name, *(f"{100 * share.mean:.0f} %" for share in each)]
            for name, each in zip(names, shares, strict=True)
        ]
        return [*wrap(told, width), "", *named([["", *head], *lines], width)]
    told += say("(かっこ内は 90 % の範囲)", " (in brackets: 90 % range)")
    lines = [
        [name, str(row.cards), *map(_share, each)]
        for name, row, each in zip(names, outlooks, shares, strict=True)
    ]
    return [*wrap(told, width), "", *named([["", say("枚数", "cards"), *head], *lines], width)]


def _share(share: Share) -> str:
    return f"{100 * share.mean:.0f} % ({100 * share.low:.0f}–{100 * share.high:.0f})"
