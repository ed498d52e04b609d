"""When `quiz study` opens the full screen, and what it says once that has closed."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from verify.api import Text, printable

if TYPE_CHECKING:
    from quiz.deck.card import Card, Deck
    from quiz.screens.lines import Page
    from quiz.session.inputs import Edited
    from quiz.sitting import Sitting

CRASHED = Text(
    ja="画面の表示に失敗したため終了しました({reason})。ここまでの解答は記録済みです。"
    "quiz study --plain なら続けられます。",
    en="The screen failed and was closed ({reason}). Your answers so far are kept; "
    "quiz study --plain goes on without it.",
)


def possible(environment: Mapping[str, str], *, terminals: bool) -> bool:
    """Whether a full screen can be drawn: standard input and output are terminals that can move
    the cursor."""
    return terminals and environment.get("TERM", "") not in ("", "dumb", "unknown")


def wanted(plain: bool) -> bool:
    """Whether this process is to draw one."""
    streams = (sys.stdin, sys.stdout, sys.__stdin__, sys.__stdout__)
    terminals = all(stream is not None and stream.isatty() for stream in streams)
    return not plain and os.name == "posix" and possible(os.environ, terminals=terminals)


def show(sitting: Sitting, page: Page, decks: Sequence[Deck]) -> int:
    """Run the sitting on the full screen; the exit code.

    What it came to is said once more below the prompt, where it stays.
    """
    from quiz.screens.full.run import study
    from quiz.screens.full.sheet import StyledPage
    from quiz.session.blocks import Notice

    def edit(card: Card) -> Edited | Text:
        from quiz.editor import DeckEditor

        return DeckEditor({deck.id: deck.path for deck in decks}, os.environ)(card)

    app = study(sitting, StyledPage.like(page), edit)
    if app.failure is not None:
        reason = " ".join(f"{type(app.failure).__name__}: {app.failure}".split())[:120]
        told = CRASHED.pick(page.language).replace("{reason}", reason)
        sys.stderr.write(printable(told) + "\n")
        return 1
    lines = [line for text in app.notices for line in page.lines(Notice(text))]
    lines += page.lines(app.summary) if app.summary is not None else []
    lines += page.upcoming(sitting.recorder.upcoming()) if app.summary is not None else []
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return app.return_value or 0
