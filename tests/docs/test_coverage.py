"""The table of what the source says: it is current, and a card proves each statement."""

from __future__ import annotations

from collections import Counter

import pytest

from docs.coverage import PAGE, Statement, page, proves, shipped_cards, statements

CARDS = shipped_cards()
STATEMENTS = statements()


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(STATEMENTS, CARDS), (
        "run python -m docs.coverage"
    )


def test_each_statement_is_listed_once() -> None:
    counted = Counter((s.section, s.says) for s in STATEMENTS)
    assert [statement for statement, times in counted.items() if times > 1] == []


def test_every_part_of_the_source_is_there() -> None:
    """The source's headings, and the rows of its tables as a reader counts them."""
    counted = Counter(statement.section for statement in STATEMENTS)
    assert {section for section in counted if "·" not in section} == {
        "ひとことで言うと",
        "なぜ必要か",
        "仕組み",
        "試験でどう問われるか",
        "実装で確かめる",
        "取り違えやすいもの",
        "想起チェック",
    }
    assert counted["なぜ必要か · 収めたい制約の表"] == 2
    assert counted["試験でどう問われるか"] == 4 * 2  # rows × (what is right, the trap)
    assert counted["取り違えやすいもの"] == 4 * 3  # methods × (holds, communicates, suits)
    assert counted["想起チェック"] == 3 + 1  # the third one asks two things


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda s: f"{s.section}: {s.says}")
def test_a_card_proves_it(statement: Statement) -> None:
    assert statement.cards, "no card asks this yet: add its deck/card to source-statements.yaml"
    unknown = [key for key in statement.cards if key not in CARDS]
    assert unknown == []
    assert all(proves(CARDS[key]) for key in statement.cards)


def test_a_statement_without_a_card_is_named() -> None:
    assert "- 仕組み · 雲" in page([Statement("仕組み", "雲", ())], CARDS)
