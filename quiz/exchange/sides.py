r"""A card of ours as the fields of a flash card: HTML, mathematics as MathJax `\( \)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from quiz.deck.card import Card, Kind
from quiz.deck.fill import MATHEMATICS, fill
from quiz.numbers import amount
from quiz.proof import CardResult, judge, plan
from quiz.report.card import ROLES, VERDICTS, claim_words
from quiz.session.question import Question
from verify.api import Language, ProofdeckError, Text, printable
from verify.api.claims import Side, Verdict
from verify.api.worlds import Evidence, Request, request_key

_FIRST, _LAST = 0xE000, 0xF8FF  # private characters: each stands for one formula
_STAND_IN = re.compile(f"[{chr(_FIRST)}-{chr(_LAST)}]")
_PRODUCT = re.compile(r"(?<=[0-9A-Za-z)])\*(?=[0-9A-Za-z(])")  # 2*3*4 has no emphasis

_IT_IS = Text(ja="正解は", en="It is")
_CLAIM = Text(ja="確かめたこと", en="claim")
_MEASURED = Text(ja="測定", en="measured")
_EXPECTED = Text(ja="期待", en="expected")
_OUTCOME = Text(ja="判定", en="verdict")
_OUTCOMES = {
    Verdict.CONFIRMED: Text(ja="確認", en="confirmed"),
    Verdict.REFUTED: Text(ja="反証", en="refuted"),
    Verdict.UNDECIDED: Text(ja="判定できず", en="undecided"),
}
_RUN = Text(
    ja="{experiment}、{ranks} ランク、{backend}、{at} に測定",
    en="{experiment}, {ranks} ranks, {backend}, measured {at}",
)

EvidenceOf = Callable[[str], Evidence | None]
"""The latest record under a key of evidence."""


@dataclass(frozen=True, slots=True)
class Sides:
    """The fields of one card, as HTML but for the first two."""

    key: str  # deck/card
    kind: Kind
    question: str
    choices: str
    answer: str
    explanation: str
    evidence: str
    source: str
    tags: tuple[str, ...]


def sides(card: Card, language: Language, evidence_of: EvidenceOf) -> Sides:
    """What both sides of a card say. A compute card asks its first set of parameters.

    Raises UsageError where those make no sense.
    """
    question = Question.of(card, 0)

    def say(text: Text | None) -> Markup:
        filled = fill(text.pick(language), question.parameters) if text is not None else ""
        return html(filled) if filled else Markup("")

    return Sides(
        key=card.key,
        kind=card.kind,
        question=say(card.ask),
        choices=_list((question.letter(c), say(c.text)) for c in question.order),
        answer=_answer(question, language, say),
        explanation=say(card.explain) + _whys(question, say),
        evidence=_evidence(card, language, evidence_of),
        source=str(escape(printable(card.source or ""))),
        tags=tuple(
            re.sub(r"\s+", "_", tag) for tag in (card.deck, card.kind.value, card.topic) if tag
        ),
    )


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("strikethrough")
    return parser.disable(["image", "entity", "reference", "html_block", "html_inline"])


def html(text: str) -> Markup:
    """Deck text as HTML. Nothing of it can become a tag that isn't made here."""
    formulas: list[str] = []

    def stand_in(match: re.Match[str]) -> str:
        if len(formulas) > _LAST - _FIRST:
            return match[0]
        formulas.append(match[0])
        return chr(_FIRST + len(formulas) - 1)

    def formula(match: re.Match[str]) -> str:
        index = ord(match[0]) - _FIRST
        return _formula(formulas[index]) if index < len(formulas) else ""

    text = MATHEMATICS.sub(stand_in, _STAND_IN.sub("", printable_lines(text)))
    made = _markdown().render(_PRODUCT.sub(r"\\*", text)).strip()
    if made.startswith("<p>") and made.count("<p>") == 1 and made.endswith("</p>"):
        made = made.removeprefix("<p>").removesuffix("</p>")
    return Markup(_STAND_IN.sub(formula, made))


def printable_lines(text: str) -> str:
    """`text` with its line breaks and without what could steer a terminal."""
    return "\n".join(printable(line) for line in text.split("\n"))


def _formula(source: str) -> str:
    block = source.startswith("$$")
    body = escape(" ".join(source.strip("$").split()))
    return f"\\[{body}\\]" if block else f"\\({body}\\)"


def _list(items: Iterable[tuple[str, Markup]]) -> str:
    rows = [Markup("<li>{}  {}</li>").format(letter, text) for letter, text in items]
    return Markup('<ul class="choices">{}</ul>').format(Markup("").join(rows)) if rows else ""


def _answer(question: Question, language: Language, say: Callable[[Text | None], Markup]) -> str:
    card = question.card
    if question.order:
        truth = card.truth
        letter = question.letter(truth)
        return Markup("{} <b>{}</b>  {}").format(_IT_IS.pick(language), letter, say(truth.text))
    if question.expected is not None:
        value = amount(question.expected.value, question.expected.unit)
        return Markup("<b>{}</b><br><code>{}</code>").format(value, card.result or "")
    return say(card.answer)


def _whys(question: Question, say: Callable[[Text | None], Markup]) -> Markup:
    """Why each lure is wrong."""
    whys = [(question.letter(c), say(c.why)) for c in question.order if c.why is not None]
    whys += [
        (amount(value.value, value.unit), say(lure.why))
        for lure, value in question.lures
        if lure.why is not None
    ]
    return Markup(_list(whys))


def _evidence(card: Card, language: Language, evidence_of: EvidenceOf) -> str:
    """The table of the last evidence: each claim, what was measured and expected, the verdict."""
    result = stored_result(card, evidence_of)
    if result is None:
        return ""
    rows = [
        Markup("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>").format(
            ROLES[claim.assertion.role].pick(language),
            claim_words(claim.assertion, card, language),
            _figure(claim.judgement.left if claim.judgement else None),
            _figure(claim.judgement.right if claim.judgement else None),
            _OUTCOMES[claim.verdict].pick(language),
        )
        for claim in result.claims
    ]
    heads = (_CLAIM, _MEASURED, _EXPECTED, _OUTCOME)
    runs = [
        Markup("<div>{}</div>").format(
            _RUN.fill(
                experiment=one.experiment,
                ranks=one.world.ranks,
                backend=one.world.backend,
                at=one.at[:10],
            ).pick(language)
        )
        for one in result.evidence
    ]
    return Markup(
        '<table class="evidence"><caption>{}</caption><tr><th></th>{}</tr>{}</table>{}'
    ).format(
        VERDICTS[result.verdict].pick(language),
        Markup("").join(Markup("<th>{}</th>").format(head.pick(language)) for head in heads),
        Markup("").join(rows),
        Markup("").join(runs),
    )


def stored_result(card: Card, evidence_of: EvidenceOf) -> CardResult | None:
    """The verdict of a card from what is kept; None where some run of its proof isn't."""
    if card.proof is None:
        return None
    found: dict[str, Evidence] = {}
    try:
        needed = plan(card)
        for request in needed.requests():
            kept = evidence_of(request_key(request))
            if kept is None:
                return None
            found[request_key(request)] = kept

        def evidence(request: Request) -> Evidence:
            return found[request_key(request)]

        return judge(needed, evidence)
    except ProofdeckError:
        return None


def _figure(side: Side | None) -> str:
    return "–" if side is None else side.show()
