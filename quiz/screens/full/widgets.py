"""The pieces of the screen: lines that fit themselves to the width they are given."""

from __future__ import annotations

from collections.abc import Callable

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from quiz.screens.full.sheet import Row, joined


class Lines(Widget):
    """Rows drawn anew for each width; none of their text is markup.

    A row that stands for a choice can be clicked.
    """

    DEFAULT_CSS = "Lines { width: 1fr; height: auto; }"

    class Clicked(Message):
        """A choice was clicked."""

        def __init__(self, letter: str) -> None:
            super().__init__()
            self.letter = letter

    def __init__(self, draw: Callable[[int], list[Row]], *, id: str) -> None:
        super().__init__(id=id)
        self._draw = draw
        self._drawn: tuple[int, list[Row]] | None = None

    def changed(self) -> None:
        """Draw anew: what `draw` gives is no longer the same."""
        self._drawn = None
        self.refresh(layout=True)

    def rows(self, width: int) -> list[Row]:
        """The rows for that width, made once."""
        if self._drawn is None or self._drawn[0] != width:
            self._drawn = (width, self._draw(max(8, width)))
        return self._drawn[1]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.rows(width))

    def render(self) -> Content:
        return joined(self.rows(self.size.width))

    def on_click(self, event: events.Click) -> None:
        rows = self.rows(self.size.width)
        letter = rows[event.y].letter if 0 <= event.y < len(rows) else None
        if letter is not None:
            event.stop()
            self.post_message(self.Clicked(letter))
