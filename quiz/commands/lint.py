"""`quiz lint`: check decks, and with --prove run what proves their cards."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quiz.commands.common import LANGUAGE, say, surroundings
from verify.api import Text, UsageError, verbatim

if TYPE_CHECKING:
    from quiz.deck.loaded import Loaded
    from quiz.lint.command import Proofs

HELP = say(
    "デッキの誤りを、場所と直し方とともに示します。\n\n例: quiz lint decks/mine.yaml\n\n"
    "例: quiz lint decks/ --prove",
    "Say what is wrong with decks, where, and how to mend it.\n\n"
    "Example: quiz lint decks/mine.yaml\n\nExample: quiz lint decks/ --prove",
)


def command(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help=say("デッキのファイルか ID", "files or deck ids")),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            metavar="text|json|github|sarif|junit",
            help=say(
                "出力の形式(GitHub Actions では github)",
                "format of the report; github within GitHub Actions",
            ),
        ),
    ] = None,
    prove: Annotated[
        bool,
        typer.Option("--prove", help=say("全カードを実行して証明する", "prove every card by runs")),
    ] = False,
    changed_since: Annotated[
        str | None,
        typer.Option(
            metavar="REF",
            help=say(
                "git の REF 以降に変わったカードだけを証明する",
                "with --prove: only cards that changed since REF of git",
            ),
        ),
    ] = None,
    fix: Annotated[
        bool, typer.Option("--fix", help=say("直せるものを直す", "mend what can be mended"))
    ] = False,
    diff: Annotated[
        bool,
        typer.Option(
            "--diff", help=say("--fix の変更を表示するだけ", "only show what --fix would change")
        ),
    ] = False,
) -> int:
    from quiz import cache
    from quiz.deck.library import find_decks
    from quiz.lint.command import check_format, run_fix, run_lint
    from quiz.lint.rules import rule_ids
    from quiz.lint.settings import find

    if changed_since is not None and not prove:
        raise UsageError(
            Text(
                ja="--changed-since は --prove とともに使います。",
                en="--changed-since goes with --prove.",
            )
        )
    chosen = format or ("github" if os.environ.get("GITHUB_ACTIONS") else "text")
    check_format(chosen)
    around = surroundings()
    settings = find(Path.cwd(), rule_ids())
    named = {Path(name).absolute() for name in paths or []}
    files = [
        path
        for path in find_decks(paths or [], around.home)
        if path.absolute() in named or not settings.excludes(path)
    ]
    if fix or diff:
        changed = run_fix(files, sys.stdout.write, settings, write=not diff)
        if diff:
            return int(changed)
    return run_lint(
        files,
        chosen,
        LANGUAGE,
        sys.stdout.write,
        others=find_decks([], around.home),
        width=around.width,
        settings=settings,
        cache=cache.usual(),
        further=partial(prove_decks, changed_since) if prove else None,
    )


def prove_decks(changed_since: str | None, decks: Sequence[Loaded]) -> Proofs:
    """Prove the cards that have a proof, and find what isn't proven and what can't fail."""
    from quiz.commands.verify import results
    from quiz.deck.problem import Problem
    from quiz.lint.changes import changed_cards
    from quiz.lint.command import Proofs
    from quiz.lint.finding import Finding
    from quiz.lint.proofs import ProofNote
    from quiz.proof import CardVerdict

    files = {loaded.deck.id: loaded for loaded in decks if loaded.deck is not None}
    every = [
        card for loaded in files.values() for card in (loaded.deck.cards if loaded.deck else ())
    ]
    cards = every if changed_since is None else changed_cards(files.values(), changed_since)
    findings: list[Finding] = []
    notes: list[ProofNote] = []
    for result in results([card for card in cards if card.proof is not None], fresh=True):
        card, file = result.card, files[result.card.deck]
        place, verdict = card.at("proof"), result.verdict
        reason = None
        if verdict is not CardVerdict.PROVEN:
            reason = result.reason or verbatim(verdict.value)
            problem = Problem("not-proven", place, reason, card=card.key)
            findings.append(Finding(file.path, problem, file.source))
        for weakness in result.weaknesses:
            where = card.at(*weakness.assertion.place)
            loose = Problem("claim-cannot-fail", where, weakness.text, card=card.key)
            findings.append(Finding(file.path, loose, file.source))
        notes.append(
            ProofNote(
                str(file.path), place, card.key, verdict.value, reason, result.seconds, result.tried
            )
        )
    return Proofs(tuple(findings), tuple(notes))
