"""Figures for `quiz stats`, from the cards, the folded log and the answers that stand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from quiz.deck.card import Card
from quiz.events import Answer, Confidence, Event, EventKind, Grade, Origin
from quiz.memory.fold import LogState, renames, rows_of, undone
from quiz.memory.queue import hidden, is_due

FORECAST_DAYS = 14

Answers = Sequence[tuple[Event, Answer, str]]


@dataclass(frozen=True, slots=True)
class Retention:
    """Recall a day or more after the answer before. None where there was none to judge."""

    answers: int
    true: float | None  # share recalled
    predicted: float | None  # mean of what FSRS expected


@dataclass(frozen=True, slots=True)
class Calibration:
    """How often answers given with one confidence were right."""

    confidence: Confidence
    answers: int
    correct: int


@dataclass(frozen=True, slots=True)
class FoolingBelief:
    """A belief chosen on its card and not yet answered right on a later day."""

    card: str
    belief: str
    times: int
    sure: int  # of these, said to be sure
    day: int  # when it last fooled


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds per answer of one kind of card."""

    kind: str
    answers: int
    median: float


@dataclass(frozen=True)
class Stats:
    """Everything that `quiz stats` shows. Days are study days."""

    day: int
    cards: int
    new: int
    due: int
    suspended: int
    flagged: int
    answers: int
    answers_today: int
    days_studied: int
    retention: Retention
    calibration: tuple[Calibration, ...]
    beliefs: tuple[FoolingBelief, ...]
    pace: tuple[Pace, ...]
    forecast: tuple[int, ...]  # cards that fall due today (overdue ones too), tomorrow, …


def standing_answers(events: Sequence[Event]) -> Iterator[tuple[Event, Answer, str]]:
    """Answers that were not undone, with the key their card has today, in the order given."""
    rows = sorted(rows_of(e for e in events if e.kind in (EventKind.UNDO, EventKind.REATTACH)))
    dead = undone(rows)
    names = renames(rows, set(dead))
    for event in events:
        if event.answer is not None and event.id not in dead:
            card = event.answer.card
            yield event, event.answer, names.get(card, card)


def seconds_on(answers: Answers, day: int) -> float:
    """Seconds spent answering on a study day, cramming and mock exams left out."""
    return sum(
        answer.seconds
        for event, answer, _ in answers
        if event.day == day and answer.origin is Origin.STUDY
    )


def compute_stats(
    cards: Sequence[Card],
    state: LogState,
    events: Sequence[Event],
    predicted: Mapping[str, float],
    today: int,
) -> Stats:
    """The figures on `today`. `events` come in the order of the fold; `predicted` is the
    expectation for each answer, from `fold.predictions`."""
    answers = list(standing_answers(events))
    states = [state.of(card.key) for card in cards]
    return Stats(
        day=today,
        cards=len(cards),
        new=sum(of.is_new for of in states),
        due=sum(is_due(of, today) for of in states),
        suspended=sum(of.suspended for of in states),
        flagged=sum(of.flagged for of in states),
        answers=len(answers),
        answers_today=sum(event.day == today for event, _, _ in answers),
        days_studied=len({event.day for event, _, _ in answers}),
        retention=_retention(answers, predicted),
        calibration=_calibration(answers),
        beliefs=_beliefs(answers),
        pace=_pace(answers),
        forecast=tuple(
            sum(
                of.due is not None and not hidden(of, day) and max(of.due, today) == day
                for of in states
            )
            for day in range(today, today + FORECAST_DAYS)
        ),
    )


def _retention(answers: Answers, predicted: Mapping[str, float]) -> Retention:
    judged = [
        (answer.grade > Grade.AGAIN, predicted[event.id])
        for event, answer, _ in answers
        if event.id in predicted and not answer.after_undo
    ]
    if not judged:
        return Retention(0, None, None)
    return Retention(
        len(judged),
        fmean(recalled for recalled, _ in judged),
        fmean(chance for _, chance in judged),
    )


def _first_of_day(answers: Answers) -> Iterator[tuple[Event, Answer, str]]:
    """The first answer to each card on each day: later ones have just been shown the key."""
    seen: set[tuple[str, int]] = set()
    for event, answer, card in answers:
        if (card, event.day) not in seen:
            seen.add((card, event.day))
            if not answer.after_undo:
                yield event, answer, card


def _calibration(answers: Answers) -> tuple[Calibration, ...]:
    counts = {confidence: [0, 0] for confidence in Confidence}
    for _, answer, _ in _first_of_day(answers):
        if answer.confidence is not None and answer.correct is not None:
            counts[answer.confidence][0] += 1
            counts[answer.confidence][1] += answer.correct
    return tuple(Calibration(confidence, *pair) for confidence, pair in counts.items())


def _beliefs(answers: Answers) -> tuple[FoolingBelief, ...]:
    fooling: defaultdict[str, dict[str, FoolingBelief]] = defaultdict(dict)
    for event, answer, card in answers:
        of_card = fooling[card]
        if answer.correct:
            fooling[card] = {key: b for key, b in of_card.items() if b.day >= event.day}
        elif answer.correct is False and answer.choice is not None:
            before = of_card.get(answer.choice)
            of_card[answer.choice] = FoolingBelief(
                card,
                answer.choice,
                1 + (before.times if before else 0),
                (answer.confidence == Confidence.SURE) + (before.sure if before else 0),
                event.day,
            )
    standing = (belief for of_card in fooling.values() for belief in of_card.values())
    return tuple(sorted(standing, key=lambda b: (-b.sure, -b.times, b.card, b.belief)))


def _pace(answers: Answers) -> tuple[Pace, ...]:
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    for _, answer, _ in answers:
        if answer.origin is not Origin.IMPORT:
            seconds[answer.card_kind].append(answer.seconds)
    return tuple(Pace(kind, len(all_), median(all_)) for kind, all_ in sorted(seconds.items()))
