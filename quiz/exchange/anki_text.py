"""Our cards as text that Anki imports, and `quiz import` too: one record a line, HTML fields."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from quiz.exchange.anki_package import guid
from quiz.exchange.sides import Sides

SEPARATORS: Mapping[str, tuple[str, str]] = {
    ".csv": ("Comma", ","),
    ".tsv": ("Tab", "\t"),
    ".txt": ("Tab", "\t"),
}
"""By the ending of the file's name: what Anki calls the separator, and the separator."""
_COLUMNS = ("GUID", "Deck", "Tags", "Question", "Answer", "Explanation", "Evidence", "Source")


def write(ending: str, decks: Mapping[str, tuple[str, Sequence[Sides]]]) -> str:
    """The text of a file with this ending. `decks` gives title and cards of each deck by its id."""
    name, separator = SEPARATORS[ending]
    out = io.StringIO()
    out.write(f"#separator:{name}\n#html:true\n#columns:{separator.join(_COLUMNS)}\n")
    out.write("#guid column:1\n#deck column:2\n#tags column:3\n")
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    for title, cards in decks.values():
        for card in cards:
            writer.writerow(
                (
                    guid(card.key), f"proofdeck::{title.replace('::', ': ')}",
                    " ".join(card.tags), card.question + card.choices, card.answer,
                    card.explanation, card.evidence, card.source,
                )
            )  # fmt: skip
    return out.getvalue()
