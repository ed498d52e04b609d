"""`quiz backup` while studying, and both ways to restore."""

from __future__ import annotations

import json
import shutil
import stat

import pexpect


def test_a_backup_taken_during_a_sitting_restores_by_import_and_by_copying(
    terminal, inside, home, tmp_path, deck_file
) -> None:
    def answers(folder=home) -> list[tuple[str, int]]:
        _, out, _ = inside("reviews", "--json", QUIZ_HOME=str(folder))
        found = map(json.loads, out.splitlines())
        return [(review["card"], review["grade"]) for review in found]

    sitting, backup = terminal("study", deck_file(3), "--plain"), tmp_path / "backup.db"
    for line in ("", "3", ""):
        sitting.expect_exact("> ")
        sitting.sendline(line)
    sitting.expect_exact("> ")
    assert inside("backup", backup) == (0, f" {backup}   rows: 1\n", "")
    sitting.sendline("1")
    sitting.expect_exact("Card 002")
    sitting.sendline("q")
    sitting.expect(pexpect.EOF)
    assert answers() == [("many/c000", 3), ("many/c001", 1)]

    imported, copied = tmp_path / "imported", tmp_path / "copied"
    assert inside("import", backup, QUIZ_HOME=str(imported))[0] == 0
    copied.mkdir()
    shutil.copyfile(backup, copied / "quiz.db")
    (copied / "quiz.db").chmod(0o644)  # as a copy from a stick may come
    for restored in (imported, copied):
        assert answers(restored) == [("many/c000", 3)]
        words = ("study", deck_file(3), "--plain")
        assert inside(*words, given="\n2\nq\n", QUIZ_HOME=str(restored))[0] == 0
        assert answers(restored) == [("many/c000", 3), ("many/c001", 2)]
        assert stat.S_IMODE((restored / "quiz.db").stat().st_mode) == 0o600

    around = {"QUIZ_HOME": str(home)}
    for said in ("Rows added: 1   here already: 1", "Rows added: 0   here already: 2"):
        assert said in inside("import", copied / "quiz.db", **around)[1]
    assert len(answers()) == 3


def test_a_backup_overwrites_nothing_silently(inside, graded_home, tmp_path) -> None:
    around, target = {"QUIZ_HOME": str(graded_home)}, tmp_path / "backup.db"
    target.write_text("mine")
    code, out, errors = inside("backup", target, **around)
    assert (code, out) == (2, "")
    assert "was not overwritten" in errors
    assert "--force" in errors
    assert target.read_text() == "mine"
    assert inside("backup", target, "--force", **around)[0] == 0
    log = graded_home / "quiz.db"
    before = log.read_bytes()
    code, _, errors = inside("backup", log, "--force", **around)
    assert code == 2
    assert "That file is the log itself" in errors
    assert log.read_bytes() == before


def test_what_cannot_be_backed_up_or_imported_is_one_message(inside, home, tmp_path) -> None:
    code, out, errors = inside("backup", tmp_path / "copy.db")
    assert (code, out) == (2, "")
    assert "There is no log to back up yet." in errors
    assert not home.exists()
    (tmp_path / "notes.bin").write_bytes(b"\x01\x02notes")
    for name, said in (("notes.bin", ""), ("none", "no file")):
        code, out, errors = inside("import", tmp_path / name)
        assert (code, out) == (2, "")
        assert said in errors
        assert "Traceback" not in errors
    assert not home.exists()


def test_importing_a_log_into_itself_adds_nothing(inside, graded_home) -> None:
    code, out, _ = inside("import", graded_home / "quiz.db", QUIZ_HOME=str(graded_home))
    assert (code, out) == (0, " Rows added: 0   here already: 2\n")
