"""The guide for authors: its samples are what they claim to be, and alike in both languages."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import quiz
from quiz.deck.json_schema import MODELINE

ROOT = Path(quiz.__file__).parent.parent
pytestmark = pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="no checkout")


def blocks(name: str, language: str) -> list[str]:
    text = (ROOT / "docs" / name).read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def test_both_languages_show_the_same() -> None:
    for kind in ("yaml", "toml"):
        assert blocks("authors.md", kind) == blocks("authors.ja.md", kind)
    commands = [
        [re.sub(r"\s*#.*", "", line) for block in blocks(name, "sh") for line in block.splitlines()]
        for name in ("authors.md", "authors.ja.md")
    ]
    assert commands[0] == commands[1]


def test_samples_are_sound() -> None:
    modeline, hook, workflow = blocks("authors.md", "yaml")
    assert modeline == MODELINE
    (offered,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    (used,) = yaml.safe_load(hook)["repos"][0]["hooks"]
    assert used["id"] == offered["id"]
    steps = yaml.safe_load(workflow)["jobs"]["decks"]["steps"]
    actions = {step["uses"].partition("@")[0] for step in steps if "uses" in step}
    assert all(action.startswith("actions/") for action in actions)
    (settings,) = map(tomllib.loads, blocks("authors.md", "toml"))
    assert settings["tool"]["pytest"]["ini_options"]["prove_decks"] == ["decks"]
