"""A file of any known format to its cards: told apart by content, not by name."""

from __future__ import annotations

import codecs
from datetime import timezone
from pathlib import Path

from quiz.exchange import delimited, hashcards, package
from quiz.exchange.material import LONGEST_FILE, Material, refused
from verify.api import Text, UsageError, cut, printable, verbatim

_PACKAGES = (".apkg", ".colpkg")
_DECKS = (".yaml", ".yml")
_FORMATS = Text(
    ja="取り込めるもの: Anki の .apkg と .colpkg、CSV などの区切りテキスト、hashcards の"
    " Markdown、proofdeck の記録(quiz.db)。",
    en="What can be imported: Anki's .apkg and .colpkg, CSV and the like, Markdown of hashcards,"
    " and a log of proofdeck (quiz.db).",
)
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read(path: Path, zone: timezone | None) -> Material:
    """The cards in a file. `zone` is that of the learner, None for the local one.

    Raises UsageError where there are none, or the file isn't to be trusted.
    """
    name = path.name
    data = _head(path)
    if data.startswith(package.MAGIC) or path.suffix.lower() in _PACKAGES:
        from quiz.exchange import anki

        return anki.read(path, zone)
    if path.suffix.lower() in _DECKS:
        raise refused(
            name,
            Text(ja="これはデッキです", en="this is a deck already"),
            Text(
                ja="QUIZ_HOME の decks フォルダーに置けば、そのまま使えます。",
                en="Put it into the folder decks of QUIZ_HOME to use it as it is.",
            ),
        )
    text = _text(path)
    markdown = path.suffix.lower() in (".md", ".markdown") or hashcards.looks_so(text)
    return hashcards.read(text, name) if markdown else delimited.read(text, name)


def _head(path: Path) -> bytes:
    shown = cut(printable(str(path)), 120)
    if path.exists() and not path.is_file():
        raise UsageError(
            Text(
                ja=f"{shown} はファイルではなく、フォルダーかパイプなどです。",
                en=f"{shown} is a folder, a pipe or a device, not a file.",
            )
        )
    if not path.is_file():
        raise UsageError(
            Text(ja=f"{shown} というファイルはありません。", en=f"There is no file {shown}.")
        )
    try:
        with path.open("rb") as file:
            return file.read(16)
    except OSError as error:
        raise refused(path.name, _reason(error)) from error


def _text(path: Path) -> str:
    """UTF-8, with or without its mark, or UTF-16 with it; line breaks as `\\n`."""
    try:
        with path.open("rb") as file:
            data = file.read(LONGEST_FILE + 1)
    except OSError as error:
        raise refused(path.name, _reason(error)) from error
    if len(data) > LONGEST_FILE:
        too_large = Text(ja="16 MiB を超えています", en="it is larger than 16 MiB")
        raise refused(path.name, too_large)
    encoding = "utf-16" if data.startswith(_UTF_16) else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise refused(
            path.name,
            Text(ja=f"{line} 行目が UTF-8 ではありません", en=f"line {line} is not UTF-8"),
            Text(ja="UTF-8 で保存してください。", en="Save the file as UTF-8."),
        ) from error
    if "\0" in text:
        unknown = Text(ja="取り込める形式ではありません", en="this is nothing that can be imported")
        raise refused(path.name, unknown, _FORMATS)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _reason(error: OSError) -> Text:
    return verbatim(error.strerror or str(error))
