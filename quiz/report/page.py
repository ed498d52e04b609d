"""The page of `verify card` and `verify deck`: each card with all that proves it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby

from markupsafe import Markup

from quiz.deck.card import Card, Kind
from quiz.proof import CardResult, CardVerdict, ClaimResult, Role, plan
from quiz.report.card import ROLES, VERDICTS, claim_words, tried
from quiz.report.latex import inline, paragraphs
from quiz.screens.mathematics import readable
from verify.api import LANGUAGES, Language, Text, verbatim
from verify.api.claims import Verdict, parse_expression
from verify.api.experiments import Experiment, find_experiment
from verify.api.pages import (
    ClaimPart,
    Entry,
    command_of,
    document,
    filters_of,
    formula_mathml,
    in_both,
    tone_of,
)
from verify.api.worlds import Evidence, request_key

_TITLE = Text(ja="答えの証拠", en="Evidence for the answers")
_LEAD = Text(
    ja="どの答えも、実際の torch.distributed の実行で確かめました。正解は確認され、"
    "誤答はどれも反証されて、はじめてそのカードは証明済みです。",
    en="Every answer was put to real torch.distributed runs. A card is proven when they confirm "
    "its truth and refute each lure.",
)
_TALLY = Text(
    ja="{total} 枚: 証明済み {proven}、反証あり {disproven}、判定できず {undecided}、"
    "実行失敗 {failed}",
    en="Cards: {total}. Proven {proven}, disproven {disproven}, undecided {undecided}, "
    "failed {failed}.",
)
_KINDS = {
    Kind.RECALL.value: Text(ja="想起", en="recall"),
    Kind.TRAP.value: Text(ja="選択", en="trap"),
    Kind.COMPUTE.value: Text(ja="計算", en="compute"),
}
_DECK = Text(ja="デッキ", en="deck")
_KIND = Text(ja="種類", en="kind")
_VERDICT = Text(ja="判定", en="verdict")
_ANSWERED_IN = Text(ja="単位 {unit}", en="in {unit}")
_TONE = {CardVerdict.PROVEN: Verdict.CONFIRMED, CardVerdict.DISPROVEN: Verdict.REFUTED}
_WANTED = {Role.TRUTH: Verdict.CONFIRMED, Role.LURE: Verdict.REFUTED}


@dataclass(frozen=True, slots=True)
class _Run:
    """One run of a card's proof; `name` is what the card's claims call it.

    `shown` is an earlier card of the page that has all about the same run.
    """

    name: str
    shown: str | None
    evidence: Evidence
    experiment: Experiment
    command: str


@dataclass(frozen=True, slots=True)
class _CardPart:
    entry: Entry
    key: str
    ask: Markup
    kind: Text
    said: Text
    reason: Text | None
    varied: tuple[tuple[str, str], ...]
    answer: Markup | None
    choices: tuple[ClaimPart, ...]
    truths: tuple[ClaimPart, ...]
    weaknesses: tuple[Text, ...]
    tried: Text | None
    explain: Markup | None
    runs: tuple[_Run, ...]
    source: str | None
    command: str


def draw(
    results: Sequence[CardResult],
    titles: Mapping[str, Text],
    language: Language,
    again: Sequence[str],
    *,
    by_id: bool = True,
) -> str:
    """The page as HTML, opened in `language`.

    `titles` are those of the decks, `again` the words of the command that makes the page. Where
    cards can't be named `by_id`, since their deck was given as a path, each repeats that command.
    """
    whole = shlex.join(again)
    shown: dict[str, str] = {}  # a card that shows a run, by the key of its evidence
    cards = [_card(result, whole, shown, by_id=by_id) for result in results]
    entries = [card.entry for card in cards]
    decks = list(dict.fromkeys(result.card.deck for result in results))
    named = {deck: titles.get(deck, verbatim(deck)) for deck in decks}
    verdicts = [result.verdict for result in results]
    return document(
        files("quiz.report") / "templates" / "cards.html",
        language,
        title=_TITLE,
        lead=_LEAD,
        tally=_TALLY.fill(total=len(cards), **{v.value: verdicts.count(v) for v in CardVerdict}),
        again=whole,
        entries=entries,
        evidence=[run.evidence for card in cards for run in card.runs],
        filters=filters_of(
            entries,
            [
                ("deck", _DECK, named),
                ("kind", _KIND, _KINDS),
                ("verdict", _VERDICT, {v.value: text for v, text in VERDICTS.items()}),
            ],
        ),
        decks=[
            (deck, named[deck], list(group))
            for deck, group in groupby(cards, lambda card: card.entry.values["deck"])
        ],
    )


def _card(result: CardResult, whole: str, shown: dict[str, str], *, by_id: bool) -> _CardPart:
    card = result.card
    names = frozenset(card.vary)
    chosen = [c for c in result.claims if c.assertion.place[0] != "proof" or card.result]
    stated = [c for c in result.claims if c not in chosen]
    return _CardPart(
        entry=Entry(
            id=card.key,
            label=_each(card.ask, readable),
            tone=tone_of(_TONE.get(result.verdict, Verdict.UNDECIDED)),
            values={"deck": card.deck, "kind": card.kind.value, "verdict": result.verdict.value},
        ),
        key=card.key,
        ask=_text(card.ask, inline, names),
        kind=_KINDS[card.kind.value],
        said=VERDICTS[result.verdict],
        reason=result.reason,
        varied=tuple((name, ", ".join(map(str, values))) for name, values in card.vary.items()),
        answer=_answer(card, names),
        choices=tuple(_claim(c, card) for c in chosen),
        truths=tuple(_claim(c, card) for c in stated),
        weaknesses=tuple(weakness.text for weakness in result.weaknesses),
        tried=tried(result),
        explain=None if card.explain is None else _text(card.explain, paragraphs, names),
        runs=_runs(result, shown),
        source=card.source,
        command=shlex.join(["quiz", "verify", "card", card.key, "--fresh"]) if by_id else whole,
    )


def _answer(card: Card, names: frozenset[str]) -> Markup | None:
    if card.answer is not None:
        return _text(card.answer, paragraphs, names)
    if card.result is None:
        return None
    formula = Markup(formula_mathml(parse_expression(card.result)))
    unit = Markup("")
    if card.unit is not None:
        unit = Markup(" ") + in_both(_ANSWERED_IN.fill(unit=card.unit))
    return Markup('<div class="formula">{}{}</div>').format(formula, unit)


def _claim(result: ClaimResult, card: Card) -> ClaimPart:
    assertion = result.assertion
    names = frozenset(card.vary)
    prose = assertion.prose if card.choices and assertion.place[0] == "choices" else None
    return ClaimPart(
        assertion.claim,
        result.judgement,
        result.verdict,
        tone_of(result.verdict, _WANTED[assertion.role]),
        Text(
            ja=claim_words(assertion, card, "ja"),
            en=claim_words(assertion, card, "en"),
        ),
        ROLES[assertion.role],
        None if prose is None else _text(prose, paragraphs, names),
        None if assertion.why is None else _text(assertion.why, paragraphs, names),
    )


def _runs(result: CardResult, shown: dict[str, str]) -> tuple[_Run, ...]:
    """A card's runs; notes in `shown` those that it is the first to show."""
    if not result.evidence:
        return ()
    called: dict[str, list[str]] = {}
    for variant in plan(result.card).variants:
        for name, request in variant.requests.items():
            names = called.setdefault(request_key(request), [])
            if name is not None and name not in names:
                names.append(name)
    return tuple(
        _Run(
            ", ".join(called.get(key, [])),
            None if (first := shown.setdefault(key, result.card.key)) == result.card.key else first,
            evidence,
            find_experiment(evidence.experiment),
            command_of(evidence),
        )
        for key, evidence in zip(result.keys, result.evidence, strict=True)
    )


def _each(text: Text, change: Callable[[str], str]) -> Text:
    """A text with each language that it has changed."""
    return Text(
        ja=None if text.ja is None else change(text.ja),
        en=None if text.en is None else change(text.en),
    )


def _text(
    text: Text, make: Callable[[str, frozenset[str]], Markup], names: frozenset[str]
) -> Markup:
    """Deck text in both languages."""
    tag = "i" if make is inline else "div"
    return in_both(text, {n: make(text.pick(n), names) for n in LANGUAGES}, tag)
