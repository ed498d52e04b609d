"""`quiz deck list | show | new | schema`, as processes of their own."""

from __future__ import annotations

import json
from importlib import resources

import jsonschema
import pexpect
import pytest
import yaml

from quiz.deck.json_schema import FILE_NAME
from verify.api.experiments import experiment_names

ANSWERS = "mine\nMy own\ntrap\n\nfirst\nWhich?\nThis\nThat\nthat\nNo.\nA book\n"


@pytest.mark.parametrize(
    ("command", "language"), [("list", "ja"), ("show", "en"), ("new", "ja"), ("schema", "en")]
)
def test_help_has_an_example(call, command, language):
    done = call("deck", command, "--help", QUIZ_LANG=language)
    assert done.returncode == 0
    assert {"ja": "例: quiz deck ", "en": "Example: quiz deck "}[language] + command in done.stdout


def test_list_counts_cards_and_problems(call, tmp_path):
    text = "deck: mine\ntitle: T\ncards:\n  - {id: a, kind: recall, ask: x, answer: y}\n"
    (tmp_path / "mine.yaml").write_text(text + "  - {id: b, kind: wish, ask: x}\n")
    (tmp_path / "broken.yaml").write_text("deck: [")
    done = call("deck", "list", "mine.yaml", "broken.yaml", "--json")
    records = json.loads(done.stdout)
    schema = json.loads((resources.files("quiz.schema") / "decks.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(records)
    counts = {record["path"]: (record["deck"], record["cards"], record["problems"])
              for record in records}  # fmt: skip
    assert counts == {"mine.yaml": ("mine", 1, 1), "broken.yaml": (None, 0, 1)}
    assert set(records[0]) == set(schema["items"]["properties"])
    assert "problems: 1" in call("deck", "list", "mine.yaml").stdout
    assert "data-parallel" in call("deck", "list").stdout


def test_show_has_question_answer_and_claims_in_words(call):
    done = call("deck", "show", "data-parallel/dp-nothing-to-send")
    assert (done.returncode, done.stderr) == (0, "")
    for said in ("Which statement", "Hint:", "nothing-to-send", "right", "base.wire_sent == 0",
                 "= bytes sent"):  # fmt: skip
        assert said in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert (
        "送信量" in call("deck", "show", "data-parallel/dp-nothing-to-send", QUIZ_LANG="ja").stdout
    )


def test_show_of_what_is_not_there(call):
    done = call("deck", "show", "data-parallel/no-such-card")
    assert done.returncode == 2
    assert "There is no card data-parallel/no-such-card." in done.stderr
    assert call("deck", "show", "nothing").returncode == 2


def test_schema_knows_every_experiment_that_is_installed(call):
    schema = json.loads(call("deck", "schema").stdout)
    assert schema["$defs"]["experiment"]["enum"] == list(experiment_names())


def test_new_from_a_pipe_twice(call, tmp_path):
    done = call("deck", "new", "mine.yaml", given=ANSWERS)
    assert (done.returncode, done.stdout.splitlines()[0][:30]) == (
        0,
        "Wrote mine/first at mine.yaml:",
    )
    path = tmp_path / "mine.yaml"
    assert path.read_text("utf-8").startswith(f"# yaml-language-server: $schema={FILE_NAME}\n")
    assert json.loads((tmp_path / FILE_NAME).read_text("utf-8"))["title"].startswith("proofdeck")
    before = path.read_text("utf-8")
    given = "recall\ntoken-mean\nsecond\nWhat?\nThis.\nA book\n"
    assert call("deck", "new", "mine.yaml", given=given).returncode == 0
    assert path.read_text("utf-8").startswith(before)
    cards = yaml.safe_load(path.read_text("utf-8"))["cards"]
    assert [(card["id"], card["kind"]) for card in cards] == [
        ("first", "trap"),
        ("second", "recall"),
    ]
    assert call("lint", "mine.yaml").returncode == 0
    shown = call("deck", "show", "mine.yaml::second")
    assert "What?" in shown.stdout
    assert "Which?" not in shown.stdout


def test_new_without_a_file_is_the_learner_s_own_deck(call, home):
    assert call("deck", "new", given=ANSWERS).returncode == 0
    assert (home / "decks/mine.yaml").is_file()
    assert "Which?" in call("deck", "show", "mine/first").stdout


def test_a_deck_in_two_languages_is_asked_for_both(call, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("deck: mine\ntitle: {ja: 題, en: T}\ncards:\n"
                    "- {id: a, kind: recall, ask: x, answer: y}\n", "utf-8")  # fmt: skip
    given = "recall\n\nnew\n何か\nWhat?\nこれ\nThis\nA book\n"
    assert call("deck", "new", "mine.yaml", given=given).returncode == 0
    card = yaml.safe_load(path.read_text("utf-8"))["cards"][1]
    assert card["ask"] == {"ja": "何か", "en": "What?"}


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("mine.yaml", "", "Nothing was written"),
        ("mine.txt", ANSWERS, ".yaml"),
        ("file/mine.yaml", ANSWERS, "file"),
    ],
)
def test_bad_answers_write_nothing(call, tmp_path, name, given, said):
    (tmp_path / "file").write_text("in the way")
    done = call("deck", "new", name, given=given)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert {path.name for path in tmp_path.iterdir()} <= {"file", "home"}


@pytest.mark.parametrize(
    "text",
    [
        "deck: mine\ntitle: T\ncards: [{id: a, kind: recall, ask: x, answer: y}]\n",
        "deck: mine\ncards:\n- {id: a, kind: recall, ask: x, answer: y}\ntitle: T\n",
        "deck: [\n",
    ],
)
def test_a_file_that_can_t_be_added_to_stays_as_it_is(call, tmp_path, text):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    done = call("deck", "new", "mine.yaml", given=ANSWERS.removeprefix("mine\nMy own\n"))
    assert done.returncode == 2
    assert path.read_text() == text
    assert "Traceback" not in done.stderr


def test_at_a_terminal_a_wrong_answer_is_asked_again_and_the_editor_opens(terminal, tmp_path):
    script = tmp_path / "vi"
    script.write_text('#!/bin/sh\necho "edited $1"\n')
    script.chmod(0o755)
    child = terminal("deck", "new", "mine.yaml", EDITOR=str(script))
    for line in ("Mine!", *ANSWERS.splitlines()):
        child.expect_exact("> ")
        child.sendline(line)
    child.expect_exact("edited +5")
    child.expect_exact("Next: ")
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 0
    assert (tmp_path / "mine.yaml").is_file()
