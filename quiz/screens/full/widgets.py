"""The pieces of the screen: lines that fit themselves to the width they are given."""

from __future__ import annotations

from collections.abc import Callable

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from quiz.screens.full.sheet import Row, joined
from verify.api import cells

WHEEL = 3  # rows that one notch of a mouse wheel moves


class Lines(Widget):
    """Rows drawn anew for each width; none of their text is markup."""

    DEFAULT_CSS = "Lines { width: 1fr; height: auto; }"
    margin = 0  # columns kept free at the right

    def __init__(self, draw: Callable[[int], list[Row]], *, id: str) -> None:
        super().__init__(id=id)
        self._draw = draw
        self._drawn: tuple[int, list[Row]] | None = None

    def changed(self) -> None:
        """Draw anew: what `draw` gives is no longer the same."""
        self._drawn = None
        self.refresh(layout=True)

    def rows(self, width: int) -> list[Row]:
        """The rows in so many columns, made once."""
        width = max(8, width - self.margin)
        if self._drawn is None or self._drawn[0] != width:
            self._drawn = (width, self._draw(width))
        return self._drawn[1]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.rows(width))

    def render(self) -> Content:
        return joined(self.rows(self.size.width))


class Area(Lines):
    """Rows of which as many are shown as there is room for, from `top` on.

    Where to look is known before anything is drawn, so a change shows in one step. A row that
    stands for a choice can be clicked.
    """

    DEFAULT_CSS = "Area { height: 1fr; }"
    margin = 1  # of the bar that shows which part is seen

    class Clicked(Message):
        """A choice was clicked."""

        def __init__(self, letter: str) -> None:
            super().__init__()
            self.letter = letter

    top = 0

    def look_at(self, row: int) -> None:
        """Begin with this row, or as near to it as there are rows."""
        self.top = max(0, row)
        self.refresh()

    def scroll_key(self, name: str) -> bool:
        """Move as the key asks; False where it asks for something else."""
        page = max(1, self.size.height - 1)
        steps = {"up": -1, "down": 1, "pageup": -page, "pagedown": page, "home": -self.top}
        if name not in (*steps, "end"):
            return False
        last = len(self.rows(self.size.width)) - self.size.height
        self.look_at(min(last, self.top + steps[name]) if name in steps else last)
        return True

    def render(self) -> Content:
        width, height = self.size
        rows = self.rows(width)
        self.top = max(0, min(self.top, len(rows) - height))
        shown = [row.content for row in rows[self.top : self.top + height]]
        if len(rows) <= height:
            return Content("\n").join(shown)
        first = round(self.top * height / len(rows))
        last = max(first + 1, round((self.top + height) * height / len(rows)))
        return Content("\n").join(
            Content.assemble(
                content,
                " " * (width - self.margin - cells(content.plain)),
                ("┃", "") if first <= number < last else ("│", "dim"),
            )
            for number, content in enumerate(shown)
        )

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.look_at(min(len(self.rows(self.size.width)) - self.size.height, self.top + WHEEL))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.look_at(self.top - WHEEL)

    def on_click(self, event: events.Click) -> None:
        rows, at = self.rows(self.size.width), self.top + event.y
        letter = rows[at].letter if 0 <= at < len(rows) else None
        if letter is not None:
            event.stop()
            self.post_message(self.Clicked(letter))
