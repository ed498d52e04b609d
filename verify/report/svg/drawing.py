"""The few parts that every picture is made of. Escaping and nesting are ElementTree's."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from verify.text import LANGUAGES, Language, Text, printable

Attribute = str | int | float


class Picture:
    """An SVG element under construction, in user units; `x` to the right, `y` down."""

    def __init__(
        self,
        name: str,
        width: float,
        height: float,
        title: Text,
        first: Language,
        description: Text | None = None,
    ) -> None:
        """`first` is the language that a reader gets who looks at the first title only."""
        self.root = Element(
            "svg",
            {
                "class": name,
                "role": "img",
                "width": number(width),
                "height": number(height),
                "viewBox": f"0 0 {number(width)} {number(height)}",
            },
        )
        languages = sorted(LANGUAGES, key=lambda language: language != first)
        for tag, text in (("title", title), ("desc", description)):
            if text is None:
                continue
            if text.ja == text.en:
                ElementTree.SubElement(self.root, tag).text = printable(text.pick(first))
                continue
            for language in languages:
                child = ElementTree.SubElement(self.root, tag, {"lang": language})
                child.text = printable(text.pick(language))

    def add(self, tag: str, text: str | None = None, **attributes: Attribute) -> Element:
        """One shape. `class_` is `class`, and `data_rank` is `data-rank`."""
        return add(self.root, tag, text, **attributes)

    def group(self, name: str) -> Element:
        return ElementTree.SubElement(self.root, "g", {"class": name})

    def __str__(self) -> str:
        return ElementTree.tostring(self.root, encoding="unicode").replace(" />", "/>")


def add(parent: Element, tag: str, text: str | None = None, **attributes: Attribute) -> Element:
    """One shape inside another."""
    child = ElementTree.SubElement(
        parent,
        tag,
        {
            name.rstrip("_").replace("_", "-"): value
            if isinstance(value, str)
            else str(value)
            if name.startswith("data_")
            else number(value)
            for name, value in attributes.items()
        },
    )
    child.text = text
    return child


def number(value: float) -> str:
    """A coordinate to a hundredth, as short as it goes."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def boxes(places: Iterable[tuple[float, float, float, float]]) -> str:
    """The path of many rectangles `(x, y, width, height)`: a third of what elements would take."""
    return "".join(
        f"M{number(x)} {number(y)}h{number(w)}v{number(h)}h{number(-w)}z" for x, y, w, h in places
    )
