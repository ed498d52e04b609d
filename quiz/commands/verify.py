"""`quiz verify card` and `quiz verify deck`, beside the commands that verify brings itself."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from quiz.commands.common import LANGUAGE, say, surroundings
from quiz.deck.card import Card, Deck
from quiz.proof import CardResult, CardVerdict, Prover
from verify.api import (
    Evidence,
    LocalWorld,
    ProgressLine,
    ProofdeckError,
    Request,
    Text,
    UsageError,
    VerifySurroundings,
    look_now,
    report_file,
    request_key,
    verify_app,
)

if TYPE_CHECKING:
    from quiz.store import Store

app = verify_app

_AS_JSON = typer.Option("--json", help=say("JSON で出力", "print JSON"))
_FRESH = typer.Option("--fresh", help=say("保存済みの証拠を使わない", "ignore stored evidence"))
_HTML = typer.Option(
    "--html", metavar="FILE", help=say("証拠をページとして保存", "write the evidence as a page")
)
_NOT_KEPT = Text(ja="証拠は保存されません。", en="The evidence isn't kept.")
_SUMMARY = Text(
    ja="{total} 枚: 証明済み {proven}、反証あり {disproven}、判定できず {undecided}、"
    "実行失敗 {failed}",
    en="{total} cards: {proven} proven, {disproven} disproven, {undecided} undecided, "
    "{failed} failed",
)


@app.callback()
def _root(context: typer.Context) -> None:
    """Give verify's own commands a shelf for their evidence."""
    context.obj = VerifySurroundings(keep=_keep)


@app.command(
    "card",
    help=say(
        "カードの正解と誤答を、実際に実行して判定します。\n\n"
        "例: quiz verify card data-parallel/dp-hold-and-send",
        "Run what proves a card: its truth and every lure.\n\n"
        "Example: quiz verify card data-parallel/dp-hold-and-send",
    ),
)
def verify_card(
    identities: Annotated[
        list[str],
        typer.Argument(metavar="ID...", help=say("deck/card の形の ID", "ids, as deck/card")),
    ],
    as_json: Annotated[bool, _AS_JSON] = False,
    fresh: Annotated[bool, _FRESH] = False,
    html: Annotated[Path | None, _HTML] = None,
) -> int:
    from quiz.commands.decks import all_decks, find_card

    decks = all_decks([])
    known = [card for deck in decks for card in deck.cards]
    cards = [find_card(known, identity) for identity in identities]
    tell = _json_of(len(cards) > 1) if as_json else _draw
    return _prove(cards, fresh=fresh, tell=_and_page(html, decks, ["card", *identities], tell))


@app.command(
    "deck",
    help=say(
        "デッキの全カードを証明します。\n\n例: quiz verify deck decks/ --json",
        "Prove every card of decks.\n\nExample: quiz verify deck decks/ --json",
    ),
)
def verify_deck(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PATH]...", help=say("デッキの ID かパス", "deck ids or paths")),
    ] = None,
    as_json: Annotated[bool, _AS_JSON] = False,
    fresh: Annotated[bool, _FRESH] = False,
    html: Annotated[Path | None, _HTML] = None,
) -> int:
    from quiz.commands.decks import all_decks

    decks = all_decks(paths or [])
    cards = [card for deck in decks for card in deck.cards if card.proof is not None]
    if not cards:
        raise UsageError(Text(ja="証明のあるカードがありません。", en="No card here has a proof."))
    tell = _json_of(True) if as_json else _draw_deck
    words = ["deck", *(paths or [])]
    return _prove(cards, fresh=fresh, tell=_and_page(html, decks, words, tell, by_id=not paths))


def results(cards: Sequence[Card], *, fresh: bool) -> Iterable[CardResult]:
    """Prove cards one after the other; every distinct run is made once. Shows progress."""
    place = surroundings()
    with (
        LocalWorld() as world,
        StoreShelf(place.home) as shelf,
        ProgressLine(sys.stderr, LANGUAGE, place.width) as progress,
    ):
        prover = Prover(world, shelf, fresh=fresh)
        for number, card in enumerate(cards, start=1):
            progress.prefix = f"{number} / {len(cards)}  {card.key}"
            progress.say("…")
            result = prover.prove(card, progress=progress)
            progress.clear()
            yield result


