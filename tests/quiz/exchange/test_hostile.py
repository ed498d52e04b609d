"""Packages that were made to do harm: refused in a line, and nothing is written."""

import io
import json
import os
import sqlite3
import struct
import time
import zipfile
import zlib
from contextlib import closing

import pytest

from quiz.deck.problem import CONTROL
from quiz.exchange import package, reading
from quiz.exchange.importing import import_file
from verify.api import UsageError


@pytest.fixture
def refused(tmp_path, home, now):
    """Import the bytes; say how they were refused."""

    def attempt(data: bytes, name: str = "bad.apkg") -> str:
        path = tmp_path / name
        path.write_bytes(data)
        before = sorted(tmp_path.rglob("*"))
        began = time.process_time()
        with pytest.raises(UsageError) as caught:
            import_file(path, home, now)
        assert time.process_time() - began < 2
        assert sorted(tmp_path.rglob("*")) == before
        assert caught.value.exit_code == 2
        return caught.value.render("en")

    return attempt


@pytest.fixture
def files(numerical, members):
    return members(numerical)


@pytest.mark.parametrize(
    "name",
    ["../evil", "/etc/evil", "a/../../evil", "..\\evil", "C:\\evil", "C:evil", "\\\\host\\evil"],
)
def test_names_that_lead_out(refused, files, zipped, name):
    assert "lead out of their folder" in refused(zipped({**files, name: b"x"}))


@pytest.mark.parametrize("name", ["../evil.jpg", "/etc/passwd", "a/b.jpg", "..", ""])
def test_media_names_that_lead_out(refused, files, zipped, name):
    media = json.dumps({"0": name}).encode()
    assert "lead out of their folder" in refused(zipped({**files, "media": media}))


def test_a_package_of_zeros_is_not_unpacked(refused):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("collection.anki2", "w", force_zip64=False) as member:
            for _ in range(200):
                member.write(bytes(2**20))
        archive.writestr("media", "{}")
    assert "too large" in refused(out.getvalue())


def test_a_declared_size_that_is_a_lie(refused, files, zipped, monkeypatch):
    """The table of contents says 1,000 bytes, the data has more."""
    monkeypatch.setattr(package, "LARGEST_COLLECTION", 10_000)
    data = bytearray(zipped(files))
    size = len(files["collection.anki2"])
    at = 0
    while (at := data.find(struct.pack("<L", size), at)) >= 0:
        data[at : at + 4] = struct.pack("<L", 1000)
    refused(bytes(data))


def test_a_zstandard_bomb(refused):
    zstandard = pytest.importorskip("zstandard")
    bomb = zstandard.ZstdCompressor(level=19).compress(bytes(200 * 2**20))
    assert len(bomb) < 100_000
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("meta", b"\x08\x03")
        archive.writestr("collection.anki21b", bomb)
    assert "too large" in refused(out.getvalue())


def test_a_table_of_contents_without_end(refused):
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 65535, 65535, 2**31, 0, 0)
    assert "too large" in refused(b"PK\x03\x04" + bytes(100) + end)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_cut_short(refused, numerical, share):
    data = numerical.read_bytes()
    refused(data[: int(len(data) * share)])


@pytest.mark.parametrize("data", [b"", b"PK", b"not a zip", b"\x1f\x8b\x08\0" + bytes(50), b"{}"])
def test_no_zip(refused, data):
    assert "nothing was imported" in refused(data)


def test_a_zip_within_a_zip(refused, files, zipped):
    refused(zipped({"inner.apkg": zipped(files)}))
    refused(zipped({"collection.anki2": zipped(files), "media": b"{}"}))


def test_encrypted(refused, numerical):
    data = bytearray(numerical.read_bytes())
    at = data.find(b"PK\x01\x02")
    while at >= 0:  # the flag of every entry of the table of contents
        data[at + 8] |= 1
        at = data.find(b"PK\x01\x02", at + 1)
    assert "damaged" in refused(bytes(data))


def test_two_members_of_one_name(refused, files, zipped):
    out = io.BytesIO(zipped(files))
    with (
        pytest.warns(UserWarning, match="Duplicate"),
        zipfile.ZipFile(out, "a") as archive,
    ):
        archive.writestr("collection.anki2", b"other")
    refused(out.getvalue())


def test_a_newer_format(refused, files, zipped):
    assert "newer Anki" in refused(zipped({**files, "meta": b"\x08\x09"}))


def test_the_stand_in_of_a_new_package(refused, files, zipped):
    """A package that says it is new but lacks its collection; the old file is only a stand-in."""
    assert "no Anki package" in refused(zipped({**files, "meta": b"\x08\x03"}))


