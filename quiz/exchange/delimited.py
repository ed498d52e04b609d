"""Cards from text with one record a line: commas, tabs, semicolons or pipes between the fields.

Quotes are those of RFC 4180, `#name:value` lines at the top those of Anki's text files. A line
that isn't as it should be is reported by its number and left out; it never shifts the fields of
another.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from quiz.exchange.html_text import STEERING, Seen, deck_text, plain_text
from quiz.exchange.material import (
    LONGEST_FIELD,
    BadLine,
    Found,
    Material,
    distinct,
    refused,
    short_hash,
)
from verify.api import Text

LONGEST_RECORD = 200_000  # characters
_SEPARATORS = {
    "tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "colon": ":", "space": " ",
}  # fmt: skip
_GUESSED = "\t,;|"
_SAMPLE = 50  # records looked at to guess the separator
_HEADER = re.compile(r"#([a-z ]{1,30}):(.*)", re.IGNORECASE)
_COLUMN = re.compile(r"[1-9][0-9]{0,3}")
_NAMES: Mapping[str, tuple[str, ...]] = {
    "ask": ("ask", "question", "front", "問題", "質問", "問い", "表", "表面"),
    "answer": ("answer", "back", "解答", "答え", "回答", "正解", "裏", "裏面"),
    "explain": ("explain", "explanation", "extra", "解説", "説明", "補足"),
    "hint": ("hint", "ヒント"),
    "topic": ("topic", "tag", "tags", "話題", "タグ", "分野"),
    "guid": ("id", "guid"),
    "deck": ("deck", "デッキ"),
}

_UNCLOSED = Text(ja="引用符が閉じていません", en="a quote is left open")
_AFTER_QUOTE = Text(
    ja="閉じた引用符の後に文字があります",
    en="something follows a closing quote",
)
_EMPTY = Text(ja="問題か答えが空です", en="the question or the answer is empty")
_LONG = Text(ja="長すぎます", en="it is too long")
_AGAIN = Text(
    ja="{line} 行目と同じ問題です",
    en="line {line} has the same question",
)
_NO_RECORDS = Text(ja="カードになる行がありません", en="no line of it is a card")
_ONE_FIELD = Text(
    ja="区切り文字が見つかりません",
    en="no separator was found",
)
_SEPARATOR_HINT = Text(
    ja="1 行に問題と答えをコンマ、タブ、セミコロンのどれかで区切って書いてください。",
    en="Write a question and an answer on each line, with a comma, tab or semicolon between them.",
)


@dataclass(frozen=True, slots=True)
class Record:
    """One record and the number of the line where it begins; `bad` says why it is none."""

    line: int
    fields: tuple[str, ...] = ()
    bad: Text | None = None


def read(text: str, name: str) -> Material:
    """The cards of a text. Raises UsageError where nothing in it is one."""
    settings, body, first = _headers(text)
    separator = _separator(settings, body)
    if separator is None:
        raise refused(name, _ONE_FIELD, _SEPARATOR_HINT)
    found = list(records(body, separator, first))
    columns, found = _columns(settings, separator, found)
    reader = _Cards(name, settings, columns, Seen())
    cards = tuple(distinct(reader.cards(found)))
    if not cards:
        raise refused(name, _NO_RECORDS, _SEPARATOR_HINT)
    return Material(
        Text(ja=f"テキスト({len(found)} 件)", en=f"text, records: {len(found)}"),
        cards,
        bad=tuple(reader.bad),
        left=tuple(reader.left()),
    )


def records(text: str, separator: str, first: int = 1) -> Iterator[Record]:
    """The records of a text whose first line has the number `first`; empty lines are left out.

    After a bad record reading goes on at the line that follows the one where it began.
    """
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        if not lines[at].strip() or lines[at].startswith("#"):
            at += 1
            continue
        used, fields, bad = _record(lines, at, separator)
        yield Record(first + at, tuple(fields), bad)
        at += 1 if bad else used


def _record(lines: Sequence[str], at: int, separator: str) -> tuple[int, list[str], Text | None]:
    """How many lines a record takes, its fields, and what is wrong with it."""
    fields: list[str] = []
    line, used, start, size = lines[at], 1, 0, 0
    while True:
        if not line.startswith('"', start):
            end = line.find(separator, start)
            fields.append(line[start:] if end < 0 else line[start:end])
        else:
            parts: list[str] = []
            start += 1
            while True:
                end = line.find('"', start)
                if end < 0:
                    parts.append(line[start:] + "\n")
                    size += len(line)
                    if at + used >= len(lines) or size > LONGEST_RECORD:
                        return used, fields, _UNCLOSED
                    line, used, start = lines[at + used], used + 1, 0
                elif line.startswith('""', end):
                    parts.append(line[start : end + 1])
                    start = end + 2
                else:
                    parts.append(line[start:end])
                    start = end + 1
                    break
            fields.append("".join(parts))
            if start < len(line) and not line.startswith(separator, start):
                return used, fields, _AFTER_QUOTE
            end = start if start < len(line) else -1
        if end < 0:
            return used, fields, None
        start = end + len(separator)


def _headers(text: str) -> tuple[dict[str, str], str, int]:
    """The settings at the top, the rest, and the number of its first line."""
    settings: dict[str, str] = {}
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if (match := _HEADER.fullmatch(line)) is None:
            return settings, "\n".join(lines[number:]), number + 1
        settings[match[1].strip().lower()] = match[2].strip() or match[2]
    return settings, "", len(lines) + 1


def _separator(settings: Mapping[str, str], body: str) -> str | None:
    """The one that was named, else the one that cuts most records alike, into two or more."""
    if named := settings.get("separator"):
        return _SEPARATORS.get(named.lower(), named[:1])
    best: tuple[int, str] | None = None
    for candidate in _GUESSED:
        counts: Counter[int] = Counter()
        for number, record in enumerate(records(body, candidate)):
            if number >= _SAMPLE:
                break
            if record.bad is None:
                counts[len(record.fields)] += 1
        alike = max((n for fields, n in counts.items() if fields > 1), default=0)
        if alike and (best is None or alike > best[0]):
            best = alike, candidate
    return best[1] if best else None


def _columns(
    settings: Mapping[str, str], separator: str, found: list[Record]
) -> tuple[dict[str, int], list[Record]]:
    """Which column is what, and the records without the one that names the columns."""
    columns: dict[str, int] = {}
    for role in ("guid", "tags", "deck", "notetype"):
        given = settings.get(f"{role} column", "")
        if _COLUMN.fullmatch(given):
            columns["topic" if role == "tags" else role] = int(given) - 1
    taken = set(columns.values())
    named = settings.get("columns")
    heads = named.split(separator) if named else list(found[0].fields) if found else []
    roles = {
        role: column
        for column, head in enumerate(heads)
        for role, words in _NAMES.items()
        if head.strip().casefold() in words
    }
    if "ask" in roles and "answer" in roles:
        return {**roles, **columns}, found if named else found[1:]
    if "ask" not in columns:
        free = (column for column in range(10_000) if column not in taken)
        columns["ask"], columns["answer"] = next(free), next(free)
    return columns, found


@dataclass
class _Cards:
    name: str
    settings: Mapping[str, str]
    columns: Mapping[str, int]
    seen: Seen

    def __post_init__(self) -> None:
        self.bad: list[BadLine] = []
        self.is_html = self.settings.get("html", "").lower() == "true"
        self.unused: set[int] = set()

    def cards(self, found: Sequence[Record]) -> Iterator[Found]:
        counts = Counter(len(record.fields) for record in found if record.bad is None)
        wanted = counts.most_common(1)[0][0] if counts else 0
        lines: dict[str, int] = {}
        for record in found:
            if record.bad is not None:
                self._refuse(record, record.bad)
            elif len(record.fields) != wanted:
                have = len(record.fields)
                self._refuse(
                    record,
                    Text(
                        ja=f"列が {have} 個です(ほかの行は {wanted} 個)",
                        en=f"{have} fields, where others have {wanted}",
                    ),
                )
            elif (card := self._card(record)) is not None:
                if card.id in lines:
                    self._refuse(record, _AGAIN.fill(line=lines[card.id]))
                else:
                    lines[card.id] = record.line
                    yield card

    def left(self) -> Iterator[Text]:

        if self.unused:
            listed = ", ".join(str(column + 1) for column in sorted(self.unused)[:20])
            yield Text(ja=f"使わない列: {listed}", en=f"columns without a use: {listed}")
        pictures, sounds = self.seen.pictures, self.seen.sounds
        if pictures or sounds:
            yield Text(
                ja=f"画像 {pictures} か所と音声 {sounds} か所(名前だけ残しました)",
                en=f"pictures ({pictures}) and sounds ({sounds}), but for their names",
            )
        if self.seen.steering:
            yield STEERING.fill(count=self.seen.steering)

    def _card(self, record: Record) -> Found | None:
        if max(map(len, record.fields)) > LONGEST_FIELD:
            self._refuse(record, _LONG)
            return None
        for column, value in enumerate(record.fields):
            if value.strip() and column not in self.columns.values():
                self.unused.add(column)
        ask, answer = self._text(record, "ask"), self._text(record, "answer")
        if not ask or not answer:
            self._refuse(record, _EMPTY)
            return None
        guid = self._raw(record, "guid")
        identity = ("guid", guid) if guid else ("ask", ask)
        tags = self._text(record, "topic") or self.settings.get("tags", "")
        return Found(
            id=f"text-{short_hash(*identity)}",
            group=self._raw(record, "deck") or self.settings.get("deck") or self._stem(),
            ask=ask,
            answer=answer,
            source=f"imported from {self.name} (line {record.line}), unproven",
            explain=self._text(record, "explain") or None,
            hint=self._text(record, "hint") or None,
            topic=tags.strip() or None,
        )

    def _refuse(self, record: Record, why: Text) -> None:
        self.bad.append(BadLine(record.line, why))

    def _raw(self, record: Record, role: str) -> str:
        column = self.columns.get(role, -1)
        return record.fields[column].strip() if 0 <= column < len(record.fields) else ""

    def _text(self, record: Record, role: str) -> str:
        raw = self._raw(record, role)
        if self.is_html:
            return deck_text(raw, self.seen)
        return plain_text(raw, self.seen, dollars=True)

    def _stem(self) -> str:
        return self.name.rpartition(".")[0] or self.name
