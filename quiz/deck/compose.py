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
from quiz.deck.yaml_errors import DEEPEST, DIRECTIVE, MEANINGS, RULES
from verify.api import Text

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


def _not_yaml(error: yaml.MarkedYAMLError, source: Source) -> Refused:
    mark = error.problem_mark or error.context_mark
    position = Position(mark.line + 1, mark.column + 1) if mark else Position(1, 1)
    problem = error.problem or "?"
    if (sign := full_width.before_error(source, position.line)) is not None:
        return Refused(sign)
    if (mark_index := source.line(position.line).find("\ufeff")) >= 0:  # of files put together
        return _refused_character(source, source.offset(position.line) + mark_index)
    if source.line(position.line).startswith("%"):
        return _refused(position, DIRECTIVE, Text(ja="消してください。", en="Delete it."))
    for words, message, hint in MEANINGS:
        if problem.startswith(words):
            return _refused(position, message, hint, rule=RULES.get(words, "yaml-error"))
    # libyaml writes "while increasing flow level" into `context` and the limit into `problem`.
    return _refused(
        position,
        Text(
            ja=f"YAML として読めません({shown(problem, 80)})。",
            en=f"This is not valid YAML: {shown(problem, 80)}.",
        ),
    )
