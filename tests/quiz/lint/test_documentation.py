"""The documentation is what the rules say of themselves."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_page_of_rules_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("lint_rules", ROOT / "docs" / "lint_rules.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    written = (ROOT / "docs" / "lint-rules.md").read_text(encoding="utf-8")
    assert written == module.page(), "run: python -m docs.lint_rules"
