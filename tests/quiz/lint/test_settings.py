"""Which rules apply: where settings are found, what they do, and what is refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from quiz.lint.rules import rule_ids
from quiz.lint.run import lint
from quiz.lint.settings import Settings, find
from verify.api import UsageError

RULES = rule_ids()
DECK = "deck: d\ntitle: t\ncards: [{id: a, kind: recall, ask: q, answer: b}]\n"


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    path = tmp_path / "decks" / "d.yaml"
    path.parent.mkdir()
    path.write_text(DECK)
    return path


def rules_found(deck: Path, settings: Settings) -> list[tuple[str, str]]:
    return [(f.problem.rule, f.problem.severity) for f in lint([deck], settings=settings).findings]


def test_without_settings_every_rule_applies(deck: Path) -> None:
    (deck.parent.parent / "pyproject.toml").write_text("[tool.other]\nx = 1\n")
    settings = find(deck.parent, RULES)
    assert settings.select is None
    assert rules_found(deck, settings) == [("missing-source", "warning"), ("no-proof", "warning")]


@pytest.mark.parametrize(
    ("name", "head"),
    [("pyproject.toml", "[tool.quiz.lint]"), (".quiz.toml", ""), (".quiz.toml", "[lint]")],
)
@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ('ignore = ["no-proof"]', [("missing-source", "warning")]),
        ('select = ["no-proof"]', [("no-proof", "warning")]),
        ("select = []", []),
        (
            'severity = {no-proof = "error"}',
            [("missing-source", "warning"), ("no-proof", "error")],
        ),
    ],
)
def test_what_they_do(
    deck: Path, name: str, head: str, lines: str, expected: list[tuple[str, str]]
) -> None:
    (deck.parent.parent / name).write_text(f"{head}\n{lines}\n")
    assert rules_found(deck, find(deck.parent, RULES)) == expected


def test_the_nearest_ones_count_and_our_own_file_goes_first(deck: Path) -> None:
    top, folder = deck.parent.parent, deck.parent
    (top / ".quiz.toml").write_text('ignore = ["no-proof"]\n')
    (folder / "pyproject.toml").write_text('[tool.quiz.lint]\nignore = ["schema"]\n')
    assert find(folder, RULES).ignore == {"schema"}
    (folder / ".quiz.toml").write_text('ignore = ["key-order"]\n')
    assert find(folder, RULES).ignore == {"key-order"}


def test_keys_before_the_table_count_too_and_a_byte_order_mark_is_none(deck: Path) -> None:
    own = deck.parent / ".quiz.toml"
    own.write_text('\ufeffignore = ["no-proof"]\n[lint]\nselect = ["key-order"]\n')
    settings = find(deck.parent, RULES)
    assert (settings.ignore, settings.select) == ({"no-proof"}, {"key-order"})


def test_a_missing_file_is_found_whatever_is_selected(tmp_path: Path) -> None:
    missing = lint([tmp_path / "no.yaml"], settings=Settings(select=frozenset()))
    assert missing.exit_code == 2


def test_excluded_files(tmp_path: Path) -> None:
    settings = Settings(exclude=("drafts", "*.old.yaml"), folder=tmp_path)
    assert settings.excludes(tmp_path / "drafts" / "a" / "d.yaml")
    assert settings.excludes(tmp_path / "d.old.yaml")
    assert not settings.excludes(tmp_path / "d.yaml")
    assert not settings.excludes(tmp_path.parent / "drafts" / "d.yaml")


@pytest.mark.parametrize(
    "data",
    [
        b"x = ",
        b"\xff\xfe",
        b"x = " + b"[" * 100_000,
        b"# " + b"x" * 2**20,
        b"[lint]\nslect = []",
        b"lint = 3",
        b"slect = []\n[lint]",
        b"select = 'no-proof'",
        b"select = [3]",
        b"ignore = ['no-prof']",
        b"severity = ['x']",
        b"severity = {no-proof = 'fatal'}",
        b"severity = {no-proof = []}",
        b"severity = {no-prof = 'error'}",
        b"ignore = ['\\u001b[31m\\n']",
        b"x = " + b"9" * 5000,
    ],
)
def test_hostile_settings_are_one_line(tmp_path: Path, data: bytes) -> None:
    (tmp_path / ".quiz.toml").write_bytes(data)
    with pytest.raises(UsageError) as error:
        find(tmp_path, RULES)
    for language in ("ja", "en"):
        said = error.value.render("ja" if language == "ja" else "en")
        assert said.isprintable()
        assert ".quiz.toml: " in said
