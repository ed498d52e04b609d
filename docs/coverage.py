"""Which cards ask what the source says, and which experiments prove them.

`python -m docs.coverage` makes coverage.md of source-statements.yaml and the decks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from quiz.deck.card import Card
from quiz.deck.library import read_decks

HERE = Path(__file__).parent
STATEMENTS = HERE / "source-statements.yaml"
PAGE = HERE / "coverage.md"
DECKS = HERE.parent / "decks"

INTRODUCTION = """\
<!-- Made by `python -m docs.coverage` from source-statements.yaml; edit that. -->

# What the source says, and what proves it

Every statement of 「モデル並列とデータ並列」 that a run can confirm, part by part, with the
cards that ask it and the experiments that prove them. `quiz verify card CARD` proves a card.
"""


@dataclass(frozen=True)
class Statement:
    """One thing that the source says. `cards` are keys, deck/card."""

    section: str
    says: str
    cards: tuple[str, ...]


def statements(path: Path = STATEMENTS) -> tuple[Statement, ...]:
    """The statements of the file, in its order."""
    return tuple(
        Statement(part["section"], entry["says"], tuple(entry["cards"]))
        for part in yaml.safe_load(path.read_text(encoding="utf-8"))
        for entry in part["statements"]
    )


def shipped_cards(folder: Path = DECKS) -> dict[str, Card]:
    """The cards of the shipped decks by their key."""
    loaded = read_decks(sorted(folder.glob("*.yaml")))
    return {card.key: card for one in loaded if one.deck for card in one.deck.cards}


def proves(card: Card) -> tuple[str, ...]:
    """The experiments of a card's proof, each once; none where it has no claim to judge."""
    if card.proof is None or not (card.proof.truth or card.choices):
        return ()
    return tuple(dict.fromkeys(run.experiment for run in card.proof.runs))


def page(found: Sequence[Statement], cards: Mapping[str, Card]) -> str:
    """The page in Markdown. Raises KeyError for a card that no deck has."""
    open_ones = [statement for statement in found if not statement.cards]
    lines = [INTRODUCTION, f"{len(found) - len(open_ones)} of {len(found)} statements have a card."]
    if open_ones:
        lines += ["", "Not yet:", "", *(f"- {s.section} · {s.says}" for s in open_ones)]
    for section in dict.fromkeys(statement.section for statement in found):
        lines += ["", f"## {section}", "", "| statement | cards | experiments |", "|---|---|---|"]
        lines += [_row(s, cards) for s in found if s.section == section]
    return "\n".join(lines) + "\n"


def _row(statement: Statement, cards: Mapping[str, Card]) -> str:
    experiments = dict.fromkeys(name for key in statement.cards for name in proves(cards[key]))
    cells = (
        statement.says.replace("|", "\\|"),
        "<br>".join(f"`{key}`" for key in statement.cards) or "not yet",
        "<br>".join(f"`{name}`" for name in experiments) or "–",
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    PAGE.write_text(page(statements(), shipped_cards()), encoding="utf-8")


if __name__ == "__main__":
    main()
