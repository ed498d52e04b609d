"""Anki's templates; the right values are Anki's own, from its manual (Card Templates)."""

import pytest

from quiz.exchange.templates import Template, back, clozes, front

FIELDS = {"Front": "Q", "Back": "A", "Extra": "", "Text": "{{c1::x::hint}} {{c2::y}} {{c1::z}}"}


@pytest.mark.parametrize(
    ("template", "cloze", "shown"),
    [
        ("{{Front}}!", None, "Q!"),
        ("{{ Front }}", None, "Q"),
        ("{{Missing}}", None, ""),
        ("{{#Extra}}yes{{/Extra}}{{^Extra}}no{{/Extra}}", None, "no"),
        ("{{#Front}}a{{#Extra}}b{{Back}}{{/Extra}}c{{/Front}}", None, "ac"),
        ("{{text:Front}}{{furigana:Front}}", None, "QQ"),
        ("{{hint:Front}}{{type:Front}}{{tts en_US:Front}}", None, ""),
        ("{{cloze:Text}}", 1, "[hint] y […]"),
        ("{{cloze:Text}}", 2, "x […] z"),
        ("{{#c2}}two{{/c2}}", 2, "two"),
        ("{{#c2}}two{{/c2}}", 1, ""),
        ("{{/Front}}{{#Front}}open", None, "open"),
    ],
)
def test_the_front(template, cloze, shown):
    assert front(Template(template, ""), FIELDS, cloze) == shown


@pytest.mark.parametrize(
    ("template", "cloze", "before", "after"),
    [
        ("{{FrontSide}}<hr id=answer>{{Back}}", None, "", "A"),
        ('{{Front}}\n<hr class="x" id="answer">\n{{Back}}', None, "Q\n", "\nA"),
        ("{{Back}}", None, "", "A"),
        ("{{cloze:Text}} {{Back}}", 1, "", "x; z A"),
        ("{{type:Back}}", None, "", "A"),
    ],
)
def test_the_back(template, cloze, before, after):
    assert back(Template("", template), FIELDS, cloze) == (before, after)


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("{{c1::a {{c2::b}} c}}", {2: ["b"], 1: ["a b c"]}),
        ("{{c1::open", {}),
        ("stray }} {{c3::x}}", {3: ["x"]}),
        (r"\({{c1::n}}\)", {1: [r"\(n\)"]}),
    ],
)
def test_clozes(text, hidden):
    assert clozes(text) == hidden
