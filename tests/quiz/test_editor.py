"""Editing a card in the learner's editor."""

import stat
from pathlib import Path

import pytest

from quiz.deck.load import load
from quiz.editor import DeckEditor, editor_command
from quiz.session.inputs import Edited

DECK = """\
deck: mine
title: Mine
cards:
  - id: first
    kind: recall
    ask: One?
    answer: "Yes"
  - id: second
    kind: recall
    ask: Two?
    answer: "Yes"
"""


@pytest.fixture
def programs(tmp_path):
    """A PATH on which the named programs can be found."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("vi", "nvim", "code", "hx", "ed"):
        (folder / name).touch()
        (folder / name).chmod(stat.S_IRWXU)
    return str(folder)


@pytest.mark.parametrize(
    ("variables", "command"),
    [
        ({}, ["vi", "+8", "d.yaml"]),
        ({"EDITOR": "nvim -u NONE"}, ["nvim", "-u", "NONE", "+8", "d.yaml"]),
        ({"EDITOR": "ed", "VISUAL": "vi"}, ["vi", "+8", "d.yaml"]),
        ({"EDITOR": "code"}, ["code", "--wait", "--goto", "d.yaml:8"]),
        ({"EDITOR": "hx"}, ["hx", "d.yaml:8"]),
        ({"EDITOR": "ed"}, ["ed", "d.yaml"]),
        ({"EDITOR": "no-such-editor"}, None),
        ({"EDITOR": "vi 'unbalanced"}, None),
        ({"EDITOR": "   "}, None),
    ],
)
def test_the_editor_opens_at_the_line_where_it_can(programs, variables, command):
    assert editor_command({"PATH": programs} | variables, Path("d.yaml"), 8) == command


@pytest.fixture
def edit(tmp_path, programs):
    """Edit the second card: `change` is done to the file's text. What came of it."""
    path = tmp_path / "deck.yaml"
    path.write_text(DECK)
    card = load(path).deck.cards[1]
    commands = []

    def run(change, code=0):
        def call(command):
            commands.append(command)
            path.write_text(change(path.read_text()))
            return code

        return DeckEditor({"mine": path}, {"PATH": programs}, call)(card)

    run.commands, run.path = commands, path
    return run


def test_the_deck_is_read_again(edit):
    came = edit(lambda text: text.replace("Two?", "Better?"))
    assert isinstance(came, Edited)
    assert came.cards["mine/second"].ask.pick("en") == "Better?"
    assert edit.commands == [["vi", "+8", str(edit.path)]]


def test_a_line_moved_by_an_earlier_edit_is_found(edit):
    edit(lambda text: text.replace("cards:", "\n\ncards:"))
    edit(lambda text: text)
    assert [command[1] for command in edit.commands] == ["+8", "+10"]


def test_a_card_that_is_broken_or_gone_stays_as_it_was(edit):
    broken = edit(lambda text: text.replace("ask: Two?", "ask: [Two?]")).pick("en")
    assert broken.startswith("deck.yaml:10:10 ")
    assert broken.endswith("The card stays as it was.")
    gone = edit(lambda text: text[: text.index("  - id: second")]).pick("en")
    assert "mine/second is no longer in the file" in gone


def test_an_editor_that_fails_is_told(edit):
    assert "vi failed (exit 3)" in edit(lambda text: text, code=3).pick("en")
