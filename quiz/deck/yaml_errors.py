"""What PyYAML says of a file that it can't read, in words for an author, and how to mend it."""

from __future__ import annotations

from verify.api import Text

DEEPEST = 12  # levels of a deck; the schema needs 8

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
DIRECTIVE = Text(
    ja="「%」で始まる行は YAML への指示と読まれます。",
    en="A line that begins with % is a directive to YAML.",
)
# PyYAML's words (the beginning of `problem`), what they mean to an author, and the mending.
MEANINGS: tuple[tuple[str, Text, Text | None], ...] = (
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


RULES = {
    "too deep": "nesting-depth",
    "exceeded maximum nesting": "nesting-depth",
    "found undefined alias": "yaml-feature",
    "did not find expected alphabetic or numeric character": "yaml-feature",
    "second occurrence": "yaml-feature",
    "found undefined tag handle": "yaml-feature",
}
