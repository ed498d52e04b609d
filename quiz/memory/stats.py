"""Figures for `quiz stats`, from the cards, the folded log and the answers that stand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from statistics import fmean, median

from quiz.deck.card import Card
from quiz.events import Answer, Confidence, Event, EventKind, Grade, Origin
from quiz.memory.queue import hidden, is_due, is_leech
from quiz.memory.rows import renames, rows_of, undone
from quiz.memory.states import LogState

FORECAST_DAYS = 14
HEAT_WEEKS = 18  # of the heat map
SLOWEST = 5  # cards listed
BINS = (0.0, 0.7, 0.8, 0.9, 0.95, 1.0)  # of predicted recall

STATED = {Confidence.SURE: 0.95, Confidence.THINK_SO: 0.7}
"""The chance of being right that a confidence stands for; a guess stands for one in so many
choices as were shown."""

LIVED = (Origin.STUDY, Origin.CRAM, Origin.EXAM)
"""Answers that were given here: an imported one knows no seconds, and its day was elsewhere."""

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
class Bin:
    """Answers of which FSRS expected a recall between `low` and `high`."""

    low: float
    high: float
    answers: int
    predicted: float  # mean
    true: float  # share recalled


@dataclass(frozen=True, slots=True)
class Streak:
    """Study days in a row with at least one answer. Today is not missed until it is over."""

    now: int
    longest: int


@dataclass(frozen=True, slots=True)
class TimeSpent:
    """Seconds that one card has taken in all."""

    card: str
    answers: int
    seconds: float


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
    bins: tuple[Bin, ...]  # those with answers
    calibration: tuple[Calibration, ...]
    brier: float | None  # mean squared error of the stated chances, 0 is best; traps only
    beliefs: tuple[FoolingBelief, ...]
    pace: tuple[Pace, ...]
    slowest: tuple[TimeSpent, ...]
    leeches: tuple[tuple[str, int], ...]  # cards forgotten again and again, and how often
    forecast: tuple[int, ...]  # cards that fall due today (overdue ones too), tomorrow, …
    streak: Streak
    heat: tuple[int, ...]  # answers on each of the last days, today last


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
        bins=_bins(answers, predicted),
        calibration=_calibration(answers),
        brier=_brier(answers),
        beliefs=_beliefs(answers),
        pace=_pace(answers),
        slowest=_slowest(answers),
        leeches=tuple(
            sorted(
                ((c.key, of.lapses) for c, of in zip(cards, states, strict=True) if is_leech(of)),
                key=lambda pair: (-pair[1], pair[0]),
            )
        ),
        forecast=tuple(
            sum(
                of.due is not None and not hidden(of, day) and max(of.due, today) == day
                for of in states
            )
            for day in range(today, today + FORECAST_DAYS)
        ),
        streak=_streak({event.day for event, _, _ in answers}, today),
        heat=_heat(answers, today),
    )


def _judged(answers: Answers, predicted: Mapping[str, float]) -> list[tuple[bool, float]]:
    """Whether each answer recalled, and the chance that FSRS gave it."""
    return [
        (answer.grade > Grade.AGAIN, predicted[event.id])
        for event, answer, _ in answers
        if event.id in predicted and not answer.after_undo
    ]


def _bins(answers: Answers, predicted: Mapping[str, float]) -> tuple[Bin, ...]:
    judged = _judged(answers, predicted)
    bins = []
    for low, high in pairwise(BINS):
        within = [(ok, p) for ok, p in judged if low <= p < high or p == high == BINS[-1]]
        if within:
            chance, true = fmean(p for _, p in within), fmean(ok for ok, _ in within)
            bins.append(Bin(low, high, len(within), chance, true))
    return tuple(bins)


def _retention(answers: Answers, predicted: Mapping[str, float]) -> Retention:
    judged = _judged(answers, predicted)
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


def _brier(answers: Answers) -> float | None:
    """Brier (1950), "Verification of forecasts expressed in terms of probability"."""
    errors = [
        (STATED.get(answer.confidence, 1 / len(answer.order)) - answer.correct) ** 2
        for _, answer, _ in _first_of_day(answers)
        if answer.confidence is not None and answer.correct is not None and answer.order
    ]
    return fmean(errors) if errors else None


def _streak(days: Collection[int], today: int) -> Streak:
    longest = 0
    for day in days:
        if day - 1 not in days:
            length = next(n for n in count(1) if day + n not in days)
            longest = max(longest, length)
    last = today if today in days else today - 1
    return Streak(next(n for n in count(0) if last - n not in days), longest)


def _heat(answers: Answers, today: int) -> tuple[int, ...]:
    counts = Counter(event.day for event, answer, _ in answers if answer.origin in LIVED)
    return tuple(counts[day] for day in range(today - 7 * HEAT_WEEKS + 1, today + 1))


def _slowest(answers: Answers) -> tuple[TimeSpent, ...]:
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    for _, answer, card in answers:
        if answer.origin in LIVED:
            seconds[card].append(answer.seconds)
    spent = [TimeSpent(card, len(each), sum(each)) for card, each in seconds.items()]
    return tuple(sorted(spent, key=lambda of: (-of.seconds, of.card))[:SLOWEST])


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
        if answer.origin in LIVED:
            seconds[answer.card_kind].append(answer.seconds)
    return tuple(Pace(kind, len(all_), median(all_)) for kind, all_ in sorted(seconds.items()))