Tell = Callable[[Iterable[CardResult]], list[CardResult]]
"""Says each result as it comes, and gives all of them in the end."""


def _prove(cards: Sequence[Card], *, fresh: bool, tell: Tell) -> int:
    told = tell(results(cards, fresh=fresh))
    return 0 if all(r.verdict is CardVerdict.PROVEN for r in told) else 1


def _draw(found: Iterable[CardResult]) -> list[CardResult]:
    from quiz.report.card import draw

    look, told = look_now(), []
    for result in found:
        sys.stdout.write("\n".join(draw(result, look)) + "\n")
        sys.stdout.flush()
        told.append(result)
    return told


def _draw_deck(found: Iterable[CardResult]) -> list[CardResult]:
    """One line for a proven card, all there is to say for another."""
    from quiz.report.card import VERDICTS, draw

    look, told = look_now(), []
    for result in found:
        if result.verdict is CardVerdict.PROVEN and not result.weaknesses:
            line = f" {VERDICTS[result.verdict].pick(LANGUAGE)}  {result.card.key}"
            sys.stdout.write(f"{line}  {result.seconds:.2f} s\n")
        else:
            sys.stdout.write("\n".join(draw(result, look)) + "\n")
        sys.stdout.flush()
        told.append(result)
    counts = {v.value: sum(r.verdict is v for r in told) for v in CardVerdict}
    sys.stdout.write(" " + _SUMMARY.pick(LANGUAGE).format(total=len(told), **counts) + "\n")
    return told


def _and_page(
    path: Path | None,
    decks: Sequence[Deck],
    words: Sequence[str],
    tell: Tell,
    *,
    by_id: bool = True,
) -> Tell:
    """Tell, and write a page where one is asked for; one that can't be is refused at once."""
    if path is None:
        return tell
    report_file.check_writable(path)

    def tell_and_write(found: Iterable[CardResult]) -> list[CardResult]:
        from quiz.report.page import draw

        told = tell(found)
        titles = {deck.id: deck.title for deck in decks}
        again = ["quiz", "verify", *words, "--fresh"]
        report_file.write_whole(path, draw(told, titles, LANGUAGE, again, by_id=by_id))
        return told

    return tell_and_write


def _json_of(as_list: bool) -> Tell:
    def tell(found: Iterable[CardResult]) -> list[CardResult]:
        from quiz.report.card import to_json

        told = list(found)
        records: list[dict[str, Any]] = [to_json(result) for result in told]
        whole = records if as_list else records[0]
        sys.stdout.write(json.dumps(whole, ensure_ascii=False) + "\n")
        return told

    return tell


class StoreShelf:
    """Evidence in the store, opened when first needed.

    A store that can't be opened or written is no reason not to prove: it is said once.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._stack = ExitStack()
        self._store: Store | None = None
        self._off = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def get(self, key: str) -> Evidence | None:
        store = self._opened()
        return None if store is None else store.evidence(key)

    def put(self, key: str, evidence: Evidence) -> None:
        store = self._opened()
        if store is not None:
            try:
                store.put_evidence(key, evidence)
            except ProofdeckError as error:
                self._give_up(error)

    def _opened(self) -> Store | None:
        from quiz.store import open_store

        if self._store is None and not self._off:
            try:
                self._store = self._stack.enter_context(open_store(self._home, write=True))
            except ProofdeckError as error:
                self._give_up(error)
        return None if self._off else self._store

    def _give_up(self, error: ProofdeckError) -> None:
        self._off = True
        sys.stderr.write(_NOT_KEPT.pick(LANGUAGE) + " " + error.render(LANGUAGE) + "\n")


def _keep(request: Request, evidence: Evidence) -> None:
    with StoreShelf(surroundings().home) as shelf:
        shelf.put(request_key(request), evidence)
