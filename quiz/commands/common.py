"""What every command needs: the language and the surroundings."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from quiz import clock, home
from quiz.clock import Clock
from verify.api import Language, Text, UsageError, language_from_environment, language_from_locale

WIDEST = 100  # columns; longer lines are hard to read

try:
    LANGUAGE: Language = language_from_environment(os.environ)
except UsageError:
    LANGUAGE = language_from_locale(os.environ)  # help works; `surroundings` says what's wrong


def say(ja: str, en: str) -> str:
    """One of our messages in the language of the interface."""
    return Text(ja=ja, en=en).pick(LANGUAGE)


@dataclass(frozen=True)
class Surroundings:
    """What the environment and the terminal say."""

    home: Path
    clock: Clock
    width: int  # columns


def surroundings() -> Surroundings:
    """Read the environment. Raises UsageError where one of its variables makes no sense."""
    language_from_environment(os.environ)
    return Surroundings(
        home=home.from_environment(os.environ),
        clock=clock.from_environment(os.environ, _wall),
        width=min(max(20, shutil.get_terminal_size((80, 24)).columns), WIDEST),
    )


def _wall() -> datetime:
    """The local time. Raises UsageError where TZ names a zone a day or more from UTC."""
    try:
        return datetime.now().astimezone()
    except ValueError:
        raise UsageError(
            Text(
                ja="TZ の値は時間帯として使えません。",
                en="TZ names no usable time zone.",
            ),
            Text(ja="例: TZ=Asia/Tokyo", en="Example: TZ=Asia/Tokyo"),
        ) from None
