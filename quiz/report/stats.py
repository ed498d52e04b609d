"""The figures of `quiz stats` as text, with pictures drawn in characters, and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from quiz.deck.card import Card
from quiz.memory.stats import FoolingBelief, Stats
from quiz.memory.study_day import date_of
from quiz.screens.lines import CONFIDENCES
from quiz.screens.mathematics import readable
from quiz.screens.wrap import columns, named
from verify.api import Language, Text, pad, printable, wrap

KINDS = {
    "recall": Text(ja="想起", en="recall"),
    "trap": Text(ja="選択", en="trap"),
    "compute": Text(ja="計算", en="compute"),
}
WEEKDAYS = Text(ja="月 火 水 木 金 土 日", en="Mo Tu We Th Fr Sa Su")
SHADES = "·░▒▓█"
BAR = "▇"
LONGEST_BAR = 40


def record(stats: Stats, cards: Sequence[Card]) -> dict[str, Any]:
    """For `--json`. Shares lie between 0 and 1 and are null where nothing was answered; days are
    dates of study days."""
    made = asdict(stats)
    made["day"] = date_of(stats.day).isoformat()
    for row, belief in zip(made["beliefs"], stats.beliefs, strict=True):
        said = belief_text(belief, {card.key: card for card in cards})
        row["text"] = None if said is None else {"ja": said.ja, "en": said.en}
        row["day"] = date_of(belief.day).isoformat()
    for row in made["calibration"]:
        row["confidence"] = row["confidence"].name.lower().replace("_", "-")
        row["share"] = row["correct"] / row["answers"] if row["answers"] else None
    made["leeches"] = [{"card": card, "lapses": lapses} for card, lapses in stats.leeches]
    first = stats.day - len(stats.heat) + 1
    made["heat"] = [
        {"day": date_of(first + after).isoformat(), "answers": count}
        for after, count in enumerate(stats.heat)
        if count
    ]
    return {name: _rounded(value) for name, value in made.items()}


def belief_text(belief: FoolingBelief, cards: Mapping[str, Card]) -> Text | None:
    """What the lure says, in the author's words; None where its card or the lure is gone."""
    card = cards.get(belief.card)
    if card is None:
        return None
    for choice in card.choices:
        if choice.belief == belief.belief:
            return choice.text
    return next((lure.why for lure in card.lures if lure.belief == belief.belief), None)


def lines(stats: Stats, cards: Sequence[Card], language: Language, width: int = 80) -> list[str]:
    """Blocks of at most `width` columns; what wasn't measured isn't shown."""
    say = _Say(language, width)
    blocks = [
        _counts(stats, say),
        _retention(stats, say),
        _calibration(stats, say),
        _beliefs(stats, {card.key: card for card in cards}, say),
        _time(stats, say),
        _leeches(stats, say),
        _forecast(stats, say),
        _heat(stats, say),
    ]
    return [line for block in blocks if block for line in (*block, "")][:-1]


class _Say:
    def __init__(self, language: Language, width: int) -> None:
        self.language, self.width = language, width

    def __call__(self, ja: str, en: str) -> str:
        return Text(ja=ja, en=en).pick(self.language)

    def table(self, head: str, rows: Sequence[Sequence[str]]) -> list[str]:
        return named([head.split("\t"), *rows], self.width)


def _counts(stats: Stats, say: _Say) -> list[str]:
    streak, answers, days = stats.streak, stats.answers, stats.days_studied
    cards = [
        say(f"カード {stats.cards} 枚", f"{stats.cards} card{'s' * (stats.cards != 1)}"),
        say(f"未出題 {stats.new}", f"{stats.new} new"),
        say(f"今日の復習 {stats.due}", f"{stats.due} due today"),
        say(f"休止 {stats.suspended}", f"{stats.suspended} suspended"),
    ]
    done = [
        say(f"解答 {answers} 回", f"{answers} answer{'s' * (answers != 1)}"),
        say(f"今日 {stats.answers_today}", f"{stats.answers_today} today"),
        say(f"学習 {days} 日", f"{days} day{'s' * (days != 1)} studied"),
        say(
            f"連続 {streak.now} 日(最長 {streak.longest} 日)",
            f"{streak.now} in a row (longest {streak.longest})",
        ),
    ]
    return [*columns(cards, say.width), *columns(done, say.width)]


