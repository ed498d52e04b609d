"""Editing a card in the learner's own editor, and reading its deck again."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from quiz.deck.card import Card
from quiz.deck.load import load
from quiz.deck.problem import Problem, one_line
from quiz.session.inputs import Edited
from verify.api import Text

_VI_LIKE = (
    "vi",
    "vim",
    "nvim",
    "view",
    "nano",
    "emacs",
    "emacsclient",
    "micro",
    "kak",
    "joe",
    "mg",
)
_AFTER_COLON = ("code", "codium", "subl", "hx", "zed")
_WAITING = {"code": "--wait", "codium": "--wait", "subl": "--wait", "zed": "--wait"}


def editor_command(environment: Mapping[str, str], path: Path, line: int) -> list[str] | None:
    """The command that opens a file at a line, from VISUAL or EDITOR, else vi; None without any.

    The line is given where the editor is known to take it.
    """
    given = environment.get("VISUAL") or environment.get("EDITOR") or "vi"
    try:
        words = shlex.split(given)
    except ValueError:
        return None
    if not words or shutil.which(words[0], path=environment.get("PATH")) is None:
        return None
    name = Path(words[0]).name
    if name in _VI_LIKE:
        return [*words, f"+{line}", str(path)]
    if name in _AFTER_COLON:
        wait = _WAITING.get(name)
        goto = ["--goto"] if name in ("code", "codium") else []
        waiting = [wait] if wait and wait not in words else []
        return [*words, *waiting, *goto, f"{path}:{line}"]
    return [*words, str(path)]


class DeckEditor:
    """Edits cards of decks whose files are known by the deck's id."""

    def __init__(
        self,
        paths: Mapping[str, Path],
        environment: Mapping[str, str],
        run: Callable[[list[str]], int] = subprocess.call,
    ) -> None:
        self._paths = paths
        self._environment = environment
        self._run = run

    def __call__(self, card: Card) -> Edited | Text:
        """Open the card's file at its line; what the deck holds then, or why that's of no use."""
        path = self._paths.get(card.deck)
        if path is None:
            return _NO_FILE.fill(deck=card.deck)
        command = editor_command(self._environment, path, self._line(card, path))
        if command is None:
            return _NO_EDITOR
        try:
            code = self._run(command)
        except OSError as error:
            return _FAILED.fill(command=command[0], reason=error.strerror or str(error))
        if code:
            return _FAILED.fill(command=command[0], reason=f"exit {code}")
        return self._read(path, card)

    def _line(self, card: Card, path: Path) -> int:
        """Where the card stands in the file as it is now."""
        declared = load(path).declared
        return (declared.get(card.id) or card.at()).line

    def _read(self, path: Path, card: Card) -> Edited | Text:
        loaded = load(path)
        cards = {c.key: c for c in loaded.deck.cards} if loaded.deck is not None else {}
        if card.key in cards:
            return Edited(cards)
        own = [p for p in loaded.problems if p.card in (card.key, card.id)] or loaded.problems
        return _problem(path, own[0]) if own else _GONE.fill(card=card.key)


def _problem(path: Path, problem: Problem) -> Text:
    place = f"{path.name}:{problem.position.line}:{problem.position.column}"

    def told(language: str, kept: str) -> str:
        message = problem.message.pick("ja" if language == "ja" else "en")
        return f"{one_line(place)} {message} {kept}"

    return Text(
        ja=told("ja", "前の内容のまま続けます。"), en=told("en", "The card stays as it was.")
    )


_NO_EDITOR = Text(
    ja="エディターが見つかりません。環境変数 EDITOR に指定してください。",
    en="There is no editor. Name one in the environment variable EDITOR.",
)
_NO_FILE = Text(
    ja="デッキ {deck} のファイルがわかりません。", en="The file of the deck {deck} isn't known."
)
_FAILED = Text(
    ja="{command} が失敗しました({reason})。前の内容のまま続けます。",
    en="{command} failed ({reason}). The card stays as it was.",
)
_GONE = Text(
    ja="{card} がファイルにありません。前の内容のまま続けます。",
    en="{card} is no longer in the file. The card stays as it was.",
)
