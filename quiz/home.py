"""Where the learner's data lies."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from verify.api import Text, UsageError


def from_environment(environment: Mapping[str, str]) -> Path:
    """The folder named by QUIZ_HOME, else the platform's folder for user data; absolute.

    Nothing is created. Raises UsageError where QUIZ_HOME can't be a path.
    """
    given = environment.get("QUIZ_HOME", "")
    if not given:
        import platformdirs

        return platformdirs.user_data_path("proofdeck", appauthor=False)
    try:
        return Path(given).expanduser().absolute()
    except (ValueError, RuntimeError):
        raise UsageError(
            Text(
                ja="QUIZ_HOME の値はフォルダーとして使えません。",
                en="QUIZ_HOME doesn't name a folder.",
            ),
            Text(
                ja="フォルダーの絶対パスを指定してください。",
                en="Give the absolute path of a folder.",
            ),
        ) from None
