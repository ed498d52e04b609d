"""Two looks: the terminal's own colours, and black and white for those who need the contrast."""

from __future__ import annotations

from textual.theme import BUILTIN_THEMES, Theme

ORDINARY, CONTRAST = "ordinary", "contrast"
_OWN = "ansi_default"

THEMES = (
    Theme(
        name=ORDINARY,
        ansi=True,
        primary="ansi_blue",
        foreground=_OWN,
        background=_OWN,
        surface=_OWN,
        panel=_OWN,
        boost=_OWN,
        variables=BUILTIN_THEMES["ansi-dark"].variables,
    ),
    Theme(
        name=CONTRAST,
        primary="#ffff00",
        foreground="#ffffff",
        background="#000000",
        surface="#000000",
        panel="#000000",
        boost="#000000",
    ),
)
