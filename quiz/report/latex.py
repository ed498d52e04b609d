r"""Deck text as HTML: paragraphs, with LaTeX between `$` as MathML.

The LaTeX of a deck is hostile like the rest of it, and the converter passes some of it on as it
stands (`\text{<b>}`, `\href`, `\style`). So its tree is rebuilt here from what a formula needs, and
whatever isn't that, or can't be converted, is shown as its source.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from markupsafe import Markup, escape

from quiz.deck.fill import MATHEMATICS
from verify.api import printable

LONGEST = 2000  # characters of a formula
_ELEMENTS = frozenset({
    "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "msup", "msub", "msubsup", "mover",
    "munder", "munderover", "mfrac", "msqrt", "mroot", "mtable", "mtr", "mtd", "mstyle", "mpadded",
    "mphantom",
})  # fmt: skip
_ATTRIBUTES: Mapping[str, frozenset[str]] = {
    "displaystyle": frozenset({"true", "false"}),
    "stretchy": frozenset({"true", "false"}),
    "fence": frozenset({"true", "false"}),
    "form": frozenset({"prefix", "infix", "postfix"}),
    "mathvariant": frozenset({"normal"}),
    "accent": frozenset({"true", "false"}),
    "linethickness": frozenset({"0"}),
}


def inline(text: str, names: frozenset[str] = frozenset()) -> Markup:
    """One run of text. `{name}` of `names` stands out as a variable; all else is escaped."""
    pieces, end = [], 0
    for formula in MATHEMATICS.finditer(text):
        pieces += [_plain(text[end : formula.start()], names), _formula(formula[0])]
        end = formula.end()
    return Markup("").join([*pieces, _plain(text[end:], names)])


def paragraphs(text: str, names: frozenset[str] = frozenset()) -> Markup:
    """The lines of a text as paragraphs."""
    lines = [line for line in text.split("\n") if line.strip()]
    return Markup("").join(Markup("<p>{}</p>").format(inline(line, names)) for line in lines)


def _plain(text: str, names: frozenset[str]) -> Markup:
    made = str(escape(printable(text.replace(r"\$", "$"))))
    for name in names:
        made = made.replace(f"{{{name}}}", f"<var>{name}</var>")
    return Markup(made)


def _formula(source: str) -> Markup:
    try:
        tree = _convert(source)
    except Exception:  # whatever the converter stumbles over, the reader still gets the formula
        return Markup("<code>{}</code>").format(printable(source))
    return Markup(ElementTree.tostring(tree, encoding="unicode"))


def _convert(source: str) -> Element:
    """Raises ValueError, or anything that the converter raises."""
    from latex2mathml.converter import convert_to_element

    if len(source) > LONGEST:
        raise ValueError("too long")
    block = source.startswith("$$")
    tree = convert_to_element(source.strip("$"), display="block" if block else "inline")
    clean = _clean(tree)
    if block:
        clean.set("display", "block")
    return clean


def _clean(node: Element) -> Element:
    if node.tag not in _ELEMENTS:
        raise ValueError(f"no element of a formula: {node.tag}")
    text = printable(html.unescape(node.text or ""))
    if text.startswith("\\") and len(text) > 1:
        raise ValueError(f"an unknown command: {text}")
    kept = {n: v for n, v in node.attrib.items() if v in _ATTRIBUTES.get(n, ())}
    clean = Element(node.tag, kept)
    clean.text = text
    clean.extend(_clean(child) for child in node)
    return clean
