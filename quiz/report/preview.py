"""A card as an author wants to see it: what the learner will see, then what its proof claims."""

from __future__ import annotations

from collections.abc import Iterator

from quiz.deck.card import Card, Run
from quiz.deck.draw import worth
from quiz.proof import Assertion, assertions
from quiz.report.card import ROLES, claim_words
from quiz.screens.lines import Page
from quiz.screens.wrap import spread, wrap
from quiz.session.blocks import Ask
from quiz.session.question import Question
from verify.api import ProofdeckError, Text, printable

_RIGHT = Text(ja="正解", en="right")
_HINT = Text(ja="ヒント:", en="Hint:")
_ANSWER = Text(ja="答え:", en="Answer:")
_WHY = Text(ja="説明:", en="Explanation:")
_PROOF = Text(ja="証明:", en="Proof:")
_NO_PROOF = Text(ja="証明はありません。", en="There is no proof.")
_UNLESS = Text(ja="故障 {fault} では反証されます。", en="Refuted under the fault {fault}.")


def draw(card: Card, page: Page) -> list[str]:
    """Lines no wider than the page. What can't be asked or read says why in its place."""
    head = spread(page.say(page.titles[card.deck]), card.key, page.width)
    facts = " · ".join(filter(None, (card.kind.value, card.topic, card.source)))
    lines = ["", *head, *wrap(printable(facts), page.width), ""]
    try:
        lines += _learner(Question.of(card, 0), page)
    except ProofdeckError as error:
        lines += ["", *page.prose(card.ask), "", *wrap(error.render(page.language), page.width)]
    return [*lines, "", *_proof(card, page)]


def _learner(question: Question, page: Page) -> Iterator[str]:
    card = question.card
    asked = page.lines(Ask(question, 1, 1))
    yield from asked[asked.index("", 1) + 1 :]  # without the heading, which stands above
    if card.hint is not None:
        yield from page.prose(card.hint, question, first=f" {page.say(_HINT)} ")
        yield ""
    yield from wrap(page.say(_ANSWER), page.width)
    if card.answer is not None:
        yield from page.prose(card.answer, question)
    for choice in question.order:
        mark = page.say(_RIGHT) if choice.is_truth else choice.belief or ""
        yield from wrap(f"{question.letter(choice)}  {mark}", page.width, first="   ")
        if choice.why is not None:
            yield from page.prose(choice.why, question, first="      ")
    if question.expected is not None:
        yield from wrap(f"{page.result(question.expected)} = {card.result}", page.width)
    for lure in card.lures:
        value = worth(lure.result, question.parameters)
        said = f"{lure.belief}  {page.result(value)} = {lure.result}"
        yield from wrap(said, page.width, first="   ")
        if lure.why is not None:
            yield from page.prose(lure.why, question, first="      ")
    if card.explain is not None:
        yield ""
        yield from wrap(page.say(_WHY), page.width)
        yield from page.prose(card.explain, question)


def _proof(card: Card, page: Page) -> Iterator[str]:
    if card.proof is None:
        yield from wrap(page.say(_NO_PROOF), page.width)
        return
    yield from wrap(page.say(_PROOF), page.width)
    for run in card.proof.runs:
        yield from wrap(_run(run), page.width, first="   ")
    try:
        claims = [(assertion, _words(assertion, card, page)) for assertion in assertions(card)]
    except ProofdeckError as error:
        yield from wrap(error.render(page.language), page.width, first="   ")
        return
    for assertion, words in claims:
        role = f"   {page.say(ROLES[assertion.role])}  "
        yield from wrap(assertion.text, page.width, first=role)
        yield from wrap(words, page.width, first="      = ")


def _words(assertion: Assertion, card: Card, page: Page) -> str:
    words = claim_words(assertion, card, page.language)
    if assertion.unless is None:
        return words
    return f"{words} {page.say(_UNLESS.fill(fault=assertion.unless))}"


def _run(run: Run) -> str:
    given = [f"{name}={value}" for name, value in run.given.items()]
    fault = [f"--fault {run.fault}"] if run.fault else []
    name = [f"{run.name}:"] if run.name else []
    return " ".join([*name, run.experiment, *given, *fault])
