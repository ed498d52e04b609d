"""Text for terminals that show ASCII alone: each sign of ours as one ASCII character of its width.

Letters of a language are left as they are: whoever reads Japanese has a terminal that shows it.
"""

from __future__ import annotations

from collections.abc import Sequence

from wcwidth import wcwidth

_SIGNS = str.maketrans(
    {
        "·": ".", "─": "-", "│": "|", "┃": "|", "├": "|", "┤": "|", "┌": "+", "┐": "+", "└": "+",
        "┘": "+", "┬": "+", "┴": "+", "┼": "+", "█": "#", "→": ">", "←": "<", "×": "x",
        "÷": "/", "−": "-", "–": "-", "—": "-", "…": "~", "±": "~", "≤": "<", "≥": ">", "≠": "!",
        "≈": "~", "√": "V", "⌈": "[", "⌉": "]", "⌊": "[", "⌋": "]", "“": '"', "”": '"', "‘": "'",
        "’": "'", "₂": "2", "Σ": "S", "η": "n", "θ": "t", "∇": "D", "⁻": "-",
        **{block: str(height) for height, block in enumerate("▁▂▃▄▅▆▇", start=1)},
        **{sign: str(digit) for digit, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    }
)  # fmt: skip


def plain(lines: Sequence[str]) -> list[str]:
    """The same lines, as wide as before, with no sign that such a terminal can't show.

    Other narrow characters outside ASCII become `?`; wide ones stay.
    """
    return [
        "".join(c if c.isascii() or wcwidth(c) != 1 else "?" for c in line.translate(_SIGNS))
        for line in lines
    ]