@pytest.mark.parametrize(
    "statements",
    [
        ["DROP TABLE notes", "CREATE VIEW notes AS SELECT 1 AS id"],
        [
            "CREATE TRIGGER harm AFTER INSERT ON notes BEGIN SELECT 1; END",
        ],
        ["CREATE VIRTUAL TABLE search USING fts5(text)"],
        [
            "DROP TABLE revlog",
            "CREATE VIEW revlog AS WITH RECURSIVE r(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM r"
            ") SELECT id, 1 AS cid, 1 AS ease, 1 AS ivl, 1 AS factor, 1 AS time, 1 AS type FROM r",
        ],
        ["DROP TABLE cards"],
        ["UPDATE notes SET flds = x'00ff'"],
        ["UPDATE notes SET guid = NULL WHERE 0", "ALTER TABLE notes DROP COLUMN tags"],
        ["UPDATE col SET models = 'x'"],
        ["UPDATE col SET models = '[]'"],
        ["UPDATE col SET decks = '{\"a\": {}}'"],
        ["UPDATE col SET conf = '[1]'"],
        ["UPDATE col SET models = '" + "[" * 100_000 + "'"],
        ["UPDATE cards SET due = 1.5"],
        ["UPDATE cards SET ord = 'x'"],
        ["DELETE FROM col"],
        ["DELETE FROM cards"],
        ["UPDATE cards SET nid = 1"],
        ["UPDATE notes SET mid = 1"],
        ["UPDATE notes SET flds = ''"],
    ],
)
def test_a_hostile_database(refused, changed, numerical, statements):
    refused(changed(numerical, *statements, name="made.apkg").read_bytes())


def test_a_damaged_page(refused, files, zipped):
    data = bytearray(files["collection.anki2"])
    data[4096:8192] = os.urandom(4096)
    refused(zipped({**files, "collection.anki2": bytes(data)}))


def test_not_a_database(refused, files, zipped):
    refused(zipped({**files, "collection.anki2": b"SQLite format 3\0" + bytes(100)}))
    refused(zipped({**files, "collection.anki2": b"text"}))


def test_impossible_days_are_left_out(changed, numerical, home, now):
    path = changed(
        numerical,
        "UPDATE cards SET due = 9223372036854775807, mod = -9223372036854775808",
        "UPDATE revlog SET id = id + 9000000000000000000 WHERE id % 2",
        "UPDATE revlog SET ivl = 9223372036854775807, time = -5",
    )
    done = import_file(path, home, now)
    assert len(done.material.answers) < 22
    assert any("impossible date" in text.pick("en") for text in done.material.left)
    assert all(answer.seconds == 0 for answer in done.material.answers)


def test_what_steers_a_terminal_is_written_out(changed, numerical, home, now):
    path = changed(
        numerical,
        "UPDATE notes SET flds = char(27) || '[2J' || char(8238) || 'x' || char(31) || char(7) ||"
        " 'y', tags = ' ' || char(27) || 'tag ', guid = guid || char(27) || char(10)",
        "UPDATE col SET decks = replace(decks, 'Numerical', '\\u001b\\u202eNumerical')",
    )
    done = import_file(path, home, now)
    (change,) = done.placed.changes
    assert not CONTROL.search(change.text)
    assert done.material.cards[0].ask == "[U+001B][2J[U+202E]x"
    assert any("control characters" in text.pick("en") for text in done.material.left)


def test_yaml_in_a_card_is_text(changed, numerical, home, now):
    from quiz.deck.load import load

    tricky = "'': - {a: [*b, !c]} # d\n---\n...\n\"\\x\" | > % @ `"
    path = changed(numerical, f"UPDATE notes SET flds = 'q' || id || char(31) || {quoted(tricky)}")
    (change,) = import_file(path, home, now).placed.changes
    deck = load(change.path).deck
    assert deck is not None
    assert deck.cards[0].answer.pick("en") == tricky.replace("\n", " ")


def test_a_giant_field_costs_its_card_only(changed, numerical):
    path = changed(
        numerical,
        "UPDATE notes SET flds = replace(hex(zeroblob(40000)), '0', '<') || char(31) || 'y'"
        " WHERE id = (SELECT min(id) FROM notes)",
    )
    material = reading.read(path, None)
    assert len(material.cards) == 38
    assert any("longer than 50,000" in text.pick("en") for text in material.left)


def test_a_collection_alone_is_refused(refused, files):
    refused(files["collection.anki2"], "collection.anki2")


@pytest.mark.parametrize(
    "data", [b"\xff\xfe\x00", b"a,b\n\xff,c\n", b"a\0,b\n", zlib.compress(b"a,b")]
)
def test_text_that_is_none(refused, data):
    refused(data, "words.csv")


def test_text_says_the_line_that_is_not_utf_8(refused):
    assert "line 2 is not UTF-8" in refused(b"a,b\n\xff,c\n", "words.csv")


def test_what_is_no_file(tmp_path, home, now):
    fifo = tmp_path / "pipe.apkg"
    os.mkfifo(fifo)
    for path in (tmp_path, tmp_path / "missing.apkg", fifo):
        with pytest.raises(UsageError):
            import_file(path, home, now)


def quoted(text: str) -> str:
    with closing(sqlite3.connect(":memory:")) as connection:
        return connection.execute("SELECT quote(?)", (text,)).fetchone()[0]
