"""Bytes to a tree of YAML nodes with positions, or to the problem that prevents one."""

from __future__ import annotations

import re
from typing import Any

import yaml

from quiz.deck import full_width
from quiz.deck.card import Position
from quiz.deck.problem import Problem, shown
from quiz.deck.scalars import STRING
from quiz.deck.source import LARGEST, Source
from verify.api import Text

DEEPEST = 12  # levels; the schema needs 8

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# What a YAML reader must refuse as raw text (YAML 1.1, section 5.1, "c-printable").
_NOT_PRINTABLE = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


_TELLING = frozenset(_Base.yaml_implicit_resolvers)  # first letters of what may not be text


class Refused(Exception):
    """The file as a whole can't be read; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message.pick("en"))
        self.problem = problem


class _Loader(_Base):  # type: ignore[misc]  # the C loader has no stubs
    """PyYAML's loader with its hooks around every node: the depth is bounded, tags come faster."""

    depth = 0

    def descend_resolver(self, parent: yaml.Node | None, _: object) -> None:
        self.depth += 1
        if self.depth > DEEPEST and parent is not None:
            raise yaml.MarkedYAMLError(problem="too deep", problem_mark=parent.start_mark)

    def ascend_resolver(self) -> None:
        self.depth -= 1

    def resolve(self, kind: type[yaml.Node], value: str | None, implicit: Any) -> str:
        """The tag, as PyYAML finds it: most scalars are text by their quotes or first letter."""
        if value and (not implicit[0] or value[0] not in _TELLING):
            return STRING
        tag: str = super().resolve(kind, value, implicit)
        return tag


