"""The experiment of CONTRIBUTING.md, in a package of its own, does all that ours do."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Protocol

import pytest

GUIDE = Path(__file__).parents[1] / "CONTRIBUTING.md"

DECK = """
deck: guest
title: {ja: 外から来た実験, en: A guest's experiment}
cards:
  - id: root-receives
    kind: trap
    source: CONTRIBUTING.md
    ask: {ja: gather でランク 0 が受け取る量はどれか, en: How much does rank 0 receive in a gather?}
    choices:
      - text: {ja: 自分以外の全員の分, en: A tensor from each other rank}
        claim: wire_received[0] == (ranks-1)*payload ± 1%
      - text: {ja: 1 台の分だけ, en: One tensor in all}
        claim: wire_received[0] == payload ± 1%
        belief: one-tensor
        why: {ja: 和ではなく全部を持つので, en: It keeps them all and adds nothing}
    proof: {experiment: gather-bytes, with: {ranks: 4, payload: 256 KiB}}
"""


class Quiz(Protocol):
    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture
def quiz(tmp_path: Path) -> Quiz:
    """The program where a distribution `proofdeck-guest` is installed beside it."""
    source = next(
        block
        for block in re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
        if "experiment = Experiment(" in block
    )
    site = tmp_path / "site"
    package = site / "my_package"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "gather_bytes.py").write_text(source, encoding="utf-8")
    metadata = site / "proofdeck_guest-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: proofdeck-guest\n")
    (metadata / "entry_points.txt").write_text(
        "[proofdeck.experiments]\ngather-bytes = my_package.gather_bytes:experiment\n"
    )

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "quiz", *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env=os.environ
            | {
                "PYTHONPATH": str(site),
                "QUIZ_HOME": str(tmp_path / "home"),
                "XDG_CACHE_HOME": str(tmp_path / "cache"),
                "QUIZ_LANG": "en",
            },
        )

    return run


def test_an_experiment_of_another_package_does_all_that_ours_do(quiz: Quiz, tmp_path: Path) -> None:
    assert "(proofdeck-guest)" in quiz("verify", "list").stdout
    assert "proofdeck-guest" in quiz("verify", "show", "gather-bytes").stdout

    run = quiz("verify", "run", "gather-bytes", "ranks=3", "--json")
    assert run.returncode == 0, run.stderr
    record = json.loads(run.stdout)
    assert {law["verdict"] for law in record["laws"]} == {"confirmed"}
    assert record["environment"]["origin"] == "proofdeck-guest"
    # Two tensors of 1 MiB arrive at rank 0, each in one message with a head.
    received = record["quantities"]["wire_received"]["per_rank"][0]
    assert received == pytest.approx(2 * 2**20, rel=0.01)

    broken = quiz("verify", "run", "gather-bytes", "--fault", "skip-gather", "--json")
    assert broken.returncode == 1
    assert {law["verdict"] for law in json.loads(broken.stdout)["laws"]} == {"refuted"}

    deck = tmp_path / "guest.yaml"
    deck.write_text(DECK, encoding="utf-8")
    proven = quiz("lint", str(deck), "--prove")
    assert proven.returncode == 0, proven.stdout + proven.stderr
    deck.write_text(DECK.replace("(ranks-1)*payload", "ranks*payload"), encoding="utf-8")
    disproven = quiz("lint", str(deck), "--prove")
    assert disproven.returncode == 1
    assert "guest" in disproven.stdout
    deck.write_text(DECK.replace("wire_received[0] == payload", "no_such == 1"), encoding="utf-8")
    assert "unknown-quantity" in quiz("lint", str(deck)).stdout


def test_a_package_is_imported_only_where_its_experiment_is_named(
    quiz: Quiz, tmp_path: Path
) -> None:
    mark = tmp_path / "imported"
    module = tmp_path / "site" / "my_package" / "gather_bytes.py"
    with module.open("a", encoding="utf-8") as source:
        source.write(f"\nopen({str(mark)!r}, 'w').close()\n")
    deck = tmp_path / "guest.yaml"
    deck.write_text(
        DECK.replace("gather-bytes", "all-reduce-bytes").replace("wire_received", "wire_sent"),
        encoding="utf-8",
    )
    for words in (
        ("verify", "list"),
        ("verify", "show", "all-reduce-bytes"),
        ("lint", str(deck)),
        ("deck", "show", str(deck)),
        ("due",),
    ):
        assert quiz(*words).returncode == 0, words
        assert not mark.exists(), words
    quiz("verify", "show", "gather-bytes")
    assert mark.exists()
