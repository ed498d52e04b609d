"""What an import did, or would do, in lines for the reader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from quiz.exchange.importing import Imported
from quiz.exchange.material import BadLine, Material
from quiz.exchange.writing import DeckChange
from quiz.memory.study_day import date_of
from verify.api import Language, Text, cut, printable

MOST_LINES = 20  # of one kind

_UNPROVEN = Text(
    ja="取り込んだカードの答えは、まだ確かめられていません。カードに proof: を書くと、実行して"
    "証明できます。",
    en="No answer among these cards is proven yet: give a card a proof: to have it run.",
)
_DRY = Text(ja="何も書き込んでいません(--dry-run)。", en="Nothing was written (--dry-run).")
_LEFT = Text(ja="取り込めないもの:", en="Not carried:")
_BAD = Text(ja="読めなかった行:", en="Lines that are no cards:")
_MORE = Text(ja="ほか {count} 件", en="and more: {count}")
_KEPT = Text(
    ja="手元と文が違うので残したカード {count} 枚({cards})。--replace で置き換えます"
    "(証明のあるカードは残します)。",
    en="Left as they are, though the file differs: {count} ({cards}). --replace takes the text of"
    " the file, but for cards with a proof.",
)


def summary(name: str, done: Imported, language: Language, *, dry: bool) -> Iterator[str]:
    """Paragraphs, indented where they belong to the one before."""
    material = done.material
    yield f"{cut(printable(name), 60)}   {material.form.pick(language)}"
    for change in done.placed.changes:
        yield f"  {_change(change).pick(language)}"
        if change.differing:
            text = _KEPT.fill(count=len(change.differing), cards=_few(change.differing))
            yield f"    {text.pick(language)}"
    if material.answers or material.marks:
        yield f"  {_history(done).pick(language)}"
    for head, texts in (
        (_LEFT, list(material.left)),
        (_BAD, [_line(bad) for bad in material.bad]),
    ):
        if texts:
            yield head.pick(language)
            yield from (f"  {text.pick(language)}" for text in texts[:MOST_LINES])
            if len(texts) > MOST_LINES:
                yield f"  {_MORE.fill(count=len(texts) - MOST_LINES).pick(language)}"
    yield (_DRY if dry else _UNPROVEN).pick(language)


def _change(change: DeckChange) -> Text:
    path = cut(printable(str(change.path)), 200)
    if change.is_new:
        return Text(
            ja=f"{path}   新しいデッキ {change.deck}、カード {change.added} 枚",
            en=f"{path}   new deck {change.deck}, cards: {change.added}",
        )
    return Text(
        ja=f"{path}   追加 {change.added} 枚、置き換え {change.replaced} 枚、"
        f"変わらず {change.same} 枚",
        en=f"{path}   added: {change.added}, replaced: {change.replaced}, unchanged: {change.same}",
    )


def _history(done: Imported) -> Text:
    added, known = done.added, done.known
    due = _last_due(done.material)
    span = ""
    if due:
        days = sorted(due.values())
        first, last = date_of(days[0]).isoformat(), date_of(days[-1]).isoformat()
        span = first if first == last else f"{first} – {last}"
    ja = f"解答と印 {added} 件を記録に加えました(同じものが {known} 件ありました)"
    en = f"Answers and marks added to the log: {added}, known already: {known}"
    if span:
        return Text(
            ja=f"{ja}。復習日のあるカード {len(due)} 枚({span})",
            en=f"{en}; cards with a due day: {len(due)} ({span})",
        )
    return Text(ja=ja, en=en)


def _last_due(material: Material) -> Mapping[str, int]:
    """The due day that each card comes with."""
    found: dict[str, int] = {}
    for answer in material.answers:
        if answer.due is not None:
            found[answer.card] = answer.due
    return found


def _line(bad: BadLine) -> Text:
    return Text(
        ja=f"{bad.line} 行目: {bad.message.pick('ja')}",
        en=f"line {bad.line}: {bad.message.pick('en')}",
    )


def _few(names: tuple[str, ...]) -> str:
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
