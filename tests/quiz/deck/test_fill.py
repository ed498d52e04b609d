from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.deck.fill import fill

VALUES = {"ranks": 4, "payload": "4 MiB", "sneaky": "{ranks} $x$"}


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{ranks} 台で {payload}", "4 台で 4 MiB"),
        ("{unknown} stays, {ranks}", "{unknown} stays, 4"),
        ("$x_{ranks}$ and {ranks}", "$x_{ranks}$ and 4"),
        ("$$\\frac{ranks}{payload}$$ {ranks}", "$$\\frac{ranks}{payload}$$ 4"),
        ("{sneaky} {payload}", "{ranks} $x$ 4 MiB"),  # one pass
        ("costs 5$ for {ranks}", "costs 5$ for 4"),  # a lone dollar is no mathematics
        (r"\$ {ranks} \$", r"\$ 4 \$"),
        ("$a$ {ranks} $b$", "$a$ 4 $b$"),
        (
            "{{ranks}} {ranks!r} {ranks:>9} {ranks.real} {}",
            "{4} {ranks!r} {ranks:>9} {ranks.real} {}",
        ),
        ("", ""),
    ],
)
def test_names_are_filled_outside_mathematics(text: str, filled: str) -> None:
    assert fill(text, VALUES) == filled


@given(st.text())
def test_without_values_nothing_changes(text: str) -> None:
    assert fill(text, {}) == text
