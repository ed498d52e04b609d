"""`{name}` in deck text, and what counts as mathematics in it."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping

MATHEMATICS = re.compile(r"(?<!\\)(?:\$\$.+?\$\$|\$(?:[^$\\]|\\.)+\$)", re.DOTALL)
"""LaTeX between `$` or `$$`. `\\$` is a dollar sign, and so is a `$` without a partner."""

_NAME = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


def unfilled(text: str, known: Container[str]) -> Iterator[re.Match[str]]:
    """Every `{name}` outside `$…$` that isn't known; group 1 is the name."""
    unknown = [match for match in _NAME.finditer(text) if match[1] not in known]
    mathematics = [match.span() for match in MATHEMATICS.finditer(text)] if unknown else []
    for match in unknown:
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
