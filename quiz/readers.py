"""What `quiz due`, `quiz stats` and `quiz reviews` say, as JSON and as text.

Each reader computes a value from the store; `*_json` and `*_text` only render it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from quiz.clock import Moment
from quiz.deck.card import Card, Deck
from quiz.events import Confidence
from quiz.memory.queue import NEW_PER_DAY, Queue, build_queue
from quiz.memory.stats import Stats, compute_stats, standing_answers
from quiz.memory.study_day import date_of
from quiz.store import Store
from verify.api import Language, Text, printable, table

CONFIDENCE_NAMES = {
    Confidence.SURE: "sure",
    Confidence.THINK_SO: "think-so",
    Confidence.GUESS: "guess",
}
_CONFIDENCE_TEXTS = {
    Confidence.SURE: Text(ja="確信あり", en="sure"),
    Confidence.THINK_SO: Text(ja="たぶん", en="think so"),
    Confidence.GUESS: Text(ja="勘", en="guess"),
}
_KIND_TEXTS = {
    "recall": Text(ja="想起", en="recall"),
    "trap": Text(ja="選択", en="trap"),
    "compute": Text(ja="計算", en="compute"),
}


def due(
    store: Store,
    decks: Sequence[Deck],
    now: Moment,
    *,
    new_per_day: int = NEW_PER_DAY,
    limit: int | None = None,
    only: Callable[[Card], bool] | None = None,
) -> Queue:
    """What a sitting now would ask. Only the order and the keys of `decks` matter."""
    cards = _cards(decks)
    return build_queue(
        cards, store.state(), now.day, new_per_day=new_per_day, limit=limit, only=only
    )


def due_json(queue: Queue) -> dict[str, Any]:
    """`day` is the study day (days since 1970-01-01); `cards` are in the order of asking."""
    new = {card.key for card in queue.new}
    return {
        "day": queue.day,
        "date": date_of(queue.day).isoformat(),
        "due": len(queue.due),
        "new": len(queue.new),
        "unseen": queue.unseen,
        "held": queue.held,
        "cards": [
            {"card": card.key, "kind": card.kind.value, "new": card.key in new}
            for card in queue.cards
        ],
    }


def due_text(queue: Queue, language: Language) -> str:
    """Two or three lines."""
    lines = [
        Text(
            ja=f"今日の復習 {len(queue.due)} 枚、新しいカード {len(queue.new)} 枚です。",
            en=f"Due today: {len(queue.due)}. New today: {len(queue.new)}.",
        ),
        Text(
            ja=f"まだ答えたことのないカードは、全部で {queue.unseen} 枚あります。",
            en=f"Never answered so far: {queue.unseen}.",
        ),
    ]
    if queue.held:
        lines.append(
            Text(
                ja=f"同じ考えを問う {queue.held} 枚は、明日に回します。",
                en=f"Put off to tomorrow, as a sibling is asked today: {queue.held}.",
            )
        )
    return _lines(lines, language)


def stats(store: Store, decks: Sequence[Deck], now: Moment) -> Stats:
    """The figures of today."""
    cards = _cards(decks)
    return compute_stats(cards, store.state(), list(store.events()), store.predictions(), now.day)


def stats_json(figures: Stats) -> dict[str, Any]:
    """Shares lie between 0 and 1 and are null where nothing was answered."""
    return {
        "day": figures.day,
        "date": date_of(figures.day).isoformat(),
        "cards": figures.cards,
        "new": figures.new,
        "due": figures.due,
        "suspended": figures.suspended,
        "flagged": figures.flagged,
        "answers": figures.answers,
        "answers_today": figures.answers_today,
        "days_studied": figures.days_studied,
        "retention": {
            "answers": figures.retention.answers,
            "true": _rounded(figures.retention.true),
            "predicted": _rounded(figures.retention.predicted),
        },
        "calibration": [
            {
                "confidence": CONFIDENCE_NAMES[row.confidence],
                "answers": row.answers,
                "correct": row.correct,
                "share": _rounded(row.correct / row.answers if row.answers else None),
            }
            for row in figures.calibration
        ],
        "beliefs": [
            {
                "card": row.card,
                "belief": row.belief,
                "times": row.times,
                "sure": row.sure,
                "day": row.day,
            }
            for row in figures.beliefs
        ],
        "seconds": [
            {"kind": row.kind, "answers": row.answers, "median": round(row.median, 3)}
            for row in figures.pace
        ],
        "forecast": list(figures.forecast),
    }


def stats_text(figures: Stats, language: Language, width: int = 80) -> str:
    """Blocks of aligned lines, at most `width` cells wide; what wasn't measured isn't shown."""
    blocks = [_counts(figures, language, width)]
    if figures.retention.true is not None and figures.retention.predicted is not None:
        blocks.append(
            [
                Text(
                    ja=f"定着率(1 日以上あけた {figures.retention.answers} 回): 実際"
                    f" {_percent(figures.retention.true)}、予測"
                    f" {_percent(figures.retention.predicted)}",
                    en=f"Recall after a day or more ({figures.retention.answers} answers):"
                    f" {_percent(figures.retention.true)} true,"
                    f" {_percent(figures.retention.predicted)} predicted",
                ).pick(language)
            ]
        )
    if any(row.answers for row in figures.calibration):
        blocks.append(_calibration(figures, language, width))
    if figures.beliefs:
        blocks.append(_beliefs(figures, language, width))
    if figures.pace:
        blocks.append(_pace(figures, language, width))
    blocks.append(_forecast(figures, language, width))
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def reviews(store: Store) -> Iterator[dict[str, Any]]:
    """The answers that stand, oldest study day first. Undone ones are left out: they are in the
    export of the log. A card whose history was reattached bears its name of today."""
    for event, answer, card in standing_answers(list(store.events())):
        yield {
            "id": event.id,
            "card": card,
            "kind": answer.card_kind,
            "grade": int(answer.grade),
            "at": event.at,
            "day": event.day,
            "confidence": CONFIDENCE_NAMES[answer.confidence] if answer.confidence else None,
            "seconds": answer.seconds,
            "correct": answer.correct,
            "choice": answer.choice,
            "raw": answer.raw,
            "due": answer.due,
            "origin": answer.origin.value,
            "sitting": answer.sitting,
            "repetition": answer.repetition,
            "after_undo": answer.after_undo,
        }


def reviews_lines(store: Store) -> Iterator[str]:
    """One JSON object a line, without the line break."""
    return map(json_line, reviews(store))


def reviews_text(store: Store, language: Language, width: int = 80) -> str:
    """One answer a line: date, grade, seconds, confidence, card."""
    spoken = {
        name: _CONFIDENCE_TEXTS[level].pick(language) for level, name in CONFIDENCE_NAMES.items()
    }
    rows = [
        [
            date_of(review["day"]).isoformat(),
            str(review["grade"]),
            f"{review['seconds']:.1f}",
            spoken.get(review["confidence"], ""),
            printable(review["card"]),
        ]
        for review in reviews(store)
    ]
    if not rows:
        return _lines([Text(ja="まだ解答がありません。", en="No answers yet.")], language)
    head = Text(ja="日付\t評価\t秒\t自信\tカード", en="date\tgrade\tseconds\tconfidence\tcard")
    return "\n".join(table([head.pick(language).split("\t"), *rows], width, right=(1, 2))) + "\n"


def json_line(value: object) -> str:
    """JSON on one line. The controls that JSON leaves as they are (DEL and above) are escaped, so
    that none reaches a terminal."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return re.sub("[\x7f-\x9f\u2028\u2029]", lambda found: f"\\u{ord(found[0]):04x}", text)


