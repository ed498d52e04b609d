"""JSON on one line of a terminal."""

from __future__ import annotations

import json
import re

_STEERING = re.compile(
    "[\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def json_line(value: object) -> str:
    """`value` as JSON. What JSON leaves as it is and a terminal would obey (controls from DEL on,
    line separators, marks of direction) is escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
