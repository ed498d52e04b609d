"""Mistakes on the command line, in both languages."""

from __future__ import annotations

import re

import pytest

ENGLISH = re.compile(r"[A-Za-z]{3,}(?: [A-Za-z]+){2,}")


@pytest.mark.parametrize(
    ("words", "japanese", "english"),
    [
        ("study --new x", "--new には整数を指定してください。", "--new takes a whole number."),
        ("study --new -1", "--new は 0 以上で指定してください。", "--new must be at least 0."),
        ("study --minutes x", "--minutes には数を指定してください。", "--minutes takes a number."),
        ("verify run x --repeat 0", "--repeat は 1 以上", "--repeat must be"),
        (
            "stdy",
            "コマンド stdy はありません。study のことですか。",
            "No such command 'stdy'. Did you mean 'study'?",
        ),
        ("study --nww", "オプション --nww はありません。", "No such option: --nww"),
        ("verify show", "NAME を指定してください。", "Missing argument 'NAME'."),
        (
            "study --limit",
            "オプション --limit には値が必要です。",
            "Option '--limit' requires an argument.",
        ),
    ],
)
def test_a_mistake_is_told_in_the_language_of_the_interface(
    call, words: str, japanese: str, english: str
) -> None:
    for language, said in (("ja", japanese), ("en", english)):
        done = call(*words.split(), QUIZ_LANG=language)
        assert done.returncode == 2
        first, hint = done.stderr.splitlines()
        assert first.startswith(said)
        assert "--help" in hint
        assert language == "en" or not ENGLISH.search(first)
