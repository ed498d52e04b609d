"""One timeline from the spans of all ranks."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from verify.evidence import Span


def align(ranks: Sequence[Sequence[Span]]) -> tuple[Span, ...]:
    """All spans, by rank and start, in seconds since the first of them."""
    spans = [span for rank in ranks for span in rank]
    if not spans:
        return ()
    origin = min(span.start for span in spans)
    return tuple(
        dataclasses.replace(span, start=span.start - origin, end=span.end - origin)
        for span in sorted(spans, key=lambda s: (s.rank, s.start))
    )
