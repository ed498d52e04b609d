"""The rules, one per file; adding a rule means adding a file.

A module `some_rule.py` holds `id = "some-rule"`, a generator `check(context)` and a docstring that
is its manual page: what, why, a sample under `Bad:` and one under `Good:`.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quiz.lint.rule import Rule


@lru_cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule in the order of its id. Raises TypeError naming a malformed module."""
    return tuple(map(_rule, _modules()))


def rule_ids() -> list[str]:
    """The id of every rule. Imports none of them."""
    return [name.replace("_", "-") for name in _modules()]


def _modules() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(__path__)]


def _rule(name: str) -> Rule:
    from quiz.lint.rule import Rule

    module = importlib.import_module(f"{__name__}.{name}")
    manual = inspect.getdoc(module) or ""
    wanted = name.replace("_", "-")
    if getattr(module, "id", None) != wanted:
        raise TypeError(f"{module.__file__}: id must be {wanted!r}, after the file's name")
    if "Bad:" not in manual or "Good:" not in manual:
        raise TypeError(f"{module.__file__}: the docstring needs samples under Bad: and Good:")
    return Rule(wanted, manual, module.check)
