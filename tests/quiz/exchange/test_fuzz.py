"""Mutated packages: read or refused, never more than 2 s of the processor or 500 MB each."""

from __future__ import annotations

import io
import resource
import sqlite3
import time
import zipfile
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quiz.deck.load import parse
from quiz.exchange import reading
from quiz.exchange.writing import place
from verify.api import UsageError

SECONDS, MEGABYTES = 2.0, 500
EDIT = st.tuples(st.floats(0, 1), st.binary(min_size=1, max_size=8))
CELL = st.one_of(
    st.none(), st.integers(-(2**63), 2**63 - 1), st.floats(), st.text(max_size=50),
    st.binary(max_size=50),
    st.sampled_from(["{{c1::", "}}", "<", "\\(", "[latex]", "\x1f", "\x1b", "\u202e", "$", "{"]),
)  # fmt: skip
COLUMN = st.sampled_from([
    "notes.guid", "notes.mid", "notes.tags", "notes.flds", "cards.nid", "cards.did", "cards.ord",
    "cards.mod", "cards.type", "cards.queue", "cards.due", "cards.odue", "cards.odid",
    "cards.flags", "revlog.cid", "revlog.ease", "revlog.ivl", "revlog.time", "revlog.type",
    "revlog.id", "col.crt", "col.ver", "col.conf", "col.models", "col.decks",
])  # fmt: skip
MEMBER = st.sampled_from(["meta", "media", "collection.anki2", "collection.anki21b", "0", "../x"])


@st.composite
def mutations(draw):
    """What to do to a package, from the outside in."""
    return {
        "cells": draw(st.lists(st.tuples(COLUMN, CELL, st.booleans()), max_size=3)),
        "json": draw(st.lists(EDIT, max_size=2)),
        "database": draw(st.lists(EDIT, max_size=3)),
        "members": draw(
            st.lists(st.tuples(MEMBER, st.none() | st.binary(max_size=40)), max_size=2)
        ),
        "compressed": draw(st.booleans()),
        "file": draw(st.lists(EDIT, max_size=3)),
        "length": draw(st.sampled_from([1.0, 1.0, 1.0]) | st.floats(0, 1)),
        "new": draw(st.booleans()),
    }


def edited(data: bytes, edits) -> bytes:
    out = bytearray(data)
    for share, piece in edits:
        at = int(share * len(out))
        out[at : at + len(piece)] = piece
    return bytes(out)


def mutated(files: dict[str, bytes], plan) -> bytes:
    """A package of the old or the new kind with all of it done."""
    import zstandard

    name = "collection.anki21b" if plan["new"] else "collection.anki2"
    made = dict(files)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.deserialize(made.pop("collection.anki2"))
        for column, value, every in plan["cells"]:
            table, field = column.split(".")
            some = "" if every else f" WHERE id = (SELECT max(id) FROM {table})"
            try:
                connection.execute(f"UPDATE OR IGNORE {table} SET {field} = ?{some}", (value,))
            except sqlite3.IntegrityError:
                continue
        for share, piece in plan["json"]:
            text = connection.execute("SELECT models FROM col").fetchone()[0]
            changed = edited(str(text).encode(), [(share, piece)]).decode("utf-8", "replace")
            connection.execute("UPDATE col SET models = ?", (changed,))
        data = edited(connection.serialize(), plan["database"])
    if plan["new"]:
        made["meta"] = b"\x08\x03"
        made["media"] = zstandard.compress(b"")
        data = zstandard.compress(data)
    made[name] = data
    for member, content in plan["members"]:
        if content is None:
            made.pop(member, None)
        else:
            made[member] = content
    out = io.BytesIO()
    kind = zipfile.ZIP_DEFLATED if plan["compressed"] else zipfile.ZIP_STORED
    with zipfile.ZipFile(out, "w", kind) as archive:
        for member, content in made.items():
            archive.writestr(member, content)
    whole = edited(out.getvalue(), plan["file"])
    return whole[: int(plan["length"] * len(whole))]


def peak() -> float:
    """The most memory that this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.parametrize("package", ["numerical", "linear"])
@pytest.mark.parametrize("count", [40, pytest.param(1000, marks=pytest.mark.soak)])
def test_a_mutated_package(package, count, request, members, tmp_path):
    files = members(request.getfixturevalue(package))
    path, worst = tmp_path / "mutated.apkg", 0.0
    outcomes = {"read": 0, "refused": 0}
    before = peak()

    @settings(
        max_examples=count, deadline=None, database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )  # fmt: skip
    @given(mutations())
    def attempt(plan):
        nonlocal worst
        path.write_bytes(mutated(files, plan))
        began = time.process_time()
        try:
            material = reading.read(path, None)
            placed = place(material.cards, [], [], tmp_path, path.name)
            outcomes["read"] += 1
        except UsageError:
            outcomes["refused"] += 1
        else:
            for change in placed.changes:
                assert not parse(change.text.encode(), change.path).problems
        worst = max(worst, time.process_time() - began)

    attempt()
    assert worst < SECONDS
    assert peak() - before < MEGABYTES
    assert all(outcomes.values())
    assert sorted(tmp_path.iterdir()) == [path]
