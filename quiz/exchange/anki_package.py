"""Our cards as an Anki package: a zip with a collection of schema 11, which every Anki reads.

The GUID of a note rests on deck/card alone and the note type's id never changes, so that Anki
takes a second export as an update: texts change, the learner's history stays.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from quiz.exchange.material import short_hash
from quiz.exchange.sides import Sides

NOTE_TYPE = 1_735_689_600_000  # its id, for ever
FIELDS = (
    "Card", "Question", "Choices", "Answer", "Explanation", "Evidence", "Source",
)  # fmt: skip
_FIRST_DECK = 1_735_700_000_000  # ids of decks are above this one
_DAY = 86_400

_FRONT = '<div class="question">{{Question}}</div>{{Choices}}'
_BACK = """{{FrontSide}}
<hr id=answer>
<div class="answer">{{Answer}}</div>
{{#Explanation}}<div class="explanation">{{Explanation}}</div>{{/Explanation}}
{{Evidence}}
{{#Source}}<div class="source">{{Source}}</div>{{/Source}}"""
_STYLE = """.card { font-family: sans-serif; font-size: 20px; max-width: 42em; margin: 1em auto; }
.choices { list-style: none; padding: 0; }
.explanation { margin-top: 1em; }
.evidence { margin-top: 1em; border-collapse: collapse; font-size: 0.8em; }
.evidence caption { text-align: left; }
.evidence th, .evidence td { text-align: left; padding: 0.2em 0.6em; border-top: 1px solid #8886; }
.source { margin-top: 1em; font-size: 0.7em; opacity: 0.7; }
"""

# The tables as Anki has had them since 2013; the order of columns is part of the format.
_SCHEMA = """
CREATE TABLE col (id integer primary key, crt integer not null, mod integer not null,
  scm integer not null, ver integer not null, dty integer not null, usn integer not null,
  ls integer not null, conf text not null, models text not null, decks text not null,
  dconf text not null, tags text not null);
CREATE TABLE notes (id integer primary key, guid text not null, mid integer not null,
  mod integer not null, usn integer not null, tags text not null, flds text not null,
  sfld integer not null, csum integer not null, flags integer not null, data text not null);
CREATE TABLE cards (id integer primary key, nid integer not null, did integer not null,
  ord integer not null, mod integer not null, usn integer not null, type integer not null,
  queue integer not null, due integer not null, ivl integer not null, factor integer not null,
  reps integer not null, lapses integer not null, left integer not null, odue integer not null,
  odid integer not null, flags integer not null, data text not null);
CREATE TABLE revlog (id integer primary key, cid integer not null, usn integer not null,
  ease integer not null, ivl integer not null, lastIvl integer not null, factor integer not null,
  time integer not null, type integer not null);
CREATE TABLE graves (usn integer not null, oid integer not null, type integer not null);
CREATE INDEX ix_notes_usn on notes (usn);
CREATE INDEX ix_cards_usn on cards (usn);
CREATE INDEX ix_revlog_usn on revlog (usn);
CREATE INDEX ix_cards_nid on cards (nid);
CREATE INDEX ix_cards_sched on cards (did, queue, due);
CREATE INDEX ix_revlog_cid on revlog (cid);
CREATE INDEX ix_notes_csum on notes (csum);
"""


def guid(key: str) -> str:
    """The GUID of the note of a card, from its deck/card."""
    return short_hash("proofdeck", key, digits=20)


def write(path: Path, decks: Mapping[str, tuple[str, Sequence[Sides]]], seconds: int) -> None:
    """Write a package to `path`. `decks` gives the title and the cards of each deck by its id.

    `seconds` is the time of the export (epoch): Anki updates a note whose own is older.
    """
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript(_SCHEMA)
        _fill(connection, decks, seconds)
        data = connection.serialize()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("collection.anki2"), data, zipfile.ZIP_DEFLATED)
        archive.writestr(zipfile.ZipInfo("media"), "{}")


def _fill(
    connection: sqlite3.Connection,
    decks: Mapping[str, tuple[str, Sequence[Sides]]],
    seconds: int,
) -> None:
    described = {"1": _deck(1, "Default", seconds)}
    number = 0
    for deck, (title, cards) in decks.items():
        home = _FIRST_DECK + int(short_hash("deck", deck, digits=9), 16)
        described[str(home)] = _deck(home, f"proofdeck::{title.replace('::', ': ')}", seconds)
        for card in cards:
            number += 1
            key = seconds * 1000 + number
            connection.execute(
                "INSERT INTO notes VALUES (?, ?, ?, ?, -1, ?, ?, ?, ?, 0, '')",
                (
                    key, guid(card.key), NOTE_TYPE, seconds, f" {' '.join(card.tags)} ",
                    "\x1f".join(_fields(card)), card.key, _checksum(card.key),
                ),
            )  # fmt: skip
            connection.execute(
                "INSERT INTO cards VALUES (?, ?, ?, 0, ?, -1, 0, 0, ?, 0, 0, 0, 0, 0, 0, 0, 0, '')",
                (key, key, home, seconds, number),
            )
    created = seconds - seconds % _DAY
    connection.execute(
        "INSERT INTO col VALUES (1, ?, ?, ?, 11, 0, 0, 0, ?, ?, ?, ?, '{}')",
        (
            created,
            seconds * 1000,
            seconds * 1000,
            json.dumps({"curDeck": 1, "activeDecks": [1], "nextPos": number + 1, "schedVer": 2}),
            json.dumps({str(NOTE_TYPE): _note_type(seconds)}, ensure_ascii=False),
            json.dumps(described, ensure_ascii=False),
            json.dumps({"1": _OPTIONS}),
        ),
    )


def _fields(card: Sides) -> tuple[str, ...]:
    made = (
        card.key, card.question, card.choices, card.answer, card.explanation, card.evidence,
        card.source,
    )  # fmt: skip
    return tuple(text.replace("\x1f", "") for text in made)


def _checksum(text: str) -> int:
    """What Anki finds duplicates by: the first eight hex digits of SHA-1 over the first field."""
    return int(hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()[:8], 16)


def _note_type(seconds: int) -> dict[str, Any]:
    return {
        "id": NOTE_TYPE,
        "name": "proofdeck",
        "type": 0,
        "mod": seconds,
        "usn": -1,
        "sortf": 0,
        "did": None,
        "tags": [],
        "vers": [],
        "css": _STYLE,
        "latexPre": "\\documentclass[12pt]{article}\n\\begin{document}\n",
        "latexPost": "\\end{document}",
        "req": [[0, "any", [1, 2]]],
        "flds": [
            {"name": name, "ord": number, "sticky": False, "rtl": False, "font": "Arial",
             "size": 20, "media": []}
            for number, name in enumerate(FIELDS)
        ],
        "tmpls": [
            {"name": "Card", "ord": 0, "qfmt": _FRONT, "afmt": _BACK, "bqfmt": "", "bafmt": "",
             "did": None},
        ],
    }  # fmt: skip


def _deck(key: int, name: str, seconds: int) -> dict[str, Any]:
    return {
        "id": key, "name": name, "mod": seconds, "usn": -1, "desc": "", "dyn": 0, "conf": 1,
        "collapsed": False, "browserCollapsed": False, "extendNew": 0, "extendRev": 0,
        "newToday": [0, 0], "revToday": [0, 0], "lrnToday": [0, 0], "timeToday": [0, 0],
    }  # fmt: skip


_OPTIONS = {
    "id": 1, "name": "Default", "mod": 0, "usn": 0, "maxTaken": 60, "autoplay": True, "timer": 0,
    "replayq": True, "dyn": False,
    "new": {"bury": False, "delays": [1.0, 10.0], "initialFactor": 2500, "ints": [1, 4, 0],
            "order": 1, "perDay": 20},
    "rev": {"bury": False, "ease4": 1.3, "ivlFct": 1.0, "maxIvl": 36500, "perDay": 200,
            "hardFactor": 1.2},
    "lapse": {"delays": [10.0], "leechAction": 1, "leechFails": 8, "minInt": 1, "mult": 0.0},
}  # fmt: skip
