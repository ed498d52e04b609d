"""What `quiz deck new` writes is a sound deck, whatever the experiment and the words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.deck import skeleton
from quiz.deck.card import Card, Kind
from quiz.deck.load import parse
from quiz.deck.problem import CONTROL
from quiz.lint.run import lint
from quiz.proof import Prover
from quiz.proof.judging import CardVerdict
from verify.api import UsageError
from verify.api.experiments import Experiment, experiment_names, find_experiment

EXPERIMENTS = [find_experiment(name) for name in experiment_names()]
NAMED = {e.name: e for e in EXPERIMENTS}


def fields(kind: Kind, experiment: Experiment, words: str = "Words") -> skeleton.Fields:
    match kind:
        case Kind.RECALL:
            more = skeleton.recall(experiment, words)
        case Kind.TRAP:
            more = skeleton.trap(experiment, words, words + " not", "belief", words)
        case Kind.COMPUTE:
            more = skeleton.compute(experiment, "belief", words)
    return {"id": f"new-{kind}", "kind": kind.value, "source": words, "ask": words} | more


def read(text: str) -> tuple[Card, ...]:
    loaded = parse(text.encode(), Path("mine.yaml"))
    assert loaded.problems == ()
    assert loaded.deck is not None
    return loaded.deck.cards


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.name)
def test_lint_finds_no_error_in_any_first_card(experiment: Experiment, tmp_path: Path) -> None:
    kinds = [Kind.RECALL, Kind.TRAP]
    if skeleton.computable(experiment):
        kinds.append(Kind.COMPUTE)
    cards = [fields(kind, experiment) for kind in kinds]
    text = skeleton.new_deck("mine", "Mine", cards[0])
    for card in cards[1:]:
        text = skeleton.appended(text, parse(text.encode(), Path("x")).deck, card)  # type: ignore[arg-type]
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    found = [f.problem for f in lint([path]).findings if f.problem.severity == "error"]
    assert found == []
    assert len(read(text)) == len(kinds)


def test_an_experiment_without_a_number_makes_no_computation() -> None:
    with pytest.raises(UsageError, match="memory-held"):
        skeleton.compute(NAMED["memory-held"], "belief", "why")


@pytest.mark.xdist_group("decks")
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (Kind.COMPUTE, "sampler-padding"),
        (Kind.TRAP, "unequal-shards"),  # a law without mutants: the lure is its opposite
        (Kind.RECALL, "token-mean"),
    ],
)
def test_a_first_card_is_proven_as_it_is(prover: Prover, kind: Kind, name: str) -> None:
    (card,) = read(skeleton.new_deck("mine", "Mine", fields(kind, NAMED[name])))
    result = prover.prove(card)
    assert (result.verdict, result.weaknesses) == (CardVerdict.PROVEN, ())


PROSE = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40).filter(
    lambda text: bool(text.strip()) and not CONTROL.search(text)
)


@settings(max_examples=60, deadline=None)
@given(PROSE)
def test_any_words_come_back_as_they_were_typed(words: str) -> None:
    made = fields(Kind.TRAP, NAMED["all-reduce-bytes"], words)
    (card,) = read(skeleton.new_deck("mine", words, made))
    assert (card.ask.en, card.source, card.truth.text.en) == (words, words, words)


@pytest.mark.parametrize("indent", [0, 2, 4])
@pytest.mark.parametrize("end", ["", "\n", "\n\n# the end\n"])
def test_a_card_is_added_below_the_others(indent: int, end: str) -> None:
    margin = " " * indent
    text = f"deck: mine\ntitle: T\ncards:\n{margin}- id: a\n{margin}  kind: recall\n"
    text += f"{margin}  ask: x\n{margin}  answer: y{end}"
    deck = parse(text.encode(), Path("mine.yaml")).deck
    assert deck is not None
    added = skeleton.appended(text, deck, fields(Kind.RECALL, NAMED["all-reduce-bytes"]))
    assert added.startswith(text)
    assert [card.id for card in read(added)] == ["a", "new-recall"]
