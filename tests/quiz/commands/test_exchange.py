"""`quiz import` and `quiz export` as a process of its own."""

from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "data" / "anki" / "NumericalComputation.apkg"


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ["notes: 39", "new deck numerical-computation, cards: 39", "media files: 6",
                "Answers and marks added to the log: 22", "yet: give a card a proof:"]),
        ("ja", ["ノート 39 枚", "新しいデッキ", "メディア 6 個", "22 件", "proof:"]),
    ],
)  # fmt: skip
def test_a_package_is_imported_and_studied(call, language, words):
    done = call("import", PACKAGE, QUIZ_LANG=language, TZ="UTC")
    assert (done.returncode, done.stderr) == (0, "")
    flat = " ".join(done.stdout.split())
    for word in words:
        assert word in flat
    due = call("due", "numerical-computation", QUIZ_LANG="en")
    assert "20 due   19 new" in due.stdout
    asked = call("study", "numerical-computation", "--plain", given="\n3\nq\n")
    assert "Numerical Computation" in asked.stdout
    lint = call("lint", "numerical-computation", "--format", "json")
    assert '"no-proof"' in lint.stdout


def test_a_dry_run_says_the_same_and_writes_nothing(call, home):
    done = call("import", PACKAGE, "--dry-run")
    assert done.returncode == 0
    assert "Nothing was written" in done.stdout
    assert not home.exists()


def test_bad_lines_are_findings(call, tmp_path, home):
    (tmp_path / "words.csv").write_text("a,1\nb\nc,3\n")
    done = call("import", "words.csv")
    assert done.returncode == 1
    assert "line 2: 1 fields, where others have 2" in done.stdout
    assert (home / "decks" / "words.yaml").exists()


def test_what_cannot_be_imported_is_one_line_and_a_hint(call, tmp_path, home):
    (tmp_path / "x.apkg").write_bytes(b"PK nonsense")
    for name in ("x.apkg", "missing.csv", str(tmp_path)):
        done = call("import", name)
        assert done.returncode == 2
        assert done.stdout == ""
        assert len(done.stderr.splitlines()) <= 3
    assert not home.exists()


@pytest.mark.parametrize("name", [".", "/dev/null"])
def test_what_is_there_but_no_file_is_not_called_missing(call, name):
    done = call("import", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{name} is a folder, a pipe or a device, not a file.\n"


ODD = """\
deck: odd
title: t
cards:
  - {id: never, kind: compute, ask: q, vary: {ranks: [3]}, result: 1/(ranks-3),
     lures: [{result: ranks, belief: b, why: w}]}
"""


def test_export_and_what_it_refuses(call, tmp_path):
    done = call("export", "cards.apkg", "data-parallel")
    assert (done.returncode, done.stderr) == (0, "")
    assert "cards.apkg   cards: " in done.stdout
    first = (tmp_path / "cards.apkg").read_bytes()
    done = call("export", "cards.apkg", "data-parallel")
    assert done.returncode == 2
    assert "was not overwritten" in done.stderr
    assert (tmp_path / "cards.apkg").read_bytes() == first
    assert call("export", "cards.apkg", "data-parallel", "--force").returncode == 0
    done = call("export", "cards.pdf")
    assert done.returncode == 2
    assert ".apkg, .csv" in done.stderr
    (tmp_path / "odd.yaml").write_text(ODD, encoding="utf-8")
    done = call("export", "odd.csv", "odd.yaml")
    assert done.returncode == 2
    assert "odd/never" in done.stderr
    assert "No card could be exported, so nothing was written." in done.stderr
    assert not (tmp_path / "odd.csv").exists()
    good = "  - {id: good, kind: recall, ask: q, answer: a}\n"
    (tmp_path / "odd.yaml").write_text(ODD + good, encoding="utf-8")
    done = call("export", "odd.csv", "odd.yaml")
    assert (done.returncode, "cards: 1 (recall 1)" in done.stdout) == (1, True)
    done = call("export", "nowhere/cards.apkg")
    assert done.returncode == 2
    assert "can't be written" in done.stderr
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
