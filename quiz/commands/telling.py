"""How `quiz verify card` and `quiz verify deck` say what came out: text, JSON and files."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quiz.commands.common import LANGUAGE
from quiz.deck.card import Deck
from quiz.proof import CardResult, CardVerdict, Tried
from verify.api import Text, report_file
from verify.api.command import look_now
from verify.api.pages import plain, trace_of

if TYPE_CHECKING:
    from quiz.report.guesses import Guessed

Guesses = Mapping[str, "Guessed"]
"""What a class guessed, by card."""
Tell = Callable[[Iterable[CardResult], Guesses], list[CardResult]]
"""Says each result as it comes, and gives all of them in the end."""
Write = Callable[[Sequence[CardResult]], str]
"""The text of a file about all results."""

_SUMMARY = Text(
    ja="{total} 枚: 証明済み {proven}、反証あり {disproven}、判定できず {undecided}、"
    "実行失敗 {failed}",
    en="{total} card{s}: {proven} proven, {disproven} disproven, {undecided} undecided, "
    "{failed} failed",
)


def files_of(*wanted: tuple[Path | None, Write]) -> Mapping[Path, Write]:
    """The files that were asked for; one that can't be written is refused before any run."""
    files = [(path, write) for path, write in wanted if path is not None]
    report_file.check_all([path for path, _ in files])
    return dict(files)


def draw(found: Iterable[CardResult], guesses: Guesses) -> list[CardResult]:
    """Each card in full, with the guesses about it."""
    from quiz.report import card
    from quiz.report.guesses import beside
    from quiz.screens.lines import Page

    look, told = look_now(), []
    for result in found:
        guessed = guesses.get(result.card.key)
        lines = card.draw(result, look, labels=guessed.labels if guessed else None)
        if guessed is not None:
            more = beside(guessed, Page(LANGUAGE, look.width, {}))
            lines += plain(more) if look.ascii_only else more
        sys.stdout.write("\n".join(lines) + "\n")
        sys.stdout.flush()
        told.append(result)
    return told


def draw_deck(found: Iterable[CardResult], _: Guesses) -> list[CardResult]:
    """One line for a proven card, all there is to say for another."""
    from quiz.report import card

    look, told = look_now(), []
    for result in found:
        if result.verdict is CardVerdict.PROVEN and not result.weaknesses:
            line = f" {card.VERDICTS[result.verdict].pick(LANGUAGE)}  {result.card.key}"
            sys.stdout.write(f"{line}  {result.seconds:.2f} s\n")
        else:
            sys.stdout.write("\n".join(card.draw(result, look)) + "\n")
        sys.stdout.flush()
        told.append(result)
    counts = {v.value: sum(r.verdict is v for r in told) for v in CardVerdict}
    tried = sum((result.tried for result in told), Tried())
    summary = _SUMMARY.fill(total=len(told), s="s" * (len(told) != 1), **counts)
    for text in (summary, tried.in_words()):
        sys.stdout.write(f" {text.pick(LANGUAGE)}\n")
    return told


def page_of(decks: Sequence[Deck], words: Sequence[str], *, by_id: bool = True) -> Write:
    """A page that says how to prove the same again."""

    def write(results: Sequence[CardResult]) -> str:
        from quiz.report.page import draw

        titles = {deck.id: deck.title for deck in decks}
        again = ["quiz", "verify", *words, "--fresh"]
        return draw(results, titles, LANGUAGE, again, by_id=by_id)

    return write


def junit(results: Sequence[CardResult]) -> str:
    """JUnit XML."""
    from quiz.report.junit import report

    return report(results, LANGUAGE)


def trace(results: Sequence[CardResult]) -> str:
    """The timelines of all runs, for Perfetto."""
    runs = [(result.card.key, evidence) for result in results for evidence in result.evidence]
    return json.dumps(trace_of(runs, LANGUAGE), ensure_ascii=False) + "\n"


def json_of(as_list: bool) -> Tell:
    """One record, or a list of them, as `quiz/schema/card.json` describes it."""

    def tell(found: Iterable[CardResult], guesses: Guesses) -> list[CardResult]:
        from quiz.report.card import to_json

        told = list(found)
        records: list[dict[str, Any]] = [to_json(result) for result in told]
        for record in records:
            if (guessed := guesses.get(record["card"])) is not None:
                record["guess"] = list(guessed.voices)
        whole = records if as_list else records[0]
        sys.stdout.write(json.dumps(whole, ensure_ascii=False) + "\n")
        return told

    return tell
