"""Imported cards as deck files: a new file, or cards added to the one that holds their siblings.

What an author has written is never lost: a card that is there stays as it is unless its
replacement was asked for, and one that was given a proof stays in any case.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quiz.deck.card import Card, Deck
from quiz.deck.load import parse
from quiz.deck.loaded import Loaded
from quiz.exchange.html_text import Seen, visible
from quiz.exchange.material import Found, slug
from verify.api import Text, UsageError, cut, printable

_COMMENT = "# {name}: imported. No card here is proven until someone writes its proof.\n"
_LINE = 300  # characters of a name, a topic or a source


@dataclass(frozen=True)
class DeckChange:
    """One deck file as it is to be. Counts are of cards."""

    path: Path
    deck: str  # its id
    text: str
    is_new: bool
    added: int
    same: int  # there already
    replaced: int
    differing: tuple[str, ...]  # there already with another text, and left so
    changed: bool  # whether the file has to be written


@dataclass(frozen=True)
class Placed:
    """Where everything goes. `keys` gives the deck/card of each id."""

    changes: tuple[DeckChange, ...]
    keys: Mapping[str, str]


def place(
    cards: Sequence[Found],
    own: Sequence[Loaded],
    taken: Iterable[str],
    folder: Path,
    name: str,
    *,
    replace: bool = False,
) -> Placed:
    """Decide where the cards of the file `name` go. Nothing is written.

    `own` are the learner's decks, `taken` the ids of all known ones. A card whose id one of them
    holds belongs there; others go to the deck with most cards of their group, else to a new one.
    Raises UsageError where a file to be changed has problems of its own.
    """
    holders = {
        card: loaded for loaded in own if loaded.deck is not None for card in loaded.declared
    }
    groups: dict[str, list[Found]] = {}
    for card in cards:
        groups.setdefault(card.group, []).append(card)
    used = set(taken)
    plans: dict[Path, list[Found]] = {}
    fresh: list[DeckChange] = []
    keys: dict[str, str] = {}
    by_path = {loaded.path: loaded for loaded in own}
    for group, members in groups.items():
        homes = Counter(holders[card.id].path for card in members if card.id in holders)
        home = homes.most_common(1)[0][0] if homes else None
        rest: list[Found] = []
        for card in members:
            target = holders[card.id].path if card.id in holders else home
            if target is None:
                rest.append(card)
                continue
            plans.setdefault(target, []).append(card)
            keys[card.id] = f"{_deck(by_path[target]).id}/{card.id}"
        if rest:
            made = _new(group, rest, used, folder, name)
            used.add(made.deck)
            fresh.append(made)
            keys |= {card.id: f"{made.deck}/{card.id}" for card in rest}
    changed = [_extend(by_path[path], found, replace) for path, found in plans.items()]
    return Placed((*changed, *fresh), keys)


def card_yaml(card: Found, indent: str = "  ") -> str:
    """A card as an item of a block list."""
    lines = [f"{indent}- id: {card.id}", f"{indent}  kind: recall"]
    for key, value in (
        ("topic", _short(card.topic)),
        ("source", _short(card.source)),
        ("idea", card.idea),
        ("ask", card.ask),
        ("hint", card.hint),
        ("answer", card.answer),
        ("explain", card.explain),
    ):
        if value:
            lines.append(f"{indent}  {key}: {scalar(value, indent + '    ')}")
    return "\n".join(lines) + "\n"


def scalar(text: str, indent: str) -> str:
    """A text as YAML: in single quotes, or as a block where it has lines. Nothing is escaped, so
    that LaTeX stays as it is."""
    if "\n" not in text:
        return "'" + text.replace("'", "''") + "'"
    return "|-\n" + "\n".join(f"{indent}{line}" if line else "" for line in text.split("\n"))


def _new(group: str, cards: Sequence[Found], used: set[str], folder: Path, name: str) -> DeckChange:
    wanted = slug(group, "deck")
    names = (wanted, *(f"{wanted}-{number}" for number in range(2, 1000)))
    paths = ((one, folder / f"{one}.yaml") for one in names)
    deck, path = next((d, p) for d, p in paths if d not in used and not p.exists())
    text = (
        _COMMENT.format(name=_short(name))
        + f"deck: {deck}\ntitle: {scalar(_short(group) or deck, '  ')}\ncards:\n"
        + "".join(map(card_yaml, cards))
    )
    _check(text, path, {card.id: card for card in cards}, [card.id for card in cards])
    return DeckChange(path, deck, text, True, len(cards), 0, 0, (), True)


def _extend(loaded: Loaded, cards: Sequence[Found], replace: bool) -> DeckChange:
    deck = _deck(loaded)
    if loaded.problems:
        raise _unsound(loaded.path)
    there = {card.id: card for card in deck.cards}
    added = [card for card in cards if card.id not in there]
    other = [card for card in cards if card.id in there and not _equal(there[card.id], card)]
    replaced = [card for card in other if replace and there[card.id].proof is None]
    text = loaded.source.text
    for card in replaced:
        text = _replace(text, card, loaded.path)
    if added:
        indent = _indent(text, deck.cards[-1].id, loaded.path)
        text = text.rstrip("\n") + "\n" + "".join(card_yaml(card, indent) for card in added)
    if added or replaced:
        ids = [*(card.id for card in deck.cards), *(card.id for card in added)]
        _check(text, loaded.path, {card.id: card for card in (*added, *replaced)}, ids)
    return DeckChange(
        loaded.path,
        deck.id,
        text,
        False,
        len(added),
        len(cards) - len(added) - len(other),
        len(replaced),
        tuple(card.id for card in other if card not in replaced),
        bool(added or replaced),
    )


def _deck(loaded: Loaded) -> Deck:
    if loaded.deck is None:
        raise _unsound(loaded.path)
    return loaded.deck


def _equal(card: Card, found: Found) -> bool:
    """Whether a card of a deck says what the imported one says."""

    def says(text: Text | None, wanted: str | None) -> bool:
        return (None if text is None else text.pick("ja")) == (wanted or None)

    return (
        says(card.ask, found.ask)
        and says(card.answer, found.answer)
        and says(card.explain, found.explain)
        and says(card.hint, found.hint)
    )


def _item(card: str) -> re.Pattern[str]:
    return re.compile(rf"^([ ]*)- id: [\"']?{re.escape(card)}[\"']?[ ]*\n", re.MULTILINE)


def _indent(text: str, card: str, path: Path) -> str:
    match = _item(card).search(text)
    if match is None:
        raise _by_hand(path)
    return match[1]


def _replace(text: str, card: Found, path: Path) -> str:
    """The text with one card written anew, up to the next item or whatever stands further out."""
    match = _item(card.id).search(text)
    if match is None:
        raise _by_hand(path)
    end = re.compile(rf"^(?![ ]{{{len(match[1]) + 1}}}|\n)", re.MULTILINE).search(text, match.end())
    rest = text[end.start() :] if end is not None else ""
    return text[: match.start()] + card_yaml(card, match[1]) + rest


def _check(text: str, path: Path, meant: Mapping[str, Found], ids: Sequence[str]) -> None:
    """Read a file as it would be: nothing is written that doesn't say what was meant."""
    loaded = parse(text.encode(), path)
    if loaded.problems or loaded.deck is None:
        message = loaded.problems[0].message if loaded.problems else Text(en="?")
        raise _by_hand(path, message)
    found = {card.id: card for card in loaded.deck.cards}
    if list(found) != list(ids) or not all(_equal(found[i], card) for i, card in meant.items()):
        raise _by_hand(path)


def _short(text: str | None) -> str:
    """One line that can stand in a deck."""
    return " ".join(visible(text or "", Seen()).split())[:_LINE].strip()


def _unsound(path: Path) -> UsageError:
    shown = cut(printable(str(path)), 120)
    return UsageError(
        Text(
            ja=f"{shown} に誤りがあるので、カードを加えられません。何も取り込んでいません。",
            en=f"{shown} has problems, so no card can be added to it; nothing was imported.",
        ),
        Text(ja="quiz lint で直してください。", en="Mend it with quiz lint."),
    )


def _by_hand(path: Path, why: Text | None = None) -> UsageError:
    shown = cut(printable(str(path)), 120)
    because = (
        Text(ja=f"({why.pick('ja')})", en=f" ({why.pick('en')})") if why else Text(ja="", en="")
    )
    return UsageError(
        Text(
            ja=f"{shown} にカードを書き込めません{because.ja}。何も取り込んでいません。",
            en=f"the cards can't be written into {shown}{because.en}; nothing was imported.",
        ),
        Text(
            ja="そのファイルを decks フォルダーの外へ移すと、新しいファイルに取り込みます。",
            en="Move that file out of the folder decks to import into a new one.",
        )
        if path.exists()
        else None,
    )
