"""JSON Schemas (draft 2020-12) of what the commands print with `--json`.

Keys may be added; none goes away.
"""

from __future__ import annotations

from collections.abc import Mapping

SCHEMAS: Mapping[str, str] = dict.fromkeys(
    ("card", "decks", "due", "lint", "reviews"), "quiz.schema"
)
"""The package that holds each, for `quiz verify schema`."""
