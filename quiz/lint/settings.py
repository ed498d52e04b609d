"""Which rules apply, from `[tool.quiz.lint]` of pyproject.toml or from .quiz.toml.

The nearest folder above that holds one of them counts; .quiz.toml goes first and may name the
keys without a table or under `[lint]`:

    select = ["near-duplicate"]          # these alone; all by default
    ignore = ["missing-source"]
    severity = {telling-length = "error"}
    exclude = ["drafts/*"]               # files of a folder, by their path from here
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from quiz.deck.problem import Problem, Severity, shown
from verify.api import Text, UsageError

OWN = ".quiz.toml"
SHARED = "pyproject.toml"
KEYS = ("select", "ignore", "severity", "exclude")
_LARGEST = 2**20  # bytes


@dataclass(frozen=True)
class Settings:
    """`select` is None for all rules; patterns of `exclude` count from `folder`."""

    select: frozenset[str] | None = None
    ignore: frozenset[str] = frozenset()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    folder: Path = Path()

    def applies(self, rule: str) -> bool:
        """Whether a rule's findings count. That a file can't be opened always does."""
        if rule == "unreadable":
            return True
        return rule not in self.ignore and (self.select is None or rule in self.select)

    def graded(self, problem: Problem) -> Problem:
        """The problem with the severity that is set for its rule."""
        severity = self.severity.get(problem.rule, problem.severity)
        return problem if severity == problem.severity else replace(problem, severity=severity)

    def excludes(self, path: Path) -> bool:
        """Whether a file that was found in a folder is to be left out."""
        try:
            relative = path.resolve().relative_to(self.folder.resolve()).as_posix()
        except ValueError:
            return False
        return any(
            fnmatch(relative, pattern) or fnmatch(relative, f"{pattern.rstrip('/')}/*")
            for pattern in self.exclude
        )


NO_SETTINGS = Settings()


def find(folder: Path, rules: Collection[str]) -> Settings:
    """Those in force in a folder. Raises UsageError where they can't be read or make no sense."""
    for above in (folder, *folder.parents):
        for name in (OWN, SHARED):
            path = above / name
            table = _table(path) if path.is_file() else None
            if table is not None:
                return replace(_checked(table, path, rules), folder=above)
    return Settings()


def _table(path: Path) -> Mapping[str, Any] | None:
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise _wrong(path, Text(ja="1 MiB を超えています。", en="it is larger than 1 MiB."))
        whole = tomllib.loads(data.decode("utf-8-sig"))  # Windows likes to begin with a mark
    except OSError as error:
        reason = error.strerror or "?"
        raise _wrong(path, Text(ja=f"読めません({reason})。", en=f"{reason}.")) from error
    except (ValueError, RecursionError) as error:  # not UTF-8, not TOML, brackets without end
        reason = "UTF-8?" if isinstance(error, UnicodeDecodeError) else shown(str(error), 80)
        raise _wrong(
            path,
            Text(ja=f"TOML として読めません({reason})。", en=f"it isn't valid TOML: {reason}."),
        ) from error
    if path.name == OWN:
        found = whole.pop("lint", {})
        found = {**whole, **found} if isinstance(found, dict) else found
    else:
        found = whole
        for key in ("tool", "quiz", "lint"):
            found = found.get(key) if isinstance(found, dict) else None
        if found is None:
            return None
    if not isinstance(found, dict):
        raise _wrong(path, Text(ja="lint は表でなければなりません。", en="lint must be a table."))
    return found


def _checked(table: Mapping[str, Any], path: Path, rules: Collection[str]) -> Settings:
    for key in table:
        if key not in KEYS:
            listed = ", ".join(KEYS)
            raise _wrong(
                path,
                Text(
                    ja=f"不明なキー {shown(key)} です(使えるキー: {listed})。",
                    en=f"unknown key {shown(key)}; possible are {listed}.",
                ),
            )

    def strings(key: str) -> tuple[str, ...]:
        value = table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise _wrong(
                path,
                Text(ja=f"{key} は文字列のリストです。", en=f"{key} must be a list of strings."),
            )
        return tuple(value)

    def known(rule: str) -> str:
        if rule in rules:
            return rule
        close = difflib.get_close_matches(rule[:64], rules, n=1)
        raise _wrong(
            path,
            Text(
                ja=f"{shown(rule)} というルールはありません。"
                + (f"{close[0]} のことですか。" if close else ""),
                en=f"there is no rule {shown(rule)}."
                + (f" Did you mean {close[0]}?" if close else ""),
            ),
        )

    severity = table.get("severity", {})
    if not isinstance(severity, dict) or not all(
        value in ("error", "warning") for value in severity.values()
    ):
        raise _wrong(
            path,
            Text(
                ja="severity は、ルールごとに error か warning です。",
                en="severity maps rules to error or warning.",
            ),
        )
    return Settings(
        select=frozenset(map(known, strings("select"))) if "select" in table else None,
        ignore=frozenset(map(known, strings("ignore"))),
        severity={known(rule): value for rule, value in severity.items()},
        exclude=strings("exclude"),
    )


def _wrong(path: Path, text: Text) -> UsageError:
    name = shown(str(path), 200)
    return UsageError(Text(ja=f"{name}: {text.pick('ja')}", en=f"{name}: {text.pick('en')}"))
