"""A card's verdict as text and as JSON: each claim in words beside the author's prose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quiz.deck.card import Card
from quiz.deck.draw import worth
from quiz.deck.fill import fill
from quiz.proof import Assertion, CardResult, CardVerdict, ClaimResult, Role
from verify.api import LANGUAGES, Language, Text, Value, printable, wrap
from verify.api.experiments import Experiment, find_experiment, words_of
from verify.api.pages import LedgerLine, Look, draw_ledger, draw_pictures, plain
from verify.api.worlds import Evidence

VERDICTS: dict[CardVerdict, Text] = {
    CardVerdict.PROVEN: Text(ja="証明済み", en="proven"),
    CardVerdict.DISPROVEN: Text(ja="反証あり", en="disproven"),
    CardVerdict.UNDECIDED: Text(ja="判定できず", en="undecided"),
    CardVerdict.FAILED: Text(ja="実行失敗", en="failed"),
}
ROLES = {Role.TRUTH: Text(ja="正", en="true"), Role.LURE: Text(ja="誤", en="lure")}
_MORE = Text(ja=" · ほかに {more} 回実行", en=" · and {more} more")
_WHERE = Text(
    ja="{ranks} ランク · {backend} · {seconds} 秒 · {at} に測定",
    en="{ranks} ranks · {backend} · {seconds} s · measured {at}",
)


def experiments_of(card: Card) -> dict[str | None, Experiment]:
    """The experiment behind each run of a card's proof."""
    runs = card.proof.runs if card.proof else ()
    return {run.name: find_experiment(run.experiment) for run in runs}


def prose_of(result: ClaimResult, card: Card, language: Language, shown: Mapping[str, str]) -> str:
    """The author's words beside a claim, or nothing."""
    prose = result.assertion.prose
    return fill(prose.pick(language), shown) if prose is not None else ""


def claim_words(assertion: Assertion, card: Card, language: Language) -> str:
    """A claim in generated words, so that a reader sees what was really proven."""
    return words_of(assertion.claim, language, experiments_of(card))


def draw(result: CardResult, look: Look, *, labels: Mapping[str, str] | None = None) -> list[str]:
    """Lines of at most `look.width` cells: the verdict, each claim, the picture, what was tried.

    `labels` gives the letters under which a sitting showed the choices, by the choice's key.
    """
    card, language = result.card, look.language
    head = f"{card.key}   {VERDICTS[result.verdict].pick(language)}"
    lines = wrap(head, look.width, indent=" ")
    asked = fill(card.ask.pick(language), parameters_of(result))
    lines += wrap(printable(asked), look.width, indent=" ")
    if result.reason is not None:
        lines += wrap(printable(result.reason.pick(language)), look.width, indent="   ")
    if result.evidence:
        more = len(result.evidence) - 1
        where = _where(result.evidence[0], language)
        where += _MORE.pick(language).format(more=more) if more else ""
        lines += wrap(where, look.width, indent=" ")
    if result.claims:
        lines += ["", *_claims(result, look, labels or {})]
    for evidence in result.evidence[:1]:
        picture = draw_pictures(evidence, look)
        lines += ["", *picture] if picture else []
    for weakness in result.weaknesses:
        lines += ["", *wrap(printable(weakness.text.pick(language)), look.width, indent=" ")]
    if (also := tried(result)) is not None:
        lines += ["", *wrap(also.pick(language), look.width, indent=" ")]
    return [*(plain(lines) if look.ascii_only else lines), ""]


def parameters_of(result: CardResult) -> dict[str, Value]:
    """Of a computation: the parameters of the first run, as the author writes them."""
    if not result.evidence:
        return {}
    measured = result.evidence[0].parameters

    def matches(value: Value, name: str) -> bool:
        if isinstance(value, str) and isinstance(measured.get(name), int):
            return worth(value, {}).value == measured[name]
        return value == measured.get(name)

    found = {
        name: next((v for v in values if matches(v, name)), None)
        for name, values in result.card.vary.items()
    }
    return {name: value for name, value in found.items() if value is not None}


def tried(result: CardResult) -> Text | None:
    """How often the claims themselves were put to the test, where all of it went well."""
    mutants, faults = result.tried.mutants, result.tried.faults
    if not result.claims or result.weaknesses or not (mutants or faults):
        return None
    ja = [f"わざと変えた式 {mutants} 個"] * bool(mutants) + [f"故障 {faults} 個"] * bool(faults)
    en = [f"{mutants} altered formula{'s' * (mutants > 1)}"] * bool(mutants)
    en += [f"{faults} fault{'s' * (faults > 1)}"] * bool(faults)
    return Text(
        ja=f"ほかに、{'と'.join(ja)}が反証されることを確認しました。",
        en=f"Also tried: {' and '.join(en)}, {'each ' * (mutants + faults > 1)}refuted.",
    )


def _where(evidence: Evidence, language: Language) -> str:
    return _WHERE.pick(language).format(
        ranks=evidence.world.ranks,
        backend=evidence.world.backend,
        seconds=f"{evidence.seconds:.2f}",
        at=evidence.at.replace("T", " ").replace("+00:00", " UTC"),
    )


def _claims(result: CardResult, look: Look, labels: Mapping[str, str]) -> list[str]:
    language = look.language

    def letter(claim: ClaimResult) -> str:
        assertion = claim.assertion
        chosen = assertion.place[0] == "choices"
        return labels.get(assertion.belief or "truth", "") if chosen else ""

    rows = []
    for claim in sorted(result.claims, key=letter):  # as the question had them; truths before
        assertion = claim.assertion
        label = letter(claim) or ROLES[assertion.role].pick(language)
        words = claim_words(assertion, result.card, language)
        prose = printable(prose_of(claim, result.card, language, {}))
        beside = f"{prose}\n= {words}" if prose and result.card.choices else words
        if claim.judgement is not None:
            comparison = assertion.claim.comparison
            rows.append(LedgerLine(label, beside, comparison, claim.judgement))
    return draw_ledger(rows, look.width, language, colour=look.colour)


def to_json(result: CardResult) -> dict[str, Any]:
    """The shape that the commands promise."""
    card = result.card
    return {
        "card": card.key,
        "verdict": result.verdict.value,
        "reason": None if result.reason is None else result.reason.pick("en"),
        "claims": [
            {
                "text": claim.assertion.text,
                "words": {
                    language: claim_words(claim.assertion, card, language) for language in LANGUAGES
                },
                "role": claim.assertion.role.value,
                "belief": claim.assertion.belief,
                "verdict": claim.verdict.value,
                "left": claim.judgement and claim.judgement.left and claim.judgement.left.to_json(),
                "right": claim.judgement
                and claim.judgement.right
                and claim.judgement.right.to_json(),
                "reason": None if claim.reason is None else claim.reason.pick("en"),
            }
            for claim in result.claims
        ],
        "weaknesses": [weakness.text.pick("en") for weakness in result.weaknesses],
        "mutants": result.tried.mutants,
        "faults": result.tried.faults,
        "evidence": list(result.keys),
        "seconds": round(result.seconds, 3),
    }
