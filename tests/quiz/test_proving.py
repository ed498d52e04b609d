"""The real program proves decks: exit codes, names, and nothing left behind when interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from quiz.deck.library import shipped_decks

CARD = "dp-batch-doubled"
SHIPPED = next(path for path in shipped_decks().glob("*data-parallel.yaml"))

Quiz = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def quiz(tmp_path: Path) -> Quiz:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "quiz", *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env=os.environ | {"QUIZ_HOME": str(tmp_path / "home"), "QUIZ_LANG": "en"},
        )

    return run


def one_card_deck(tmp_path: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """A copy of a shipped deck with one of its cards, changed."""
    deck = yaml.safe_load(SHIPPED.read_text(encoding="utf-8"))
    deck["cards"] = [card for card in deck["cards"] if card["id"] == CARD]
    deck["cards"][0].pop("after", None)
    change(deck["cards"][0])
    path = tmp_path / "copy.yaml"
    path.write_text(yaml.safe_dump(deck, allow_unicode=True), encoding="utf-8")
    return path


def test_a_flipped_answer_makes_lint_prove_fail_and_name_the_card(
    quiz: Quiz, tmp_path: Path
) -> None:
    def flip(card: dict[str, Any]) -> None:
        truth = next(choice for choice in card["choices"] if "belief" not in choice)
        lure = next(choice for choice in card["choices"] if "belief" in choice)
        truth["claim"], lure["claim"] = lure["claim"], truth["claim"]

    right = quiz("lint", str(one_card_deck(tmp_path, lambda card: None)), "--prove")
    assert right.returncode == 0, right.stdout + right.stderr
    wrong = quiz("lint", str(one_card_deck(tmp_path, flip)), "--prove", "--format", "json")
    assert wrong.returncode == 1
    findings = json.loads(wrong.stdout)
    assert {finding["card"] for finding in findings if finding["rule"] == "not-proven"} == {
        f"data-parallel/{CARD}"
    }


def test_verify_card_shows_generated_words_beside_the_prose(quiz: Quiz) -> None:
    run = quiz("verify", "card", f"data-parallel/{CARD}")
    assert run.returncode == 0, run.stderr
    assert "proven" in run.stdout
    assert "bytes sent" in run.stdout  # words made from the claim
    for name in (f"data-parallel/{CARD}", f"data-parallel::{CARD}"):
        again = quiz("verify", "card", name, "--json")
        record = json.loads(again.stdout)
        assert (record["card"], record["verdict"]) == (f"data-parallel/{CARD}", "proven")


def test_verify_card_takes_a_card_of_a_file_of_one_s_own(quiz: Quiz, tmp_path: Path) -> None:
    file = one_card_deck(tmp_path, lambda card: None)
    record = json.loads(quiz("verify", "card", f"{file}::{CARD}", "--json").stdout)
    assert (record["card"], record["verdict"]) == (f"data-parallel/{CARD}", "proven")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["verify", "card", "data-parallel/no-such-card"], "There is no card"),
        (["verify", "card", "data-parallel::no-such-card"], "There is no card"),
        (["verify", "card", "nowhere.yaml::card"], "There is no file and no deck nowhere.yaml"),
        (["verify", "card", "::card"], "There is no file and no deck ''"),
        (["verify", "deck", "/nowhere"], "nowhere"),
        (["verify", "run", "pipeline-bubble", "stages=99"], "2 – 8"),
        (["verify", "run", "pipeline-bubble", "stages"], "key=value"),
        (["verify", "run", "all-reduce-byts"], "all-reduce-bytes"),
        (["verify", "run", "all-reduce-bytes", "--fault", "none-such"], "skip-all-reduce"),
    ],
)
def test_bad_input_is_one_message_and_exit_2(quiz: Quiz, arguments: list[str], said: str) -> None:
    run = quiz(*arguments)
    assert run.returncode == 2
    assert said in run.stderr
    assert "Traceback" not in run.stderr
    assert run.stdout == ""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_ends_with_130_and_leaves_no_process(
    tmp_path: Path, how: signal.Signals
) -> None:
    # In the background of a shell, where SIGINT is ignored unless the program asks for it.
    script = f"{sys.executable} -m quiz verify run pipeline-bubble & echo $!; wait $!; echo rc $?"
    environment = os.environ | {"QUIZ_HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        ["sh", "-c", script], stdout=subprocess.PIPE, text=True, env=environment
    ) as shell:
        assert shell.stdout is not None
        pid = int(shell.stdout.readline())
        until(lambda: list(tmp_path.glob("proofdeck-*/rendezvous")))
        os.kill(pid, how)
        assert shell.stdout.read().split()[-1] == "130"
    until(lambda: not servers_of(pid))
    assert list(tmp_path.glob("proofdeck-*")) == []


def servers_of(parent: int) -> list[int]:
    """Processes whose command line names this parent's worker server."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"verify.worlds.server" in words and str(parent).encode() in words:
            found.append(int(entry.parent.name))
    return found


def until(happened: Callable[[], object], *, seconds: float = 30) -> None:
    bound = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < bound, "it never happened"
        time.sleep(0.05)
