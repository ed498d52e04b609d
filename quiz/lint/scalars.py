"""Where the scalars of a file stand: outside, `#` begins a comment and spaces mean nothing."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import yaml

from quiz.deck.source import Source

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Scalars:
    """The stretches of a file's scalars that are quoted or over several lines."""

    def __init__(self, source: Source) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        loader = _Loader(source.text)
        try:
            while (token := loader.get_token()) is not None:
                if isinstance(token, yaml.ScalarToken):
                    start, end = token.start_mark, token.end_mark
                    if token.style or start.line != end.line:
                        self._starts.append(start.index)
                        self._ends.append(end.index)
        except (yaml.YAMLError, ValueError, OverflowError):
            pass  # what stands behind the error is nothing to anyone
        finally:
            loader.dispose()

    def holds(self, index: int) -> bool:
        """Whether the character at this offset is part of such a scalar."""
        place = bisect_right(self._starts, index) - 1
        return place >= 0 and index < self._ends[place]
