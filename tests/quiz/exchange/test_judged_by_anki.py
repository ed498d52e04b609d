"""The real Anki says whether packages are right, in both directions."""

import time
from datetime import UTC, datetime, timedelta

import pytest

from quiz.clock import moment_of
from quiz.deck.load import parse
from quiz.events import Grade
from quiz.exchange import anki_package, reading
from quiz.exchange.importing import import_file
from quiz.exchange.sides import sides
from quiz.memory.study_day import study_day

DECK = """
deck: ring
title: Rings
cards:
  - {id: bytes, kind: recall, ask: 'How much is $2(N-1)/N$ of a < b?', answer: 'Almost $2$'}
  - id: way
    kind: trap
    ask: Which way?
    choices:
      - {text: Round, claim: wire_sent == 1}
      - {text: Through, claim: wire_sent == 0, belief: star, why: There is no centre}
  - {id: size, kind: compute, ask: '{ranks} ranks?', vary: {ranks: [3, 4]}, result: ranks*2}
"""


@pytest.fixture
def exported(tmp_path):
    def write(text: str, seconds: int):
        deck = parse(text.encode(), tmp_path / "ring.yaml").deck
        cards = [sides(card, "en", lambda key: None) for card in deck.cards]
        path = tmp_path / f"{seconds}.apkg"
        anki_package.write(path, {deck.id: (deck.title.pick("en"), cards)}, seconds)
        return path

    return write


def by_key(anki) -> dict:
    return {note.fields[0]: note for note in map(anki.get_note, anki.find_notes(""))}


def test_anki_takes_every_card(anki, anki_import, exported):
    assert anki_import(exported(DECK, 1_800_000_000)) == (3, 0)
    notes = by_key(anki)
    assert set(notes) == {"ring/bytes", "ring/way", "ring/size"}
    shown = notes["ring/bytes"].cards()[0].render_output()
    assert r"\(2(N-1)/N\) of a &lt; b?" in shown.question_text
    assert r"Almost \(2\)" in shown.answer_text
    way = notes["ring/way"].cards()[0].render_output()
    assert "Round" in way.question_text
    assert "Through" in way.question_text
    assert "There is no centre" in way.answer_text
    assert "There is no centre" not in way.question_text
    assert "proofdeck::Rings" in {deck.name for deck in anki.decks.all_names_and_ids()}


def test_a_second_export_updates_the_text_and_keeps_the_history(anki, anki_import, exported):
    anki_import(exported(DECK, 1_800_000_000))
    card = by_key(anki)["ring/bytes"].cards()[0]
    card.start_timer()
    anki.sched.answerCard(card, 4)
    before = anki.get_card(card.id)
    assert before.reps == 1
    edited = DECK.replace("Almost $2$", "Nearly $2$")
    assert anki_import(exported(edited, 1_800_000_100)) == (0, 3)
    after = anki.get_card(card.id)
    assert (after.reps, after.ivl, after.due) == (before.reps, before.ivl, before.due)
    assert anki.db.scalar("select count() from revlog") == 1
    assert len(anki.find_cards("")) == 3
    assert r"Nearly \(2\)" in after.render_output(reload=True).answer_text


def answered(anki, **fields) -> object:
    """A note of the stock type Basic, its card answered Good and then Easy."""
    note = anki.new_note(anki.models.by_name("Basic"))
    note.fields = ["What is $5 &lt; x?", r"\(x^2\) <b>b</b>"]
    note.tags = ["first", "second"]
    anki.add_note(note, anki.decks.id("Japanese::平均"))
    card = note.cards()[0]
    for ease in (3, 4):
        card.load()
        card.start_timer()
        anki.sched.answerCard(card, ease)
    return anki.get_card(card.id)