def _cards(decks: Sequence[Deck]) -> list[Card]:
    return [card for deck in decks for card in deck.cards]


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 4)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _lines(texts: Sequence[Text], language: Language) -> str:
    return "".join(text.pick(language) + "\n" for text in texts)


def _counts(figures: Stats, language: Language, width: int) -> list[str]:
    rows = [
        (Text(ja="カード", en="cards"), figures.cards),
        (Text(ja="まだ答えていない", en="never answered"), figures.new),
        (Text(ja="今日までが期限", en="due"), figures.due),
        (Text(ja="休止中", en="suspended"), figures.suspended),
        (Text(ja="目印つき", en="flagged"), figures.flagged),
        (Text(ja="解答", en="answers"), figures.answers),
        (Text(ja="うち今日", en="of these today"), figures.answers_today),
        (Text(ja="学習した日数", en="days studied"), figures.days_studied),
    ]
    return table([[text.pick(language), str(count)] for text, count in rows], width, right=(1,))


def _calibration(figures: Stats, language: Language, width: int) -> list[str]:
    head = Text(ja="自信\t解答\t正解\t正答率", en="confidence\tanswers\tright\tshare")
    rows = [
        [
            _CONFIDENCE_TEXTS[row.confidence].pick(language),
            str(row.answers),
            str(row.correct),
            _percent(row.correct / row.answers),
        ]
        for row in figures.calibration
        if row.answers
    ]
    return table([head.pick(language).split("\t"), *rows], width, right=(1, 2, 3))


def _beliefs(figures: Stats, language: Language, width: int) -> list[str]:
    head = Text(
        ja="まだ残っている思い込み\t回数\t確信\tカード",
        en="beliefs that still fool you\ttimes\tsure\tcard",
    )
    rows = [
        [printable(row.belief), str(row.times), str(row.sure), printable(row.card)]
        for row in figures.beliefs
    ]
    return table([head.pick(language).split("\t"), *rows], width, right=(1, 2))


def _pace(figures: Stats, language: Language, width: int) -> list[str]:
    head = Text(ja="種類\t解答\t1 枚の秒数(中央値)", en="kind\tanswers\tseconds a card (median)")
    rows = [
        [
            _KIND_TEXTS[row.kind].pick(language)
            if row.kind in _KIND_TEXTS
            else printable(row.kind),
            str(row.answers),
            f"{row.median:.1f}",
        ]
        for row in figures.pace
    ]
    return table([head.pick(language).split("\t"), *rows], width, right=(1, 2))


def _forecast(figures: Stats, language: Language, width: int) -> list[str]:
    head = Text(ja="これから 14 日の復習", en="Reviews in the next 14 days")
    rows = [
        [date_of(figures.day + ahead).strftime("%m-%d"), str(count)]
        for ahead, count in enumerate(figures.forecast)
    ]
    return [head.pick(language), *table(rows, width, right=(1,), indent="  ")]
