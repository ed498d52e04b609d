"""Cards that come after each other in a circle, so that none of them can be the first.

The circle may lead through other decks that are linted together.

Bad:

    - {id: one, kind: recall, after: [two], ask: Who?, answer: A}
    - {id: two, kind: recall, after: [one], ask: What?, answer: B}

Good:

    - {id: one, kind: recall, ask: Who?, answer: A}
    - {id: two, kind: recall, after: [one], ask: What?, answer: B}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from quiz.deck.problem import Problem
from quiz.lint.rule import Context
from verify.api import Text

id = "circular-prerequisites"

_SHOWN = 6  # cards of a circle that a message names


def check(context: Context) -> Iterator[Problem]:
    own = {card.key: card for card in context.cards if card.after}
    told: set[frozenset[str]] = set()
    for circle in _circles(own, context.after):
        if frozenset(circle) in told or len(circle) == 1:
            continue  # a card after itself has no such prerequisite at all
        told.add(frozenset(circle))
        first = next((key for key in own if key in circle), None)
        if first is None:
            continue
        at = circle.index(first)
        turned = [*circle[at:], *circle[:at], first]
        listed = " → ".join([*turned[:_SHOWN], "…"] if len(turned) > _SHOWN else turned)
        yield context.problem(
            id,
            own[first],
            ("after", own[first].after.index(turned[1])),
            Text(
                ja=f"先に学ぶカードが一周しています: {listed}",
                en=f"The prerequisites form a circle: {listed}",
            ),
            Text(ja="どれか一つの after を消してください。", en="Delete one of these after."),
        )


def _circles(
    starts: Mapping[str, object], after: Mapping[str, tuple[str, ...]]
) -> Iterator[list[str]]:
    """The circle behind every edge that leads back to a card on the way. Without recursion."""
    done: set[str] = set()
    for start in starts:
        if start in done:
            continue
        way, on_way = [start], {start: 0}
        pending = [iter(after.get(start, ()))]
        while pending:
            following = next(pending[-1], None)
            if following is None:
                pending.pop()
                last = way.pop()
                del on_way[last]
                done.add(last)
            elif following in on_way:
                yield way[on_way[following] :]
            elif following not in done:
                on_way[following] = len(way)
                way.append(following)
                pending.append(iter(after.get(following, ())))
