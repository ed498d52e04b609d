"""`{name}` in deck text, and what counts as mathematics in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

MATHEMATICS = re.compile(r"(?<!\\)(?:\$\$.+?\$\$|\$(?:[^$\\]|\\.)+\$)", re.DOTALL)
"""LaTeX between `$` or `$$`. `\\$` is a dollar sign, and so is a `$` without a partner."""

_NAME = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


def placeholders(text: str) -> Iterator[re.Match[str]]:
    """Every `{name}` outside `$…$`; group 1 is the name."""
    mathematics = [match.span() for match in MATHEMATICS.finditer(text)]
    for match in _NAME.finditer(text):
        if not any(start <= match.start() < end for start, end in mathematics):
            yield match


def fill(text: str, values: Mapping[str, object]) -> str:
    """`text` with `{name}` replaced where `name` is in `values`, in one pass, never inside `$…$`.

    A value that itself holds `{name}` or `$` is put in as it is and not looked at again.
    """

    def value(match: re.Match[str]) -> str:
        return str(values[match[1]]) if match[1] in values else match[0]

    pieces: list[str] = []
    end = 0
    for mathematics in MATHEMATICS.finditer(text):
        pieces += [_NAME.sub(value, text[end : mathematics.start()]), mathematics[0]]
        end = mathematics.end()
    return "".join([*pieces, _NAME.sub(value, text[end:])])
