"""`quiz backup` while studying, and both ways to restore."""

from __future__ import annotations

import shutil
import stat

import pexpect


def test_a_backup_taken_during_a_sitting_restores_by_import_and_by_copying(
    terminal, call, answers, home, tmp_path, deck_file
) -> None:
    sitting, backup = terminal("study", deck_file(3), "--plain"), tmp_path / "backup.db"
    for line in ("", "3", ""):
        sitting.expect_exact("> ")
        sitting.sendline(line)
    sitting.expect_exact("> ")
    done = call("backup", backup)
    assert (done.returncode, done.stderr) == (0, "")
    assert "rows: 1" in done.stdout
    sitting.sendline("1")
    sitting.expect_exact("Card 002")
    sitting.sendline("q")
    sitting.expect(pexpect.EOF)
    assert answers() == [("many/c000", 3), ("many/c001", 1)]

    imported, copied = tmp_path / "imported", tmp_path / "copied"
    assert call("import", backup, QUIZ_HOME=str(imported)).returncode == 0
    copied.mkdir()
    shutil.copyfile(backup, copied / "quiz.db")
    (copied / "quiz.db").chmod(0o644)  # as a copy from a stick may come
    for restored in (imported, copied):
        assert answers(QUIZ_HOME=str(restored)) == [("many/c000", 3)]
        done = call("study", deck_file(3), "--plain", given="\n2\nq\n", QUIZ_HOME=str(restored))
        assert done.returncode == 0
        assert answers(QUIZ_HOME=str(restored)) == [("many/c000", 3), ("many/c001", 2)]
        assert stat.S_IMODE((restored / "quiz.db").stat().st_mode) == 0o600

    assert "Rows added: 1   here already: 1" in call("import", copied / "quiz.db").stdout
    assert "Rows added: 0   here already: 2" in call("import", copied / "quiz.db").stdout
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
    (tmp_path / "notes.txt").write_text("notes")
    for name, said in (("notes.txt", "nothing that can be imported"), ("none", "no file")):
        code, out, errors = inside("import", tmp_path / name)
        assert (code, out) == (2, "")
        assert said in errors
        assert "Traceback" not in errors
    assert not home.exists()


def test_importing_a_log_into_itself_adds_nothing(inside, graded_home) -> None:
    code, out, _ = inside("import", graded_home / "quiz.db", QUIZ_HOME=str(graded_home))
    assert (code, out) == (0, " Rows added: 0   here already: 2\n")
