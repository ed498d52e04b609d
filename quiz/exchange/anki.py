"""An Anki package as cards of ours, with the answers given to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timezone
from pathlib import Path

from quiz.events import Grade, Origin
from quiz.exchange import collection as collections
from quiz.exchange import package, templates
from quiz.exchange.collection import AnkiAnswer, AnkiCard, Collection, Note, NoteType
from quiz.exchange.html_text import STEERING, Seen, deck_text
from quiz.exchange.material import (
    LONGEST_FIELD,
    Found,
    Material,
    PastAnswer,
    PastMark,
    refused,
    short_hash,
)
from quiz.memory.study_day import LAST_DAY
from verify.api import Text

_NEW, _LEARNING, _RELEARNING = 0, 1, 3  # kinds of cards
_LEARN, _RELEARN, _FILTERED = 0, 2, 3  # kinds of answers
_SUSPENDED = -1
_LONGEST = 600.0  # seconds; Anki itself stops counting after one minute unless told otherwise

_NOTHING = Text(ja="カードがありません", en="there are no cards in it")


def read(path: Path, zone: timezone | None) -> Material:
    """What a package holds. `zone` is that of the learner, None for the local one.

    Raises UsageError for what is no package, and for one that can't be trusted.
    """
    with package.opened(path) as opened:
        found = collections.read(opened.collection, path.name)
        media = len(opened.media)
    if not found.cards:
        raise refused(path.name, _NOTHING)
    return _Importer(found, path.name, zone).material(media)


@dataclass
class _Importer:
    collection: Collection
    name: str
    zone: timezone | None
    seen: Seen = field(default_factory=Seen)
    lost: Counter[str] = field(default_factory=Counter)

    def material(self, media: int) -> Material:
        siblings = Counter(card.note for card in self.collection.cards)
        chosen: dict[int, Found] = {}
        ids: set[str] = set()
        for card in self.collection.cards:
            made = self._card(card, several=siblings[card.note] > 1)
            if made is not None and made.id not in ids:
                chosen[card.id] = made
                ids.add(made.id)
        if not chosen:
            raise refused(self.name, _NOTHING)
        answers, marks = self._history(chosen)
        notes = len(self.collection.notes)
        cards = len(self.collection.cards)
        return Material(
            Text(
                ja=f"Anki のパッケージ(ノート {notes} 枚、カード {cards} 枚)",
                en=f"Anki package, notes: {notes}, cards: {cards}",
            ),
            tuple(chosen.values()),
            tuple(answers),
            tuple(marks),
            left=tuple(self._left(media)),
        )

    # Cards

    def _card(self, card: AnkiCard, *, several: bool) -> Found | None:
        note = self.collection.notes.get(card.note)
        kind = self.collection.types.get(note.kind) if note is not None else None
        if note is None or kind is None or not kind.templates:
            self.lost["broken"] += 1
            return None
        if any(len(text) > LONGEST_FIELD for text in note.fields):
            self.lost["long"] += 1
            return None
        sides = self._sides(card, note, kind)
        if sides is None:
            self.lost["empty"] += 1
            return None
        if len(note.tags) > 1:
            self.lost["tags"] += len(note.tags) - 1
        root = "anki-" + short_hash(note.guid)
        return Found(
            id=root if card.template == 0 else f"{root}-{card.template + 1}",
            group=self.collection.decks.get(card.deck) or self.name,
            ask=sides[0],
            answer=sides[1],
            source=f"imported from {self.name} (Anki note {note.guid}), unproven",
            topic=note.tags[0] if note.tags else None,
            idea=root if several else None,
        )

    def _sides(self, card: AnkiCard, note: Note, kind: NoteType) -> tuple[str, str] | None:
        """Question and answer as deck text; None where one of them is empty."""
        if kind.is_cloze:
            template, cloze = kind.templates[0], card.template + 1
            if not any(cloze in templates.clozes(text) for text in note.fields):
                return None
        elif 0 <= card.template < len(kind.templates):
            template, cloze = kind.templates[card.template], None
        else:
            return None
        fields = dict(zip(kind.fields, note.fields, strict=False)) | {
            "Tags": " ".join(note.tags),
            "Type": kind.name,
            "Deck": self.collection.decks.get(card.deck, ""),
        }
        html = templates.front(template, fields, cloze)
        before, after = templates.back(template, fields, cloze)
        if max(map(len, (html, before, after))) > LONGEST_FIELD:
            return None
        ask = deck_text(html, self.seen)
        answer = deck_text(after, self.seen)
        above = deck_text(before, Seen())
        if above not in ("", ask):  # the template tells something of its own above the line
            answer = f"{above}\n\n{answer}".strip()
        return (ask, answer) if ask and answer else None

    # History

    def _history(self, chosen: dict[int, Found]) -> tuple[list[PastAnswer], list[PastMark]]:
        log: dict[int, list[AnkiAnswer]] = {}
        for line in self.collection.answers:
            log.setdefault(line.card, []).append(line)
        answers: list[PastAnswer] = []
        marks: list[PastMark] = []
        for card in self.collection.cards:
            if (found := chosen.get(card.id)) is None:
                continue
            guid = self.collection.notes[card.note].guid
            made = list(self._answers(card, found, guid, self._standing(card, log)))
            if not made and card.kind != _NEW:
                self.lost["unlogged"] += 1
            answers += made
            marks += self._marks(card, found, guid, len(made))
        return answers, marks

    def _standing(self, card: AnkiCard, log: dict[int, list[AnkiAnswer]]) -> list[AnkiAnswer]:
        """The answers since the card was last made new again."""
        lines = log.get(card.id, [])
        reset = max((i + 1 for i, a in enumerate(lines) if _is_reset(a)), default=0)
        if card.kind == _NEW:
            reset = len(lines)
        self.lost["reset"] += sum(line.ease > 0 for line in lines[:reset])
        return [line for line in lines[reset:] if 1 <= line.ease <= 4]

    def _answers(
        self, card: AnkiCard, found: Found, guid: str, lines: Sequence[AnkiAnswer]
    ) -> Iterator[PastAnswer]:
        number = 0
        for line in lines:
            moment = collections.moment(line.at / 1000, self.zone)
            if moment is None:
                self.lost["undated"] += 1
                continue
            due = (
                self.collection.due_day(card.due, self.zone)
                if line is lines[-1]
                else self._due(line, moment.day)
            )
            yield PastAnswer(
                card=found.id,
                key=f"{guid}\0{card.template}\0{line.at}",
                moment=moment,
                number=number,
                grade=self._grade(line),
                seconds=min(max(0.0, line.milliseconds / 1000), _LONGEST),
                due=None if due is None else max(due, moment.day),
                origin=Origin.CRAM if _is_cram(line) else Origin.IMPORT,
            )
            number += 1

    def _grade(self, line: AnkiAnswer) -> Grade:
        """The first scheduler had three buttons while learning: again, good and easy."""
        if self.collection.scheduler == 1 and line.kind in (_LEARN, _RELEARN) and line.ease > 1:
            return Grade(min(line.ease + 1, 4))
        return Grade(line.ease)

    def _due(self, line: AnkiAnswer, day: int) -> int:
        """The day that was promised: days, or for a step of learning a time of seconds."""
        if line.interval >= 0:
            return min(day + line.interval, LAST_DAY)
        later = collections.moment(line.at / 1000 - line.interval, self.zone)
        return day if later is None else later.day

    def _marks(self, card: AnkiCard, found: Found, guid: str, answers: int) -> Iterator[PastMark]:
        moment = collections.moment(card.changed, self.zone)
        if moment is None:
            return
        key = f"{guid}\0{card.template}\0{card.changed}"
        if card.queue == _SUSPENDED:
            yield PastMark(found.id, f"{key}\0suspend", moment, answers, flag=False)
        if card.flag:
            yield PastMark(found.id, f"{key}\0flag", moment, answers, flag=True)

    # The summary

    def _left(self, media: int) -> Iterator[Text]:
        pictures, sounds = self.seen.pictures, self.seen.sounds
        if media or pictures or sounds:
            yield Text(
                ja=f"メディア {media} 個(カードの文には、画像 {pictures} か所と音声 {sounds} か所の"
                "名前を残しました)",
                en=f"media files: {media} (the texts keep the names: pictures {pictures}, sounds"
                f" {sounds})",
            )
        for key, text in _LOSSES.items():
            if self.lost[key]:
                yield text.fill(count=self.lost[key])
        if self.seen.steering:
            yield STEERING.fill(count=self.seen.steering)


_LOSSES = {
    "empty": Text(
        ja="表か裏が空のカード {count} 枚",
        en="cards with an empty side: {count}",
    ),
    "broken": Text(
        ja="ノートかノートタイプのないカード {count} 枚",
        en="cards without a note or a note type: {count}",
    ),
    "long": Text(
        ja="長すぎるノートのカード {count} 枚(5 万文字まで)",
        en="cards of notes longer than 50,000 characters: {count}",
    ),
    "tags": Text(
        ja="二つ目以降のタグ {count} 個(話題は一枚に一つです)",
        en="tags after the first, since a card has one topic: {count}",
    ),
    "reset": Text(
        ja="新規に戻したカードの、それより前の解答 {count} 回",
        en="answers to cards that were later made new again: {count}",
    ),
    "unlogged": Text(
        ja="解答の記録がないカード {count} 枚の予定",
        en="schedules of cards without logged answers: {count}",
    ),
    "undated": Text(
        ja="日時のおかしい解答 {count} 回",
        en="answers with an impossible date: {count}",
    ),
}


def _is_reset(line: AnkiAnswer) -> bool:
    """Anki writes this when a card is made new again ("forget")."""
    return line.ease == 0 and line.factor == 0 and line.kind == 4


def _is_cram(line: AnkiAnswer) -> bool:
    """An answer in a filtered deck that left the schedule alone."""
    return line.kind == _FILTERED and line.factor == 0
