"""A learner's ways through the full screen, key by key."""

from contextlib import nullcontext
from dataclasses import replace

import pytest
from textual import events

from quiz.events import Confidence, EventKind, Grade
from quiz.session.inputs import Edited
from quiz.session.state import Phase, Turn
from verify.api import ProofdeckError, Text, verbatim


def wrong(question):
    """The letter of a lure."""
    return question.letter(next(choice for choice in question.order if not choice.is_truth))


def test_recall_shows_the_answer_then_the_intervals_then_the_next_card(study, screen, text):
    async def flow(app, pilot):
        before = "\n".join(text(app))
        await pilot.press("enter")
        shown = "\n".join(text(app))
        await pilot.press("3")
        return before, shown, "\n".join(text(app))

    app = study("recall", "trap")
    before, shown, after = screen(app, flow)
    assert "the update of data parallelism" in before  # ** and ` are rendered
    assert "1 / 2" in before
    assert "leaves each rank" not in before
    assert "g = (1/N) Σᵢ₌₁ᴺ ∇Lᵢ and θ ← θ - ηg." in shown
    assert "• It leaves each rank one piece of the sum" in shown
    assert "│ work = dist.reduce_scatter(out, pieces)" in shown
    for label in ("1 again (today)", "2 hard (1 day)", "3 good (3 days)", "4 easy (9 days)"):
        assert label in shown
    assert "What does data parallelism send?" in after
    assert [draft.grade for draft in app.log_of_answers.drafts] == [Grade.GOOD]


def test_wrong_and_sure_shows_belief_why_and_evidence(study, screen, text):
    async def flow(app, pilot):
        letter = wrong(app.sitting.state.question)
        await pilot.press(letter)
        sure = "\n".join(text(app))
        await pilot.press("1")
        await pilot.pause()
        return letter, sure, "\n".join(text(app))

    app = study("trap", "recall", prover=study.prover(known=True))
    letter, sure, shown = screen(app, flow, size=(80, 40))
    assert f"› {letter}" in sure
    assert "1 sure   2 think so   3 guess" in sure
    assert f"Not {letter}: “Only data is split: nothing”" in shown
    assert "the replicas drift apart" in shown
    assert f"✗ {letter}" in shown
    assert "wire_sent = 0            0 B   6.00 MiB" in shown
    [draft] = app.log_of_answers.drafts
    assert (draft.choice, draft.confidence) == ("nothing-to-send", Confidence.SURE)
    assert draft.fooled


def test_a_choice_can_be_clicked(study, screen):
    async def flow(app, pilot):
        lines = app.query_one("#card").rows(80)
        row = next(index for index, row in enumerate(lines) if row.letter == "b")
        await pilot.click("#card", offset=(10, row))
        await pilot.pause()
        return app.sitting.state

    state = screen(study("trap"), flow)
    assert state.phase is Phase.CHOSEN
    assert state.question.letter(state.chosen) == "b"


def test_a_number_is_read_while_it_is_typed(study, screen, text):
    async def flow(app, pilot):
        await pilot.press(*"6MB")
        first = "\n".join(text(app))
        await pilot.press("backspace", *"iB")
        second = "\n".join(text(app))
        await pilot.press("enter")
        return first, second

    app = study("compute")
    first, second = screen(app, flow)
    assert "6 MB = 6,000,000 B" in first
    assert "6 MiB = 6,291,456 B" in second
    assert "Enter submit   Esc clear" in second
    [draft] = app.log_of_answers.drafts
    assert (draft.raw, draft.correct) == ("6MiB", True)


def test_commands_are_keys_until_a_number_is_begun(study, screen):
    async def flow(app, pilot):
        await pilot.press("h", *"1 s")  # h is the hint; the s after a digit is a second
        typed = app._sheet.entry.text
        await pilot.press("escape", "s")
        return typed, app.sitting.state

    typed, state = screen(study("compute", "recall"), flow)
    assert typed == "1 s"
    assert state.skipped == 1


def test_a_number_equal_to_a_lure_names_that_belief(study, screen, text):
    async def flow(app, pilot):
        await pilot.press(*"4194304B", "enter")
        return "\n".join(text(app))

    app = study("compute")
    assert "The ring goes round twice." in screen(app, flow)
    assert app.log_of_answers.drafts[0].choice == "once"


def test_undo_takes_back_a_letter_then_an_answer(study, screen, text):
    async def flow(app, pilot):
        await pilot.press("enter", "1", "a", "u")
        letter_gone = app.sitting.state.phase
        await pilot.press("u")
        return letter_gone, app.sitting.state, "\n".join(text(app))

    app = study("recall", "trap")
    phase, state, shown = screen(app, flow)
    assert phase is Phase.ASKED
    assert app.log_of_answers.undone == ["0"]
    assert state.question.card.id == "hold"
    assert "Undone. Answer it once more." in shown


