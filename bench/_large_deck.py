"""A deck of ten thousand cards, about 9 MB, made of the shipped ones; or several of them."""

from __future__ import annotations

import re
from pathlib import Path

from quiz.deck.library import shipped_decks

MOST = 10_000  # cards of one file; a file has at most 16 MiB
_HEAD = "deck: {}\ntitle: {{ja: 大きなデッキ, en: A large deck}}\ncards:\n"
_LEFT_OUT = re.compile(r"^( +)(?:why|explain|hint|after|idea):.*\n(?:\1[ -]+.*\n)*", re.MULTILINE)
_BYTES_EACH = 900


def write_several(folder: Path, cards: int) -> None:
    """As many files as it takes, each a deck of its own."""
    for number in range(-(-cards // MOST)):
        size = min(MOST, cards - number * MOST)
        path = folder / f"large-{number}.yaml"
        path.write_text(text(size, name=path.stem), encoding="utf-8")


def write(path: Path, cards: int, *, distinct: bool = False) -> None:
    """`distinct` gives nearly every claim a tolerance of its own, so that no two are the same."""
    path.write_text(text(cards, distinct=distinct), encoding="utf-8")


def text(cards: int, *, distinct: bool = False, name: str = "large") -> str:
    """The shortest cards in turn, each with an id and a question of its own."""
    bodies = _bodies()
    numbered = (_numbered(bodies[i % len(bodies)], i, distinct) for i in range(cards))
    return _HEAD.format(name) + "".join(numbered)


def _bodies() -> list[str]:
    found: list[str] = []
    for file in sorted(shipped_decks().glob("*.yaml")):
        whole = file.read_text(encoding="utf-8")
        found += [_LEFT_OUT.sub("", each) for each in re.split(r"^(?=  - id: )", whole, flags=re.M)]
    cards = sorted((each.rstrip() + "\n" for each in found if each.startswith("  - id: ")), key=len)
    while sum(len(card.encode()) for card in cards) > _BYTES_EACH * len(cards):
        cards.pop()
    return cards


def _numbered(card: str, number: int, distinct: bool) -> str:
    card = re.sub(r"^  - id: .*", f"  - id: card-{number}", card)
    head, ask, rest = card.partition("    ask:\n")
    asked = re.sub(r"^(      (?:ja|en): ['\"]?)", rf"\g<1>{number} · ", rest, count=2, flags=re.M)
    card = head + ask + asked
    if distinct:
        card = re.sub(r"± (\d)(?:\.\d+)?%", rf"± \1.{number:05d}%", card)
    return card
