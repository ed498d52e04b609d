"""What changed since a git revision: the cards whose content, or whose experiment, is another."""

from __future__ import annotations

import inspect
import subprocess
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from quiz.deck.card import Card
from quiz.deck.content import content_hash
from quiz.deck.load import parse
from quiz.deck.loaded import Loaded
from quiz.deck.problem import shown
from quiz.lint.claims import experiment
from verify.api import Text, UsageError
from verify.api.experiments import Experiment

_DEADLINE = 60  # seconds; git answers in milliseconds


def changed_cards(decks: Iterable[Loaded], revision: str) -> list[Card]:
    """The cards that are new or say something else than at the revision, in order.

    A card that moved between decks is new. Raises UsageError where the revision is unknown or a
    file lies outside a repository.
    """
    found: list[Card] = []
    for loaded in decks:
        if loaded.deck is None:
            continue
        commit = _commit(loaded.path.absolute().parent, revision)
        before = _hashes_at(loaded.path.absolute(), commit)
        found += [
            card
            for card in loaded.deck.cards
            if before.get(card.key) != content_hash(card) or _has_changed_experiment(card, commit)
        ]
    return found


def _hashes_at(path: Path, commit: str) -> dict[str, str]:
    """The content of every card of a file in a commit; none where the file wasn't there yet."""
    read = _git(path.parent, "cat-file", "blob", f"{commit}:./{path.name}")
    if read.returncode != 0:
        return {}
    deck = parse(read.stdout, path).deck
    return {} if deck is None else {card.key: content_hash(card) for card in deck.cards}


def _has_changed_experiment(card: Card, commit: str) -> bool:
    runs = card.proof.runs if card.proof else ()
    return any(_changed_experiment(run.experiment, commit) for run in runs)


@lru_cache(maxsize=1024)
def _changed_experiment(name: str, commit: str) -> bool:
    """Whether the experiment's file differs from the commit; not where it isn't in a repository.

    git leaves with 1 where it differs and with more where it knows neither file nor commit.
    """
    found = experiment(name)
    file = inspect.getsourcefile(found.run) if isinstance(found, Experiment) else None
    if file is None:
        return False
    path = Path(file)
    differs = _git(path.parent, "diff", "--quiet", commit, "--", f"./{path.name}")
    untracked = _git(path.parent, "ls-files", "--others", "--exclude-standard", f"./{path.name}")
    return differs.returncode == 1 or bool(untracked.stdout.strip())


def _commit(folder: Path, revision: str) -> str:
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    read = _git(folder, *asked)
    if read.returncode == 0:
        return read.stdout.decode("ascii", "replace").strip()
    if _git(folder, "rev-parse", "--git-dir").returncode != 0:
        raise UsageError(
            Text(
                ja=f"{shown(str(folder), 200)} は git のリポジトリにありません。",
                en=f"{shown(str(folder), 200)} is in no git repository.",
            ),
            Text(ja="--changed-since を外してください。", en="Leave out --changed-since."),
        )
    raise UsageError(
        Text(
            ja=f"git のリビジョン {shown(revision)} はありません。",
            en=f"git knows no revision {shown(revision)}.",
        ),
        Text(
            ja="浅い複製なら、先に git fetch で取得してください。",
            en="In a shallow clone, git fetch it first.",
        ),
    )


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command: Sequence[str] = ("git", "-C", str(folder), "--no-optional-locks", *arguments)
    try:
        return subprocess.run(
            command, capture_output=True, check=False, timeout=_DEADLINE, stdin=subprocess.DEVNULL
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise UsageError(
            Text(ja="git を実行できません。", en="git can't be run."),
            Text(
                ja="git をインストールするか、--changed-since を外してください。",
                en="Install git, or leave out --changed-since.",
            ),
        ) from error