@pytest.mark.parametrize(
    ("key", "kind"), [("at", EventKind.SUSPEND), ("equals_sign", EventKind.BURY)]
)
def test_a_card_set_aside_and_brought_back(study, screen, text, key, kind):
    async def flow(app, pilot):
        await pilot.press(key)
        gone = app.sitting.state.question.card.id
        told = "\n".join(text(app))
        await pilot.press("u")
        return gone, told, app.sitting.state.question.card.id

    app = study("recall", "trap")
    gone, told, back = screen(app, flow)
    assert (gone, back) == ("nothing", "hold")
    assert app.log_of_answers.marks == [(kind, "dp/hold", True)]
    assert "this card" in told


def test_a_flag_is_shown_and_taken_off(study, screen, text):
    async def flow(app, pilot):
        await pilot.press("asterisk")
        first = text(app)[0]
        await pilot.press("asterisk")
        return first, text(app)[0]

    on, off = screen(study("recall"), flow)
    assert "Data parallelism  *" in on
    assert "*" not in off


def test_an_edited_card_is_asked_as_it_is_now(study, screen, text, cards, monkeypatch):
    better = replace(cards["recall"], ask=Text(en="A better question?"))
    app = study("recall", editor=lambda card: Edited({card.key: better}))
    monkeypatch.setattr(app, "suspend", nullcontext)

    async def flow(app, pilot):
        await pilot.press("enter", "E")
        return "\n".join(text(app))

    assert "A better question?" in screen(app, flow)
    assert "dp/hold" in app.sitting.state.seen


def test_what_an_editor_could_not_do_is_said(study, screen, text, monkeypatch):
    app = study("recall", editor=lambda card: verbatim("mine.yaml:3:5 it is broken"))
    monkeypatch.setattr(app, "suspend", nullcontext)

    async def flow(app, pilot):
        await pilot.press("E")
        return "\n".join(text(app))

    assert "mine.yaml:3:5 it is broken" in screen(app, flow)


def test_help_covers_the_card_and_keys_do_not_reach_it(study, screen, text):
    async def flow(app, pilot):
        await pilot.press("question_mark", "3", "b")
        helped = "\n".join(text(app))
        await pilot.press("escape")
        return helped, "\n".join(text(app))

    app = study("recall")
    helped, after = screen(app, flow)
    for key in ("Enter", "1–4", "Tab", "Ctrl-Z", "flag it or not", "a count must be exact"):
        assert key in helped
    assert app.sitting.state.phase is Phase.ASKED
    assert "data parallelism, and what" in after


def test_a_proof_fills_the_pane_and_tab_hides_it(study, screen, text):
    async def flow(app, pilot):
        await pilot.press("enter", "v")
        running = "\n".join(text(app))
        while app._parts is not None:
            await pilot.pause(0.02)
        await pilot.pause()
        done = "\n".join(text(app))
        await pilot.press("tab")
        return running, done, "\n".join(text(app))

    app = study("recall", prover=study.prover(wait=4))
    running, done, hidden = screen(app, flow, size=(80, 40))
    assert "Measuring…" in running
    assert "rank 0 of 4 joined" in running
    assert "Esc stop measuring" in running
    assert "a  wire_sent > 0            0 B   6.00 MiB" in done
    assert "1 again (today)" in done
    assert "wire_sent > 0" not in hidden


def test_keys_pressed_during_a_proof_wait_for_its_end(study, screen, cards):
    async def flow(app, pilot):
        await pilot.press("enter", "v")
        for key in ("3", "enter", "4"):
            app.post_message(events.Key(key, None if key == "enter" else key))
        await pilot.pause(0)
        answered = len(app.log_of_answers.drafts)
        while app._parts is not None:
            await pilot.pause(0.02)
        await pilot.pause()
        return answered

    other = replace(cards["recall"], id="other")
    app = study(turns=(Turn(cards["recall"]), Turn(other)), prover=study.prover(wait=6))
    assert screen(app, flow) == 0
    grades = [(d.question.card.id, d.grade) for d in app.log_of_answers.drafts]
    assert grades == [("hold", Grade.GOOD), ("other", Grade.EASY)]


def test_a_proof_can_be_stopped_and_left(study, screen):
    async def stop(app, pilot):
        await pilot.press("enter", "v", "escape")
        return app.sitting.state.phase

    app = study("recall", prover=study.prover(wait=10_000))
    assert screen(app, stop) is Phase.REVEALED
    assert app.prover.stopped == 1

    async def leave(app, pilot):
        await pilot.press("enter", "v", "q")

    app = study("recall", prover=study.prover(wait=10_000))
    screen(app, leave)
    assert app.sitting.state.phase is Phase.FINISHED
    assert app.return_code == 0


def test_a_proof_that_cannot_be_run_says_why(study, screen, text):
    missing = ProofdeckError(verbatim("Proving needs torch."), verbatim("pip install it"))

    async def flow(app, pilot):
        await pilot.press("enter", "v")
        await pilot.pause()
        return "\n".join(text(app))

    shown = screen(study("recall", prover=study.prover(failing=missing)), flow)
    assert "Proving needs torch." in shown
    assert "pip install it" in shown


