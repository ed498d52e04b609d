"""What the house promises about imports; see ARCHITECTURE.md."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import quiz
import verify
from quiz.commands.verify import app as mounted
from verify.api.command import verify_app

QUIZ, VERIFY = (Path(package.__file__).parent for package in (quiz, verify))


def imported(file: Path) -> set[str]:
    """Every module that a file imports, at any depth of its code."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def under(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def files(folder: Path) -> list[Path]:
    found = sorted(folder.rglob("*.py"))
    assert found
    return found


def test_the_study_side_uses_of_verify_only_its_api():
    for file in files(QUIZ):
        wrong = {n for n in imported(file) if under(n, "verify") and not under(n, "verify.api")}
        assert not wrong, file


def test_the_study_side_imports_no_torch():
    for file in files(QUIZ):
        assert not {n for n in imported(file) if under(n, "torch")}, file


def test_the_evidence_side_knows_nothing_of_the_study_side():
    for file in files(VERIFY):
        assert not {n for n in imported(file) if under(n, "quiz")}, file


@pytest.mark.parametrize(
    "module", ["torch", "rich", "sqlite_utils", "textual", "numpy", "yaml", "verify.claims"]
)
def test_the_command_line_starts_without_what_it_may_not_need(module):
    code = f"import sys, quiz.cli; sys.exit({module!r} in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], cwd=QUIZ.parent, check=False).returncode == 0
    )


def test_mounting_verify_leaves_its_own_program_as_it_was():
    own = [command.name for command in verify_app.registered_commands]
    assert {command.name for command in mounted.registered_commands} - set(own) == {"card", "deck"}
    assert "card" not in own
    assert verify_app.registered_callback is None


READERS = {
    QUIZ: ("commands/", "cli.py", "pytest_plugin.py"),
    VERIFY: ("cli.py", "probes/", "worlds/"),
}
AROUND_US = {"os.environ", "os.getenv", "datetime.now", "date.today", "time.time", "time.time_ns"}


@pytest.mark.parametrize("package", READERS)
def test_only_few_places_read_the_time_of_day_or_the_environment(package):
    for file in files(package):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        read = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        if not str(file.relative_to(package)).startswith(READERS[package]):
            assert not read & AROUND_US, file
