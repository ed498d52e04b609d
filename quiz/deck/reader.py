"""Checked reading of YAML nodes: each method returns a value and notes what is wrong with the node.

After a problem a method returns a harmless value of its type; whoever builds a card drops it when
the number of problems has grown. No general validator stands here: at 10,000 cards it would cost
more than parsing the file.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping
from typing import TypeGuard, TypeVar

import yaml

from quiz.deck import full_width
from quiz.deck.card import Mark, Place, Position
from quiz.deck.problem import CONTROL, Edit, Problem, shown
from quiz.deck.scalars import (
    BOOLEAN,
    STRING,
    broken_latex,
    escape_meaning,
    is_plain_text,
    number,
    reading,
)
from quiz.deck.source import Source
from verify.api import LANGUAGES, Text, Value

Pair = tuple[yaml.Node, yaml.Node]
Wanted = TypeVar("Wanted", bound=yaml.Node)

_FEATURES = "&!"  # how an anchor and a tag begin
_ENOUGH_SUGGESTIONS = 100  # looking for the nearest key takes time, and nobody reads so many
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_KINDS: dict[type[yaml.Node], Text] = {
    yaml.ScalarNode: Text(ja="値", en="a value"),
    yaml.SequenceNode: Text(ja="リスト", en="a list"),
    yaml.MappingNode: Text(ja="キーと値の組", en="keys and values"),
}


class Reader:
    """Reads nodes of one file. `problems` grows; `places` and `card` belong to the current card."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._text = source.text + "\n"  # an empty value at the end of the file stands behind it
        self.problems: list[Problem] = []
        self.places: dict[Place, Mark | Position] = {}
        self.card: str | None = None

    # Problems

    def refuse(
        self,
        rule: str,
        node: yaml.Node,
        message: Text,
        hint: Text | None = None,
        *,
        fixes: tuple[Edit, ...] = (),
    ) -> None:
        """Note a problem with the whole of `node`."""
        self.problems.append(
            Problem(rule, start(node), message, hint, end=_end(node), card=self.card, fixes=fixes)
        )

    def refuse_at(
        self,
        rule: str,
        index: int,
        length: int,
        message: Text,
        hint: Text | None = None,
        *,
        fixes: tuple[Edit, ...] = (),
    ) -> None:
        """Note a problem with `length` characters of the text."""
        position = self.source.position(index)
        end = Position(position.line, position.column + length)
        self.problems.append(
            Problem(rule, position, message, hint, end=end, card=self.card, fixes=fixes)
        )

    # Structure

    def mapping(self, node: yaml.Node, allowed: Collection[str] | None = None) -> dict[str, Pair]:
        """key → (key node, value node). Keys that are not as they should be are refused."""
        found: dict[str, Pair] = {}
        if not self._is(node, yaml.MappingNode):
            return found
        for pair in node.value:
            key = pair[0]
            if (
                type(key) is yaml.ScalarNode
                and key.tag == STRING
                and (allowed is None or key.value in allowed)
                and key.value not in found
                and self._text[key.start_mark.index] not in _FEATURES
            ):
                found[key.value] = pair
            else:
                self._refuse_key(key, found, allowed or ())
        return found

    def fields(
        self,
        node: yaml.Node,
        place: Place,
        allowed: Collection[str],
        required: Iterable[str] = (),
    ) -> dict[str, yaml.Node]:
        """The values of a mapping whose keys are known; unknown and missing keys are refused."""
        self.places[place] = node.start_mark
        before = len(self.problems)
        values = {name: pair[1] for name, pair in self.mapping(node, allowed).items()}
        if len(self.problems) == before:  # a misspelt key would be named twice
            for name in required:
                if name not in values:
                    self.missing(node, name)
        return values

    def missing(self, node: yaml.Node, name: str) -> None:
        """Refuse a mapping for want of a key."""
        position = start(node)
        self.problems.append(
            Problem(
                "schema",
                position,
                Text(ja=f"キー {name} がありません。", en=f"The key {name} is missing."),
                Text(ja=f"{name}: … を加えてください。", en=f"Add {name}: …"),
                card=self.card,
            )
        )

    def items(self, node: yaml.Node, place: Place) -> list[yaml.Node]:
        """The elements of a list that isn't empty."""
        self.places[place] = node.start_mark
        if not self._is(node, yaml.SequenceNode):
            return []
        if not node.value:
            self.refuse("schema", node, Text(ja="リストが空です。", en="The list is empty."))
        return list(node.value)

    # Scalars

    def string(self, node: yaml.Node, place: Place, *, prose: bool = True) -> str:
        """One text as it stands in the file, without control characters; never empty."""
        mark = node.start_mark
        self.places[place] = mark
        if type(node) is not yaml.ScalarNode or self._text[mark.index] in _FEATURES:
            self._refuse_node(node, yaml.ScalarNode)  # written out: half of all nodes pass here
            return ""
        value: str = node.value
        if not is_plain_text(node):
            self._refuse_changed(node, quotable=prose)
        elif not value or value.isspace():
            self._refuse_empty(node)
        elif node.style == '"' and self._refuse_latex(node, place):
            pass
        elif not value.isprintable() and (bad := CONTROL.search(value)):
            self._refuse_control(node, bad[0])
        return value

    def code(self, node: yaml.Node, place: Place) -> str:
        """A claim or an expression; its place is where its first character stands."""
        value = self.string(node, place)
        if isinstance(node, yaml.ScalarNode) and node.style in ("'", '"'):
            mark = node.start_mark
            self.places[place] = Position(mark.line + 1, mark.column + 2)
        return value

    def text(self, node: yaml.Node, place: Place) -> Text:
        """One string, or one per language."""
        if not isinstance(node, yaml.MappingNode):
            value = self.string(node, place)
            return Text(ja=value, en=value)
        before = len(self.problems)
        written = {
            language: self.string(value, (*place, language))
            for language, value in self.fields(node, place, LANGUAGES).items()
        }
        if not written:
            if len(self.problems) == before:
                self.refuse(
                    "schema",
                    node,
                    Text(ja="文がありません。", en="The text is missing."),
                    Text(ja="{ja: …, en: …} と書いてください。", en="Write {ja: …, en: …}."),
                )
            return Text(en="")
        return Text(**written)

    def value(self, node: yaml.Node, place: Place, *, switches: bool) -> Value:
        """A parameter's value: a number, text, or (where `switches`) true and false."""
        if isinstance(node, yaml.ScalarNode) and not node.style and self._is(node, yaml.ScalarNode):
            read = number(node.value)
            if node.tag == BOOLEAN and switches and node.value in ("true", "false"):
                read = node.value == "true"
            if read is not None:
                self.places[place] = node.start_mark
                return read
        before = len(self.problems)
        text = self.string(node, place, prose=False)
        if isinstance(node, yaml.ScalarNode) and not node.style and len(self.problems) == before:
            self._refuse_full_width(node, key=False)
        return text

    # What is wrong

    def _is(self, node: yaml.Node, wanted: type[Wanted]) -> TypeGuard[Wanted]:
        """Whether the node is of the wanted type and without anchor or tag; else it is refused."""
        if type(node) is wanted and self._text[node.start_mark.index] not in _FEATURES:
            return True
        self._refuse_node(node, wanted)
        return False

    def _refuse_node(self, node: yaml.Node, wanted: type[yaml.Node]) -> None:
        if self._text[node.start_mark.index] in _FEATURES:
            self.refuse(
                "yaml-feature",
                node,
                Text(
                    ja="デッキではアンカー(&)、別名(*)、タグ(!)を使えません。",
                    en="A deck has no anchors (&), aliases (*) or tags (!).",
                ),
                Text(
                    ja="値をそのまま書くか、文なら引用符で囲んでください。",
                    en="Write the value out or, if it is text, put quotes around it.",
                ),
            )
            return
        if self._refuse_full_width(node, key=False):
            return
        want, have = _KINDS[wanted], _KINDS[type(node)]
        if isinstance(node, yaml.ScalarNode) and not node.value:
            have = Text(ja="空", en="nothing")
        self.refuse(
            "schema",
            node,
            Text(
                ja=f"ここには{want.ja}が必要ですが、{have.ja}になっています。",
                en=f"Here should be {want.en}, not {have.en}.",
            ),
            Text(
                ja="{ や [ で始まる文は引用符で囲んでください。",
                en="Put quotes around text that begins with { or [.",
            )
            if wanted is yaml.ScalarNode
            else None,
        )

    def _refuse_key(
        self, key: yaml.Node, found: Mapping[str, Pair], allowed: Collection[str]
    ) -> None:
        if not self._is(key, yaml.ScalarNode):
            return
        if key.tag != STRING:
            self._refuse_changed(key)
        elif key.value in found:
            self._refuse_duplicate(key, found[key.value][0])
        else:
            self._refuse_unknown(key, key.value, allowed)

    def _refuse_empty(self, node: yaml.Node) -> None:
        self.refuse(
            "schema",
            node,
            Text(ja="値が空です。", en="The value is empty."),
            Text(ja="値を書くか、キーを消してください。", en="Write a value or delete the key."),
        )

    def _refuse_changed(self, node: yaml.ScalarNode, *, quotable: bool = False) -> None:
        if not node.value:
            return self._refuse_empty(node)
        name, read = shown(node.value), reading(node)
        message = (
            Text(
                ja=f"{name} は文として読まれません。",
                en=f"{name} isn't read as text.",
            )
            if read in (None, name)  # 12 or a date: how it is read says nothing new
            else Text(ja=f"{name} は {read} と読まれます。", en=f"{name} is read as {read}.")
        )
        quoted = "'" + name.replace("'", "''") + "'"
        stretch = node.start_mark.index, node.end_mark.index
        plain = quotable and self._text[slice(*stretch)] == node.value == name
        self.refuse(
            "changed-scalar",
            node,
            message,
            Text(
                ja=f"文なら引用符で囲み、数なら 10 進数で書いてください:  {quoted}",
                en=f"Put quotes around text, and write a number in plain decimals:  {quoted}",
            ),
            fixes=(Edit(*stretch, quoted),) if plain else (),
        )
        return None

    def _refuse_duplicate(self, key: yaml.ScalarNode, first: yaml.Node) -> None:
        name, line = shown(key.value), first.start_mark.line + 1
        self.refuse(
            "duplicate-key",
            key,
            Text(
                ja=f"キー {name} は {line} 行目にもあります。",
                en=f"The key {name} is already on line {line}.",
            ),
            Text(
                ja="YAML は前の値を黙って捨てます。一つだけ残してください。",
                en="YAML would silently drop the first value. Keep one.",
            ),
        )

    def _refuse_full_width(self, node: yaml.Node, *, key: bool) -> bool:
        """Blame a full-width sign in the place of YAML's own, where there is one."""
        start = node.start_mark.index
        raw = self.source.text[start : node.end_mark.index]
        index = full_width.in_place_of_syntax(raw, key=key)
        if index is not None:
            self.problems.append(full_width.problem(self.source, start + index, self.card))
        return index is not None

    def _refuse_unknown(self, key: yaml.ScalarNode, name: str, allowed: Collection[str]) -> None:
        if self._refuse_full_width(key, key=True):
            return
        if bad := CONTROL.search(name):  # what is seen of it may be a known key
            self._refuse_control(key, bad[0])
            return
        close = (
            difflib.get_close_matches(name, allowed, n=1)
            if len(name) <= 40 and len(self.problems) < _ENOUGH_SUGGESTIONS
            else []
        )
        known = ", ".join(allowed)
        self.refuse(
            "schema",
            key,
            Text(ja=f"不明なキー {shown(name)} です。", en=f"Unknown key {shown(name)}."),
            Text(ja=f"{close[0]} のことですか。", en=f"Did you mean {close[0]}?")
            if close
            else Text(ja=f"使えるキー: {known}", en=f"Possible keys: {known}"),
        )

    def _refuse_control(self, node: yaml.ScalarNode, character: str) -> None:
        code = f"U+{ord(character):04X}"
        raw = self.source.text[node.start_mark.index : node.end_mark.index]
        message = Text(
            ja=f"画面を乱す制御文字 {code} があります。",
            en=f"There is the control character {code}, which would disturb the screen.",
        )
        hint = Text(ja="その文字を消してください。", en="Delete it.")
        if character in raw:
            self.refuse_at(
                "control-character",
                node.start_mark.index + raw.index(character),
                1,
                message,
                hint,
            )
        else:  # it came from an escape
            self.refuse(
                "control-character",
                node,
                message,
                Text(
                    ja="その文字になる \\ の並びを消すか、単一引用符を使ってください。",
                    en="Delete the \\ escape that makes it, or use single quotes.",
                ),
            )

    def _refuse_latex(self, node: yaml.ScalarNode, place: Place) -> bool:
        start = node.start_mark.index
        raw = self.source.text[start : node.end_mark.index]
        if "\\" not in raw:
            return False
        broken = list(broken_latex(raw))
        for offset, command in broken[:1]:
            letter, rest, name = command[0], command[1:], escape_meaning(command)
            left = f"「{rest}」" if rest else ""
            inner = shown(raw[1:-1].replace("'", "''"), 50)
            key = f"{place[-1]}: " if isinstance(place[-1], str) else ""
            self.refuse_at(
                "latex-in-double-quotes",
                start + offset,
                len(command) + 1,
                Text(
                    ja=f"二重引用符の中の「\\{letter}」は{name.ja}なので、"
                    f"読み手には{left or '数式'}{'としか' if rest else 'が'}見えません。",
                    en=f'"\\{letter}" in double quotes is {name.en}, '
                    + (f'so the reader sees "{rest}".' if rest else "so the command is lost."),
                ),
                Text(
                    ja=f"単一引用符かブロックスカラーを使ってください:  {key}'{inner}'",
                    en=f"Use single quotes or a block scalar:  {key}'{inner}'",
                ),
                fixes=self._single_quoted(raw, start, [at for at, _ in broken]),
            )
        return bool(broken)

    def _single_quoted(self, raw: str, start: int, commands: list[int]) -> tuple[Edit, ...]:
        """The scalar in single quotes, where every escape in it is LaTeX, a quote or a backslash.

        A line break that was meant can't be told from `\\n` of a command, so both together are
        left to the author.
        """
        escapes = {match.start(): match[0] for match in _ESCAPE.finditer(raw)}
        meant = all(e in ('\\"', "\\\\") or at in commands for at, e in escapes.items())
        if "\n" in raw or not meant:
            return ()
        text = re.sub(r'\\(["\\])', r"\1", raw[1:-1]).replace("'", "''")
        return (Edit(start, start + len(raw), f"'{text}'"),)


def start(node: yaml.Node) -> Position:
    """Where a node begins."""
    mark = node.start_mark
    return Position(mark.line + 1, mark.column + 1)


def _end(node: yaml.Node) -> Position | None:
    """The end of a node on one line; a longer one is marked to the end of its first line."""
    if node.end_mark.line != node.start_mark.line:
        return None
    return Position(node.end_mark.line + 1, node.end_mark.column + 1)
