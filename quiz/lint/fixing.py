"""`--fix`: mend by edits of the text, so that comments and everything else stay as they are.

An edit is taken only where the deck says the same afterwards: every card that could be read before
has the same content. What is left after a round is looked at again, until nothing more can be
mended, so that fixing twice is fixing once.
"""

from __future__ import annotations

import difflib
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from quiz.deck.content import content_hash
from quiz.deck.load import parse
from quiz.deck.problem import Edit, Problem
from quiz.deck.source import Source

MOST_ROUNDS = 20
_MARK = "\ufeff"

Find = Callable[[str], Sequence[Problem]]
"""The problems of a text, those that a comment or the settings allow left out."""


def fixed(text: str, find: Find) -> str:
    """The text with all mended that can be. Idempotent."""
    for _ in range(MOST_ROUNDS):
        groups = [problem.fixes for problem in find(text) if problem.fixes]
        after = _apply(text, _apart(edit for group in groups for edit in group))
        if not _says_the_same(text, after):
            after = text
            for group in groups:  # each alone, to leave out the one that does harm
                candidate = _apply(text, _apart(group))
                if candidate != text and _says_the_same(text, candidate):
                    after = candidate
                    break
        if after == text:
            break
        text = after
    return text


def _apart(edits: Iterable[Edit]) -> list[Edit]:
    """Those that don't overlap an earlier one, in order."""
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    return kept


def _apply(text: str, edits: Sequence[Edit]) -> str:
    pieces: list[str] = []
    end = 0
    for edit in edits:
        pieces += [text[end : edit.start], edit.text]
        end = edit.end
    return "".join([*pieces, text[end:]])


def _says_the_same(before: str, after: str) -> bool:
    """Whether every card of the one stands with the same content in the other."""
    if before == after:
        return True
    one, other = (parse(text.encode(), Path()) for text in (before, after))
    if one.deck is None:
        return len(other.problems) < len(one.problems) or other.deck is not None
    if other.deck is None or len(other.problems) > len(one.problems):
        return False
    kept = {card.key: content_hash(card) for card in other.deck.cards}
    if one.deck.id != other.deck.id or one.deck.title != other.deck.title:
        return False
    return all(kept.get(card.key) == content_hash(card) for card in one.deck.cards)


def difference(before: str, after: str, name: str) -> str:
    """What changes, as a unified diff."""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), name, name
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def rewrite(path: Path, source: Source, text: str) -> None:
    """Put the text in the place of the file at once, or not at all. Raises OSError.

    A link stays a link, the mode stays, and so does a byte-order mark.
    """
    target = path.resolve(strict=True)
    data = target.read_bytes()
    mark = _MARK if data.startswith(_MARK.encode()) else ""
    if data.decode() != mark + source.text:
        raise OSError(None, "changed meanwhile")
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write((mark + text).encode())
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, target.stat().st_mode & 0o7777)  # noqa: PTH101 # a name, not a path
        os.replace(name, target)  # noqa: PTH105
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