@pytest.mark.parametrize("name", ["new.apkg", "new.colpkg", "old.apkg", "old.colpkg"])
def test_what_anki_exports_is_read(anki, anki_export, name, tmp_path):
    card = answered(anki)
    due = card.due - anki.sched.today
    path = anki_export(name, legacy=name.startswith("old"))
    material = reading.read(path, None)
    assert [(c.ask, c.answer) for c in material.cards] == [("What is \\$5 < x?", "$x^2$ b")]
    assert material.cards[0].group == "Japanese::平均"
    assert material.cards[0].topic == "first"
    assert [answer.grade for answer in material.answers] == [Grade.GOOD, Grade.EASY]
    today = study_day(datetime.now().astimezone())
    assert material.answers[-1].moment.day == today
    assert material.answers[-1].due == today + due
    assert due > 0
    assert abs(material.answers[-1].moment.at.timestamp() - time.time()) < 600


def test_the_note_that_says_to_update_is_never_taken(anki, anki_export, members, zipped, tmp_path):
    answered(anki)
    files = members(anki_export("new.apkg"))
    assert "collection.anki2" in files  # holds one note: please update
    del files["collection.anki21b"]
    path = tmp_path / "dummy.apkg"
    path.write_bytes(zipped(files))
    with pytest.raises(Exception, match="nothing was imported"):
        reading.read(path, None)


def test_due_days_agree_with_anki_on_an_old_package(anki, anki_import, changed, numerical):
    """A card due 30 days after the collection was made, by the reckoning of the first scheduler."""
    path = changed(
        numerical,
        "UPDATE cards SET type = 2, queue = 2, due = 30, ivl = 25 WHERE type = 1",
        "UPDATE revlog SET type = 1, ivl = 25",
    )
    material = reading.read(path, None)
    ours = {answer.card: answer.due for answer in material.answers}
    assert len(set(ours.values())) == 1
    anki_import(path)
    theirs = {anki.get_card(i).due - anki.sched.today for i in anki.find_cards("is:review")}
    today = study_day(datetime.now().astimezone())
    assert theirs == {ours.popitem()[1] - today}


def test_suspended_and_flagged_cards_stay_so(anki, anki_export, home, now):
    card = answered(anki)
    anki.sched.suspend_cards([card.id])
    anki.set_user_flag_for_cards(1, [card.id])
    done = import_file(anki_export("new.apkg"), home, now)
    from quiz.store import open_store

    with open_store(home, write=False) as store:
        (key,) = done.placed.keys.values()
        state = store.state().of(key)
    assert state.suspended
    assert state.flagged
    assert state.repetitions == 2


def test_clozes_become_one_card_each(anki, anki_export):
    note = anki.new_note(anki.models.by_name("Cloze"))
    note.fields = [
        r"A {{c1::ring}} sends \({{c2::2(N-1)/N::how much}}\) of {{c1::everything}}",
        "more",
    ]
    anki.add_note(note, 1)
    material = reading.read(anki_export("new.apkg"), None)
    assert [(card.ask, card.answer) for card in material.cards] == [
        (r"A […] sends $2(N-1)/N$ of […]", "ring; everything\nmore"),
        (r"A ring sends $[how much]$ of everything", "$2(N-1)/N$\nmore"),
    ]
    assert len({card.idea for card in material.cards}) == 1


def test_a_card_made_new_again_has_no_history(anki, anki_export):
    card = answered(anki)
    anki.sched.schedule_cards_as_new([card.id])
    material = reading.read(anki_export("new.apkg"), None)
    assert material.answers == ()
    assert any("made new again: 2" in text.pick("en") for text in material.left)


def test_a_later_export_adds_only_what_is_new(anki, anki_export, home):
    card = answered(anki)
    now = moment_of(datetime.now(UTC).astimezone() + timedelta(minutes=1))
    first = import_file(anki_export("one.apkg"), home, now)
    assert (first.added, first.known) == (2, 0)
    card.start_timer()
    anki.sched.answerCard(card, 3)
    note = card.note()
    note.fields[1] = "edited"
    anki.update_note(note)
    second = import_file(anki_export("two.apkg"), home, now)
    assert (second.added, second.known) == (1, 2)
    assert first.placed.keys == second.placed.keys
    (change,) = second.placed.changes
    assert change.differing
    (change,) = import_file(anki_export("two.apkg"), home, now, replace=True).placed.changes
    assert change.replaced == 1
    assert "edited" in change.path.read_text()