def decode(data: bytes) -> Source:
    """UTF-8, with or without a byte-order mark. Raises Refused."""
    if len(data) > LARGEST:
        raise _refused(
            Position(1, 1),
            Text(ja="ファイルが 16 MiB を超えています。", en="The file is larger than 16 MiB."),
            Text(ja="デッキを分けてください。", en="Split the deck."),
            rule="file-size",
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = Source(data[: error.start].decode("utf-8").removeprefix("\ufeff"))
        raise _refused(
            before.position(len(before.text)),
            Text(
                ja=f"UTF-8 ではありません(バイト 0x{data[error.start]:02X})。",
                en=f"This is not UTF-8 (byte 0x{data[error.start]:02X}).",
            ),
            Text(ja="UTF-8 で保存してください。", en="Save the file as UTF-8."),
        ) from error
    source = Source(text.removeprefix("\ufeff"))
    if source.text.startswith("\ufeff"):  # libyaml would skip it and shift every position
        raise _refused_character(source, 0)
    return source


def compose(source: Source) -> yaml.Node | None:
    """The only document of the file, or None where there is none. Raises Refused."""
    loader = _Loader(source.text)
    try:
        node: yaml.Node | None = loader.get_single_node()
    except yaml.reader.ReaderError as error:  # it has no mark
        match = _NOT_PRINTABLE.search(source.text)
        raise _refused_character(source, match.start() if match else 0) from error
    except yaml.MarkedYAMLError as error:
        raise _not_yaml(error, source) from error
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise _not_yaml(yaml.MarkedYAMLError(problem="unreadable"), source) from error
    finally:
        loader.dispose()
    return node


def _refused(
    position: Position, message: Text, hint: Text | None = None, *, rule: str = "yaml-error"
) -> Refused:
    return Refused(Problem(rule, position, message, hint))


def _refused_character(source: Source, index: int) -> Refused:
    code = f"U+{ord(source.text[index]):04X}" if index < len(source.text) else "?"
    return Refused(
        Problem(
            "control-character",
            source.position(index),
            Text(
                ja=f"制御文字 {code} があるため、読めません。",
                en=f"The control character {code} makes the file unreadable.",
            ),
            Text(ja="UTF-8 で保存してください。", en="Save the file as UTF-8.")
            if code == "U+0000"  # every other byte of UTF-16
            else Text(ja="その文字を消してください。", en="Delete it."),
        )
    )


_QUOTE = Text(
    ja="記号を含む値は引用符で囲んでください:  key: 'a: b'",
    en="Put quotes around a value that holds such signs:  key: 'a: b'",
)
_BRACES = Text(
    ja="{ } や [ ] の中では、[ ] { } , や「: 」を含む値を引用符で囲んでください。",
    en="Within { } or [ ], quote a value that holds [ ], { }, a comma or a colon and a space.",
)
_SINGLE = Text(
    ja="二重引用符の中の \\ は特殊文字の印です。数式は単一引用符で囲んでください:  '$\\lambda$'",
    en="In double quotes \\ begins an escape. Put mathematics in single quotes:  '$\\lambda$'",
)
_SPACES = Text(ja="字下げには空白を使ってください。", en="Indent with spaces.")
_ESCAPE = Text(ja="二重引用符の中の不明な \\ です。", en="Unknown \\ escape in double quotes.")
_ANCHOR = Text(
    ja="「&」で始まる値はアンカーと読まれます。", en="A value that begins with & is an anchor."
)
_TAG = Text(ja="「!」で始まる値はタグと読まれます。", en="A value that begins with ! is a tag.")
_BLOCK = Text(
    ja="この行の「|」や「>」の後に文は書けません。", en="No text can follow | or > on its line."
)
_BELOW = Text(
    ja="文は次の行から、字下げして書いてください。",
    en="Write the text from the next line on, indented.",
)
_DIRECTIVE = Text(
    ja="「%」で始まる行は YAML への指示と読まれます。",
    en="A line that begins with % is a directive to YAML.",
)
# PyYAML's words (the beginning of `problem`), what they mean to an author, and the mending.
_MEANINGS: tuple[tuple[str, Text, Text | None], ...] = (
    (
        "too deep",
        Text(ja="入れ子が深すぎます。", en="This is nested too deeply."),
        Text(
            ja=f"デッキの入れ子は {DEEPEST} 段までです。",
            en=f"A deck is nested at most {DEEPEST} levels deep.",
        ),
    ),
    (
        "exceeded maximum nesting",
        Text(ja="入れ子が深すぎます。", en="This is nested too deeply."),
        Text(ja="括弧を閉じ忘れていませんか。", en="Is a bracket left open?"),
    ),
    (
        "but found another document",
        Text(ja="文書が二つあります。", en="There is a second document."),
        Text(
            ja="一つのファイルに一つのデッキを書き、「---」を消してください。",
            en="Write one deck per file and delete the “---”.",
        ),
    ),
    (
        "mapping values are not allowed",
        Text(ja="ここに「: 」は書けません。", en="A colon and a space can't stand here."),
        _QUOTE,
    ),
    (
        "found unknown escape character",
        _ESCAPE,
        _SINGLE,
    ),
    (
        "did not find expected hexdecimal number",
        _ESCAPE,
        _SINGLE,
    ),
    (
        "found undefined alias",
        Text(
            ja="「*」で始まる値は別名と読まれます。", en="A value that begins with * is an alias."
        ),
        _QUOTE,
    ),
    (
        "did not find expected alphabetic or numeric character",
        Text(
            ja="「*」や「&」で始まる値は別名やアンカーと読まれます。",
            en="A value that begins with * or & is an alias or an anchor.",
        ),
        _QUOTE,
    ),
    ("second occurrence", _ANCHOR, _QUOTE),  # "found duplicate anchor" is the context
    ("found undefined tag handle", _TAG, _QUOTE),
    ("did not find expected tag URI", _TAG, _QUOTE),
    ("did not find the expected '>'", _TAG, _QUOTE),
    ("did not find expected comment or line break", _BLOCK, _BELOW),
    ("found an indentation indicator equal to 0", _BLOCK, _BELOW),
    ("found a tab character", Text(ja="字下げにタブがあります。", en="A tab indents."), _SPACES),
    (
        "block sequence entries are not allowed",
        Text(ja="ここに「- 」は書けません。", en="A list can't begin here."),
        Text(
            ja="リストは次の行から始めてください。文なら引用符で囲んでください:  key: '- a'",
            en="Begin a list on the next line, or put quotes around text:  key: '- a'",
        ),
    ),
    (
        "mapping keys are not allowed",
        Text(ja="ここに「? 」は書けません。", en="A question mark and a space can't stand here."),
        _QUOTE,
    ),
    (
        "did not find expected '-' indicator",
        Text(ja="ここには「- 」が必要です。", en="A hyphen and a space are expected here."),
        Text(ja="字下げをそろえてください。", en="Check the indentation."),
    ),
    (
        "did not find expected node content",
        Text(ja="この文字で値は始められません。", en="A value can't begin with this character."),
        _QUOTE,
    ),
    (
        "found unexpected document indicator",
        Text(
            ja="引用符の中の行が「---」か「...」で始まっています。",
            en="A line within quotes begins with “---” or “...”.",
        ),
        Text(ja="その行を字下げしてください。", en="Indent that line."),
    ),
    (
        "did not find expected <document start>",
        Text(ja="文書はここまでに終わっています。", en="The document has ended before this."),
        Text(
            ja="「...」の行と「%」で始まる行を消してください。",
            en="Delete lines that are “...” or begin with %.",
        ),
    ),
    ("found invalid Unicode character escape code", _ESCAPE, _SINGLE),
    (
        "did not find expected ',' or",
        Text(
            ja="括弧が閉じていないか、値が括弧を含んでいます。",
            en="A bracket is left open, or a value holds one.",
        ),
        _BRACES,
    ),
    (
        "found character that cannot start any token",
        Text(
            ja="値はこの文字(タブ、@、` など)では始められません。",
            en="Nothing can begin with this character (a tab, @, ` …).",
        ),
        Text(
            ja="字下げには空白を使い、値は引用符で囲んでください。",
            en="Indent with spaces, and put quotes around the value.",
        ),
    ),
    (
        "found unexpected end of stream",
        Text(ja="引用符か括弧が閉じていません。", en="A quote or a bracket is left open."),
        None,
    ),
    (
        "could not find expected ':'",
        Text(ja="「キー: 値」の「:」がありません。", en="The colon of “key: value” is missing."),
        None,
    ),
    (
        "did not find expected key",
        Text(ja="ここにはキーが必要です。", en="A key is expected here."),
        Text(
            ja="字下げをそろえ、引用符の外に文字がないか確かめてください。",
            en="Check the indentation, and that nothing follows a closing quote.",
        ),
    ),
)


_RULES = {
    "too deep": "nesting-depth",
    "exceeded maximum nesting": "nesting-depth",
    "found undefined alias": "yaml-feature",
    "did not find expected alphabetic or numeric character": "yaml-feature",
    "second occurrence": "yaml-feature",
    "found undefined tag handle": "yaml-feature",
}


def _not_yaml(error: yaml.MarkedYAMLError, source: Source) -> Refused:
    mark = error.problem_mark or error.context_mark
    position = Position(mark.line + 1, mark.column + 1) if mark else Position(1, 1)
    problem = error.problem or "?"
    if (sign := full_width.before_error(source, position.line)) is not None:
        return Refused(sign)
    if (mark_index := source.line(position.line).find("\ufeff")) >= 0:  # of files put together
        return _refused_character(source, source.offset(position.line) + mark_index)
    if source.line(position.line).startswith("%"):
        return _refused(position, _DIRECTIVE, Text(ja="消してください。", en="Delete it."))
    for words, message, hint in _MEANINGS:
        if problem.startswith(words):
            return _refused(position, message, hint, rule=_RULES.get(words, "yaml-error"))
    # libyaml writes "while increasing flow level" into `context` and the limit into `problem`.
    return _refused(
        position,
        Text(
            ja=f"YAML として読めません({shown(problem, 80)})。",
            en=f"This is not valid YAML: {shown(problem, 80)}.",
        ),
    )
