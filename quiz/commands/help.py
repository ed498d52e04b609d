"""Help and usage errors in the language of the interface, and in columns that fit Japanese."""

from __future__ import annotations

import re
from collections.abc import Sequence

import typer
from typer.core import TyperGroup

from quiz.screens.wrap import wrap
from verify.api import Language, Text, UsageError, cells

_JAPANESE = {
    "Usage: ": "使い方: ",
    "Options": "オプション",
    "Arguments": "引数",
    "Commands": "コマンド",
    "Show this message and exit.": "この説明を表示して終わります。",
}
_VALUE = r"Invalid value for '(.+?)': "
# What typer says, how we say it; in English its own words, but for those about a value.
_ERRORS: tuple[tuple[str, str, str | None], ...] = (
    (
        r"No such option: (\S+) \(Possible options: (.+)\)",
        "オプション {0} はありません。候補: {1}",
        None,
    ),
    (
        r"No such option: (\S+) Did you mean (.+)\?",
        "オプション {0} はありません。{1} のことですか。",
        None,
    ),
    (r"No such option: (\S+)", "オプション {0} はありません。", None),
    (
        r"No such command '(.+?)'\. Did you mean '(.+)'\?",
        "コマンド {0} はありません。{1} のことですか。",
        None,
    ),
    (r"No such command '(.+?)'\.", "コマンド {0} はありません。", None),
    (r"Missing (?:argument|option|parameter) '?(.+?)'?\.", "{0} を指定してください。", None),
    (r"Missing command\.", "コマンドを指定してください。", None),
    (r"Got unexpected extra arguments? \((.+)\)", "余分な引数があります: {0}", None),
    (r"Option '(.+?)' requires an argument\.", "オプション {0} には値が必要です。", None),
    # Of typer 0.27 and 0.28, and of later ones.
    (
        _VALUE + r"(?:'.*' is not a valid int|Input should be a valid integer).*",
        "{0} には整数を指定してください。",
        "{0} takes a whole number.",
    ),
    (
        _VALUE + r"(?:'.*' is not a valid float|Input should be a valid number).*",
        "{0} には数を指定してください。",
        "{0} takes a number.",
    ),
    (
        _VALUE
        + r"(?:.+ is not in the range x>=|Input should be greater than or equal to )(.+?)\.?",
        "{0} は {1} 以上で指定してください。",
        "{0} must be at least {1}.",
    ),
    (
        _VALUE + r".+ is not in the range (.+)<=x<=(.+)\.",
        "{0} は {1} 以上 {2} 以下で指定してください。",
        "{0} must be from {1} to {2}.",
    ),
    (
        _VALUE + "Input should be less than or equal to (.+)",
        "{0} は {1} 以下で指定してください。",
        "{0} must be at most {1}.",
    ),
    (_VALUE + "(.+)", "{0} の値が正しくありません: {1}", None),
)


def translate(command: object, language: Language) -> None:
    """Let the command and all below it that is loaded write their help in `language`."""
    formatter = type("Formatter", (_Formatter,), {"language": language})
    command.context_class = type(  # type: ignore[attr-defined]  # typer keeps its command class private
        "Context", (typer.Context,), {"formatter_class": formatter}
    )
    if isinstance(command, TyperGroup) and isinstance(command.commands, dict):
        for below in command.commands.values():
            translate(below, language)


def usage_error(error: typer.TyperException) -> UsageError:
    """A mistake on the command line as one of our errors."""
    english = japanese = error.format_message()
    for pattern, ja, en in _ERRORS:
        if match := re.fullmatch(pattern, english, re.DOTALL):
            japanese, english = (
                english if words is None else words.format(*match.groups(default="")).strip()
                for words in (ja, en)
            )
            break
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "quiz"
    return UsageError(
        Text(ja=japanese, en=english),
        Text(ja=f"使い方: {path} --help", en=f"See {path} --help"),
    )


class _Formatter(typer.Context.formatter_class):  # type: ignore[misc,valid-type]
    language: Language = "en"

    def _say(self, text: str) -> str:
        return _JAPANESE.get(text, text) if self.language == "ja" else text

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, args, self._say(prefix or "Usage: "))

    def write_heading(self, heading: str) -> None:
        super().write_heading(self._say(heading))

    def write_text(self, text: str) -> None:
        indent = " " * self.current_indent
        for number, paragraph in enumerate(text.split("\n\n")):
            as_it_is = paragraph.startswith("\b\n")
            joined = paragraph[2:] if as_it_is else " ".join(paragraph.split("\n"))
            lines = joined.split("\n") if as_it_is else [joined]
            if number:
                self.write("\n")
            for line in lines:
                lead = " " * (len(line) - len(line.lstrip()))
                rows = wrap(line.lstrip(), self.width, first=indent + lead)
                self.write("\n".join(rows) + "\n")

    def write_dl(
        self, rows: Sequence[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        left = min(max(cells(term) for term, _ in rows), col_max) + col_spacing
        indent = " " * self.current_indent
        for term, meaning in rows:
            head = indent + term + " " * (left - cells(term))
            if cells(term) > col_max:
                self.write(indent + term + "\n")
                head = indent + " " * left
            lines = wrap(self._say(meaning), self.width, first=head, rest=indent + " " * left)
            self.write("\n".join(lines) + "\n")