def test_evidence_of_another_card_does_not_stand_beside_an_answer(study, screen, text):
    async def flow(app, pilot):
        await pilot.press("enter", "3", "v")  # of the first card, while the second is asked
        while app._parts is not None:
            await pilot.pause(0.02)
        await pilot.pause()
        before = "\n".join(text(app))
        await pilot.press("a", "3")
        return before, "\n".join(text(app))

    before, after = screen(study("recall", "trap"), flow)
    assert "wire_sent > 0 " in before
    assert "wire_sent > 0 " not in after


def test_a_full_disk_keeps_the_question(study, screen, text):
    async def flow(app, pilot):
        await pilot.press("enter", "3")
        return "\n".join(text(app))

    app = study("recall", "trap", log=study.log(failing=True))
    assert "The disk is full." in screen(app, flow)
    assert app.sitting.state.phase is Phase.REVEALED


def test_two_hundred_keys_at_once_reach_the_cards_they_are_meant_for(study, screen, cards):
    """A hundred cards, shown and graded by keys that all wait before the first is drawn."""
    grades = [1 + number % 3 + 1 for number in range(100)]
    turns = tuple(Turn(replace(cards["recall"], id=f"card-{n}", proof=None)) for n in range(100))
    app = study(turns=turns)

    async def flow(app, pilot):
        for grade in grades:
            app.post_message(events.Key("enter", "\r"))
            app.post_message(events.Key(str(grade), str(grade)))
        while app.sitting.state.phase is not Phase.DONE:
            await pilot.pause(0.01)

    screen(app, flow)
    drafts = app.log_of_answers.drafts
    assert [d.question.card.id for d in drafts] == [f"card-{n}" for n in range(100)]
    assert [int(d.grade) for d in drafts] == grades


@pytest.mark.parametrize("width", [20, 40, 80, 119, 120, 200])
def test_every_width_holds_every_line(study, screen, text, width):
    async def flow(app, pilot):
        seen = list(text(app))
        await pilot.press("enter", "v")
        await pilot.pause(0.1)
        seen += text(app)
        await pilot.resize_terminal(width + 7, 30)
        await pilot.pause()
        return seen, text(app)

    seen, resized = screen(study("recall", language="ja"), flow, size=(width, 24))
    assert any("答えを見る" in line for line in seen)
    assert any("もう一度" in line for line in resized)


def test_deck_text_is_never_markup(study, screen, text, cards):
    hostile = "[red]x[/red] [link=http://x]y[/] [/] [@click=app.quit]z[/] \x1b[31mq \x9b1m"
    card = replace(cards["recall"], ask=Text(en=hostile), answer=Text(en=hostile))
    app = study(turns=(Turn(card),))

    async def flow(app, pilot):
        await pilot.press("enter")
        await pilot.click("#card", offset=(40, 0))
        return "\n".join(text(app))

    shown = screen(app, flow)
    assert "[red]x[/red] [link=http://x]y[/] [/] [@click=app.quit]z[/] [31mq 1m" in shown
    assert app.sitting.state.phase is Phase.REVEALED


def test_high_contrast_is_a_key(study, screen):
    async def flow(app, pilot):
        await pilot.press("T")
        return app.theme

    assert screen(study("recall"), flow) == "contrast"


def test_ctrl_c_is_130(study, screen):
    async def flow(app, pilot):
        await pilot.press("ctrl+c")

    app = study("recall")
    screen(app, flow)
    assert app.return_value == 130


def test_ctrl_q_ends_the_sitting_with_what_it_came_to(study, screen):
    async def flow(app, pilot):
        await pilot.press("ctrl+q")

    app = study("recall")
    screen(app, flow)
    assert app.return_value is None
    assert app.summary is not None
    assert app.sitting.state.phase is Phase.FINISHED


def test_a_fault_of_ours_closes_the_screen_and_is_kept_to_be_told(study, screen):
    app = study("recall", prover=study.prover(failing=ZeroDivisionError("a fault")))

    async def flow(app, pilot):
        await pilot.press("enter", "v")

    with pytest.raises(ZeroDivisionError):
        screen(app, flow)
    assert isinstance(app.failure, ZeroDivisionError)


def test_in_a_short_window_the_proof_takes_the_place_of_the_card(study, screen, text):
    async def flow(app, pilot):
        await pilot.press("enter", "v")
        while app.sitting.state.phase is Phase.PROVING:
            await pilot.pause()
        shown = "\n".join(text(app))
        await pilot.press("tab")
        return shown, "\n".join(text(app))

    proof, card = screen(study("recall"), flow, size=(30, 12))
    assert "dp/nothing   proven" in proof
    assert "g = " not in proof
    assert "g = " in card
