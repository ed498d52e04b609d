"""Which language to speak: QUIZ_LANG, else the locale."""

from __future__ import annotations

from collections.abc import Mapping

from verify.errors import UsageError
from verify.report.columns import cut
from verify.text import LANGUAGES, Language, Text, printable


def chosen(name: str, origin: str) -> Language:
    """The language called `name`; `origin` says where the name was given.

    Raises UsageError where it is neither `ja` nor `en`.
    """
    for language in LANGUAGES:
        if name.strip().lower() == language:
            return language
    shown = cut(printable(name), 40)
    raise UsageError(
        Text(
            ja=f"{origin} の値 {shown} は使えません。ja か en を指定してください。",
            en=f"{origin} can't be {shown}; use ja or en.",
        )
    )


def from_environment(environment: Mapping[str, str]) -> Language:
    """QUIZ_LANG where set, else the first of LC_ALL, LC_MESSAGES and LANG that is (POSIX's order).

    Raises UsageError where QUIZ_LANG is neither `ja` nor `en`.
    """
    if name := environment.get("QUIZ_LANG", ""):
        return chosen(name, "QUIZ_LANG")
    return from_locale(environment)


def from_locale(environment: Mapping[str, str]) -> Language:
    """Japanese in a Japanese locale, else English."""
    locale = next((v for n in ("LC_ALL", "LC_MESSAGES", "LANG") if (v := environment.get(n))), "")
    return "ja" if locale.lower().startswith("ja") else "en"