def _retention(stats: Stats, say: _Say) -> list[str]:
    retention = stats.retention
    if retention.true is None or retention.predicted is None:
        return []
    head = say(
        "1 日以上あけた解答\t回数\t予測\t実際", "after a day or more\tanswers\tpredicted\tactual"
    )
    rows = [
        [
            say(
                f"予測 {row.low:.0%} から {row.high:.0%}",
                f"predicted {row.low:.0%} to {row.high:.0%}",
            ),
            str(row.answers),
            f"{row.predicted:.0%}",
            f"{row.true:.0%}",
        ]
        for row in stats.bins
    ]
    whole = [str(retention.answers), f"{retention.predicted:.0%}", f"{retention.true:.0%}"]
    return say.table(head, [*rows, [say("全体", "all"), *whole]])


def _calibration(stats: Stats, say: _Say) -> list[str]:
    head = say("自信\t解答\t正解\t正答率", "confidence\tanswers\tright\tshare")
    rows = [
        [
            CONFIDENCES[row.confidence].pick(say.language),
            str(row.answers),
            str(row.correct),
            f"{row.correct / row.answers:.0%}",
        ]
        for row in stats.calibration
        if row.answers
    ]
    if not rows:
        return []
    made = say.table(head, rows)
    if stats.brier is not None:
        brier = say(
            f"自信と正誤のずれ(Brier、0 が最良) {stats.brier:.3f}",
            f"Brier score of the confidence (0 is best) {stats.brier:.3f}",
        )
        made += wrap(brier, say.width, indent=" ")
    return made


def _beliefs(stats: Stats, cards: Mapping[str, Card], say: _Say) -> list[str]:
    if not stats.beliefs:
        return []
    made = [say(" まだ惑わされている考え", " Beliefs that still fool you")]
    for belief in stats.beliefs:
        said = belief_text(belief, cards)
        text = belief.belief if said is None else readable(said.pick(say.language))
        sure = (
            say(f" うち確信 {belief.sure} 回", f" ({belief.sure} of them sure)")
            if belief.sure
            else ""
        )
        made += wrap(f"{printable(text)}", say.width, indent=f"   {belief.times}×  ")
        made += wrap(
            f"{printable(belief.card)}{sure if belief.sure else ''}", say.width, indent="       "
        )
    return made


def _time(stats: Stats, say: _Say) -> list[str]:
    if not stats.pace:
        return []
    head = say("種類\t解答\t1 問の秒数(中央値)", "kind\tanswers\tseconds a card (median)")
    rows = [
        [
            KINDS[row.kind].pick(say.language) if row.kind in KINDS else printable(row.kind),
            str(row.answers),
            f"{row.median:.1f}",
        ]
        for row in stats.pace
    ]
    made = say.table(head, rows)
    head = say(
        "時間のかかったカード\t解答\t合計(秒)", "most time spent on\tanswers\tseconds in all"
    )
    slow = [[printable(row.card), str(row.answers), f"{row.seconds:.0f}"] for row in stats.slowest]
    return [*made, "", *say.table(head, slow)] if slow else made


def _leeches(stats: Stats, say: _Say) -> list[str]:
    if not stats.leeches:
        return []
    head = say("何度も忘れるカード\t忘れた回数", "forgotten again and again\ttimes")
    return say.table(head, [[printable(card), str(times)] for card, times in stats.leeches])


def _forecast(stats: Stats, say: _Say) -> list[str]:
    most = max(stats.forecast)
    if not most:
        return []
    room = min(LONGEST_BAR, say.width - 16)
    days = len(stats.forecast)
    made = [say(f" これから {days} 日の復習", f" Due in the next {days} days")]
    for ahead, count in enumerate(stats.forecast):
        bar = BAR * -(-count * room // most) if room > 0 else ""
        made.append(f"   {date_of(stats.day + ahead):%m-%d}  {count:4}  {bar}".rstrip())
    return made


def _heat(stats: Stats, say: _Say) -> list[str]:
    """Weeks from left to right, weekdays from top to bottom; the darker, the more answers."""
    most = max(stats.heat)
    if not most:
        return []
    first = stats.day - len(stats.heat) + 1
    start = first - date_of(first).weekday()  # a Monday
    weeks = min((stats.day - start) // 7 + 1, max(1, (say.width - 8) // 2))
    start += 7 * ((stats.day - start) // 7 + 1 - weeks)
    made = [say(" 解答した日", " Days with answers") + f"   {date_of(max(start, first))} –"]
    for weekday, name in enumerate(WEEKDAYS.pick(say.language).split()):
        days = (start + 7 * week + weekday for week in range(weeks))
        cells = (_shade(stats.heat, day - first, most) for day in days)
        made.append(f"   {pad(name, 3)} {' '.join(cells)}".rstrip())
    return made


def _shade(heat: Sequence[int], at: int, most: int) -> str:
    if not 0 <= at < len(heat):
        return " "
    return SHADES[-(-heat[at] * (len(SHADES) - 1) // most)]


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list | tuple) else value
