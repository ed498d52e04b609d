"""JSON Schemas (draft 2020-12) of what `--json` prints. Keys may be added; none goes away."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources

from verify.errors import UnknownName
from verify.text import Text, verbatim

OWN: Mapping[str, str] = dict.fromkeys(("experiment", "run"), "verify.schema")


def text(name: str, others: Mapping[str, str]) -> str:
    """The schema of that name, of ours or of the program that mounts these commands.

    `others` gives the package that holds each. Raises UnknownName.
    """
    packages = {**others, **OWN}
    if name not in packages:
        shown = name[:60]
        raise UnknownName(
            Text(ja=f"スキーマ {shown} はありません。", en=f"There is no schema {shown}."),
            verbatim(", ".join(sorted(packages))),
        )
    file = resources.files(packages[name]) / f"{name}.json"
    return file.read_text(encoding="utf-8")
