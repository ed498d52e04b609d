"""Cards of the log that no deck has any more, and giving their history to the cards they became."""

from __future__ import annotations

from collections.abc import Container, Mapping
from difflib import get_close_matches

from quiz.memory.states import LogState
from verify.api import Text, UnknownName, UsageError, verbatim


def orphans(state: LogState, cards: Container[str]) -> Mapping[str, int]:
    """Names in the log that are none of `cards`, with the number of their answers."""
    return {name: of.answers for name, of in sorted(state.cards.items()) if name not in cards}


def reattachments(
    old: str, new: str, state: LogState, cards: Mapping[str, object]
) -> list[tuple[str, str]]:
    """Whose history goes to which card, for two names of cards or two of decks.

    Of decks, each lost card goes to the one of the same id. Raises UnknownName or UsageError
    where nothing, or something still in use, would move.
    """
    if "/" in old or "/" in new:
        pairs = [(old, new)]
    else:
        lost = [name for name in _in_log(state) if name.startswith(old + "/") and name not in cards]
        pairs = [(name, moved) for name in lost if (moved := new + name.removeprefix(old)) in cards]
        if not pairs:
            raise UsageError(
                Text(
                    ja=f"{old} から {new} へ移せる記録がありません。",
                    en=f"No history of {old} fits a card of {new}.",
                ),
                _SEE,
            )
    names = _in_log(state)
    known = set(names)
    for before, after in pairs:
        _check(before, after, cards)
        if before not in known:
            ja, en = "{name} の記録はありません。", "There is no history of {name}."
            raise _unknown(before, ja, en, names)
    return pairs


_SEE = Text(
    ja="quiz doctor で、行き先のない記録の一覧を見られます。",
    en="quiz doctor lists the history that has no card.",
)


def _check(old: str, new: str, cards: Mapping[str, object]) -> None:
    if new not in cards:
        raise _unknown(new, "カード {name} はありません。", "There is no card {name}.", [*cards])
    if old in cards:
        raise UsageError(
            Text(
                ja=f"{old} は今もデッキにあるので、記録を移せません。",
                en=f"{old} is still in a deck, so its history stays with it.",
            ),
            _SEE,
        )


def _in_log(state: LogState) -> list[str]:
    """Every name that rows bear, those reattached before included: the latest word counts."""
    return sorted(state.cards.keys() | state.renamed.keys())


def _unknown(name: str, ja: str, en: str, known: list[str]) -> UnknownName:
    near = get_close_matches(name[:200], known, n=3, cutoff=0.5)
    return UnknownName(
        Text(ja=ja, en=en).fill(name=name[:80]),
        verbatim(", ".join(near)) if near else _SEE,
    )
