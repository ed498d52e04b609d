"""Every key on one page."""

from __future__ import annotations

from itertools import zip_longest

from textual.content import Content

from quiz.screens.full.sheet import Row
from quiz.screens.lines import Page
from quiz.screens.wrap import wrap
from verify.api import Text, cells, pad

TWO_COLUMNS = 72  # columns of the screen from which the groups stand beside each other


def help_rows(page: Page) -> list[Row]:
    """The keys in groups: two beside each other, or all below each other in a narrow window."""
    numbers = [Row(Content(line)) for line in ["", *wrap(page.say(_NUMBERS), page.width)]]
    if page.width < TWO_COLUMNS:
        return [row for group in range(len(_GROUPS)) for row in _group(page, group, page.width)] + (
            numbers
        )
    half = page.width // 2
    left = [*_group(page, 0, half), Row(Content("")), *_group(page, 3, half)]
    right = [*_group(page, 1, half), Row(Content("")), *_group(page, 2, half)]
    beside = [
        Row(Content.assemble(a.content, " " * (half - cells(a.content.plain)), b.content))
        for a, b in zip_longest(left, right, fillvalue=Row(Content("")))
    ]
    return [*beside, *numbers]


def _group(page: Page, index: int, width: int) -> list[Row]:
    title, keys = _GROUPS[index]
    names = max(cells(name) for _, group in _GROUPS for name, _ in group)
    rows = [Row(Content.styled(f" {page.say(title)}", "bold"))]
    for name, text in keys:
        lines = wrap(page.say(text), width, first=f"   {pad(name, names)}  ")
        rows += [Row(Content(line)) for line in lines]
    return rows


_GROUPS: tuple[tuple[Text, tuple[tuple[str, Text], ...]], ...] = (
    (
        Text(ja="答える", en="Answering"),
        (
            ("Enter", Text(ja="答えを見る・決定・次へ", en="show answer, submit, go on")),
            ("1–4", Text(ja="もう一度・難しい・正解・簡単", en="again, hard, good, easy")),
            ("a b c", Text(ja="選ぶ (クリックでも)", en="choose (or click)")),
            ("1–3", Text(ja="確信がある・たぶん・勘", en="sure, think so, guess")),
            ("h", Text(ja="ヒント", en="hint")),
            ("s", Text(ja="飛ばす", en="skip")),
            ("u", Text(ja="直前の操作を取り消す", en="undo the last step")),
        ),
    ),
    (
        Text(ja="測定", en="Proof"),
        (
            ("v", Text(ja="このマシンで測る", en="measure on this machine")),
            ("Tab", Text(ja="測定の表示を切り替える", en="show or hide it")),
            ("Esc", Text(ja="やめる・閉じる", en="stop, close")),
            ("↑ ↓", Text(ja="スクロール (PgUp、PgDn も)", en="scroll (PgUp, PgDn too)")),
        ),
    ),
    (
        Text(ja="このカード", en="This card"),
        (
            ("E", Text(ja="エディターで直す", en="edit it in your editor")),
            ("*", Text(ja="目印を付ける・外す", en="flag it or not")),
            ("=", Text(ja="明日に回す", en="put it off to tomorrow")),
            ("@", Text(ja="休止する", en="suspend it")),
        ),
    ),
    (
        Text(ja="画面", en="Screen"),
        (
            ("T", Text(ja="高コントラスト", en="high contrast")),
            ("Ctrl-Z", Text(ja="シェルへ (fg で戻る)", en="to the shell (fg: back)")),
            ("q", Text(ja="終了 (記録は残ります)", en="quit (answers are kept)")),
        ),
    ),
)
_NUMBERS = Text(
    ja="数の書き方: 6 MiB (6 × 2^20 B)、6 MB (6 × 10^6 B)、3/11、27.3%。"
    "誤差 0.5% までは正解、個数はちょうどで正解です。",
    en="Numbers: 6 MiB (6 × 2^20 B), 6 MB (6 × 10^6 B), 3/11, 27.3%. "
    "Right within 0.5%; a count must be exact.",
)
