"""The full screen: a sitting drawn by Textual.

All keys arrive in one queue and are interpreted one after the other where the sitting then stands,
never where the screen was last drawn: what is typed ahead is neither lost nor given to a card that
it wasn't meant for. Keys pressed during a proof wait for its end.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from textual import events
from textual.app import App, ComposeResult, SuspendNotSupported
from textual.binding import Binding
from textual.containers import Container
from textual.content import Content
from textual.driver import Driver
from textual.screen import Screen

from quiz.deck.card import Card
from quiz.events import EventKind
from quiz.screens.full.entry import Entry
from quiz.screens.full.help import help_rows
from quiz.screens.full.keys import Command, Where, actions, meaning, normal
from quiz.screens.full.proof import ProofView
from quiz.screens.full.sheet import Row, Sheet, StyledPage, heading_rows
from quiz.screens.full.theme import CONTRAST, ORDINARY, THEMES
from quiz.screens.full.widgets import Area, Lines
from quiz.screens.line import NOTHING_TYPED
from quiz.screens.wrap import columns, wrap
from quiz.session import inputs
from quiz.session.blocks import Ask, Block, Feedback, Key, Notice, Summary
from quiz.session.inputs import Edited, Input
from quiz.session.state import Phase, markable, provable
from quiz.sitting import Part, Progress, Report, Sitting
from verify.api import Text

BESIDE = 120  # columns from which the proof stands beside the card
SHORT = 14  # rows below which it takes the card's place
TICK = 0.05  # seconds between two looks at a proof that runs
INTERRUPTED = 130

Editor = Callable[[Card], Edited | Text]
"""Lets the learner edit a card, in the terminal as it was before the app; what came of it."""


class Sheets(Screen[None], inherit_bindings=False):
    """The only screen: every key that is pressed goes to the app."""


class StudyApp(App[int]):
    """Runs a sitting. Its result is the exit code, None where it ended as it should."""

    CSS_PATH = "style.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = [  # noqa: RUF012  # as the library declares it
        Binding("ctrl+c", "interrupt", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", show=False, priority=True),
    ]

    def __init__(
        self,
        sitting: Sitting,
        page: StyledPage,
        editor: Editor,
        *,
        driver_class: type[Driver] | None = None,
    ) -> None:
        super().__init__(driver_class=driver_class, ansi_color=True)
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = ORDINARY
        self.sitting = sitting
        self.failure: Exception | None = None
        self.summary: Summary | None = None
        self._page = page
        self._editor = editor
        self._sheet = Sheet()
        self._proof = ProofView()
        self._proven: Card | None = None  # what the proof pane is about
        self._pane = self._helping = False
        self.notices: tuple[Text, ...] = ()  # what was said last
        self._parts: Iterator[Part] | None = None  # what a key brings about, not all of it yet
        self._began = 0.0
        self._held: deque[tuple[str, str | None]] = deque()

    # The screen

    def get_default_screen(self) -> Sheets:
        return Sheets()

    def compose(self) -> ComposeResult:
        yield Lines(self._draw_head, id="head")
        with Container(id="middle"):
            yield Area(self._draw_sheet, id="card")
            yield Area(lambda width: self._proof.rows(self._at(width)), id="proof")
        yield Area(self._draw_help, id="help")
        yield Lines(self._draw_foot, id="foot")

    def on_mount(self) -> None:
        """The first question is drawn before a proof is got ready for: that takes a processor."""
        parts = self.sitting.send(inputs.Started())
        for part in parts:
            self._take(part)
            if isinstance(part, Ask):
                break
        self._parts = parts
        self._draw()
        self.call_after_refresh(self._resume, parts)
        # Back from the shell the terminal is blank, and the library draws only what has changed.
        self.app_resume_signal.subscribe(self, lambda _: self._draw())

    def on_resize(self, event: events.Resize) -> None:
        self.screen.set_class(event.size.width >= BESIDE, "beside")
        self.screen.set_class(event.size.height < SHORT, "short")

    def _at(self, width: int) -> StyledPage:
        return replace(self._page, width=width)

    def _draw(self) -> None:
        screen = self.screen
        screen.set_class(self._pane, "proof")
        screen.set_class(self._helping, "help")
        for lines in screen.query(Lines):
            lines.changed()

    def _draw_head(self, width: int) -> list[Row]:
        state = self.sitting.state
        left = len({turn.card.key for turn in state.queue})
        share = 1 - left / state.total if state.total else 1.0
        question = self._sheet.asked.question if self._sheet.asked else None
        flagged = question is not None and self.sitting.recorder.flagged(question.card.key)
        rows = heading_rows(self._sheet, self._at(width), share, "  *" if flagged else "")
        return [Row(row) for row in rows]

    def _draw_sheet(self, width: int) -> list[Row]:
        page = self._at(width)
        rows = self._sheet.rows(page)
        if self.sitting.state.phase is Phase.DONE:
            upcoming = page.upcoming(self.sitting.recorder.upcoming())
            rows += [Row(Content(line)) for line in ["", *upcoming]]
        return rows

    def _draw_foot(self, width: int) -> list[Row]:
        where = self._where()
        lines = [line for text in self.notices for line in wrap(self._page.say(text), width)]
        if where.proving and where.held:
            text = _HELD.fill(keys=where.held)
            lines += wrap(self._page.say(text), width)
        prompt = columns([a.prompt for a in actions(where) if a.prompt], width)
        return [*(Row(Content(line)) for line in lines), *(_prompt(line) for line in prompt)]

    def _draw_help(self, width: int) -> list[Row]:
        return help_rows(self._at(width))

    # Keys

    def _where(self) -> Where:
        entry, view = self._sheet.entry, self._proof
        return Where(
            self.sitting.state,
            self._page,
            self.sitting.recorder,
            helping=self._helping,
            pane=self._pane,
            has_report=view.report is not None,
            typed=bool(entry and entry.text),
            proving=self._proof.running,
            held=len(self._held),
        )

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        self._press(normal(event.key, event.character), event.character)
        self._draw()

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        if self._sheet.entry is not None and not self._helping:
            self._type(self._sheet.entry.insert(event.text))
            self._draw()

    def on_area_clicked(self, event: Area.Clicked) -> None:
        self._press(event.letter, event.letter)
        self._draw()

    def _press(self, name: str, character: str | None) -> None:
        if self._scroll(name):
            return
        where = self._where()
        action = meaning(name, where)
        if self._parts is not None and not where.proving:
            self._held.append((name, character))
        elif action is not None:
            self.notices = ()
            self._do(action.does)
        elif where.proving:
            self._held.append((name, character))
        elif not where.helping:
            self._edit_entry(name, character)

    def _edit_entry(self, name: str, character: str | None) -> None:
        entry = self._sheet.entry
        if entry is None or self.sitting.state.phase is not Phase.ASKED:
            return
        edited = entry.press(name)
        if edited is None and character is not None and character.isprintable():
            edited = entry.insert(character)
        if edited is not None:
            self.notices = ()
            self._type(edited)

    def _type(self, entry: Entry) -> None:
        self._sheet = replace(self._sheet, entry=entry)

    def _scroll(self, name: str) -> bool:
        if self._sheet.entry is not None and name in ("home", "end"):
            return False  # they move in what is typed
        area = "#help" if self._helping else "#proof" if self._pane else "#card"
        return self.screen.query_one(area, Area).scroll_key(name)

    def _do(self, what: Input | Command) -> None:  # noqa: PLR0912  # one line a command
        match what:
            case Command.HELP:
                self._helping = True
            case Command.CLOSE if self._helping:
                self._helping = False
            case Command.CLOSE:
                self._pane = False
            case Command.PANE:
                self._pane = not self._pane
            case Command.CONTRAST:
                self.theme = CONTRAST if self.theme == ORDINARY else ORDINARY
            case Command.STOP:
                self._stop_proof()
            case Command.EDIT:
                self._edit_card()
            case Command.FLAG:
                if (question := markable(self.sitting.state)) is not None:
                    on = not self.sitting.recorder.flagged(question.card.key)
                    self._send(inputs.Marked(EventKind.FLAG, on))
            case Command.CLEAR:
                self._type(Entry())
            case Command.SUBMIT:
                text = self._sheet.entry.text if self._sheet.entry else ""
                if text.strip():
                    self._send(inputs.Typed(text))
                else:
                    self.notices = (NOTHING_TYPED,)
            case inputs.Quit():
                self._leave()
            case inputs.ProofAsked():
                target = provable(self.sitting.state)
                self._proof = ProofView(running=True)
                self._proven = target.card if target is not None else None
                self._began = time.monotonic()
                self._pane = True
                self._send(what)
            case Command():
                pass
            case _:
                self._send(what)

    # The sitting

    def _send(self, event: Input) -> None:
        parts = self.sitting.send(event)
        self._parts = parts
        self._resume(parts)

    def _resume(self, parts: Iterator[Part]) -> None:
        """Go on with what an event brings about; where there is no news yet, come back later."""
        if parts is not self._parts:
            return  # it was broken off
        for part in parts:
            if part is None:
                self._proof = replace(self._proof, seconds=time.monotonic() - self._began)
                self.set_timer(TICK, partial(self._resume, parts))
                self._draw()
                return
            self._take(part)
        self._parts = None
        if self._proof.running:  # it ended without a report: the notices say why
            self._proof, self._pane = ProofView(), False
        if self.sitting.state.phase is Phase.FINISHED:
            self.exit()
        while self._held and self._parts is None:
            self._press(*self._held.popleft())
        self._draw()

    def _take(self, part: Part) -> None:
        match part:
            case Progress():
                self._proof = self._proof.step(part)
            case Report():
                asked = self._proof.running
                self._proof = ProofView(report=part)
                wrong = bool(self._sheet.after) and isinstance(self._sheet.after[-1], Feedback)
                wide = self.size.width >= BESIDE
                self._pane = self._pane or asked or wrong or wide
                self.screen.query_one("#proof", Area).look_at(0)
            case Notice(text):
                self.notices = (*self.notices, text)
            case Ask():
                self._sheet = self._sheet.shows(part)
                self._proof, self._pane = ProofView(), False
                self.screen.query_one("#card", Area).look_at(0)
            case Summary():
                self.summary = part
                self._sheet = Sheet(after=(part,))
                self._proof, self._pane = ProofView(), False
            case None:
                pass
            case _:
                self._forget_other_proof(part)
                self._sheet = self._sheet.shows(part)
                card = self.screen.query_one("#card", Area)
                page = self._at(max(8, card.size.width - card.margin))
                card.look_at(self._sheet.where_after_begins(page))

    def _forget_other_proof(self, block: Block) -> None:
        """Beside an answer stands only what was measured for it."""
        match block:
            case Key(question):
                card = question.card
            case Feedback(draft):
                card = draft.question.card
            case _:
                return
        if self._proven is not None and self._proven.key != card.key:
            self._proof, self._pane, self._proven = ProofView(), False, None

    def _stop_proof(self) -> None:
        self._parts = None
        self.sitting.prover.stop()
        self._proof, self._pane = ProofView(), False
        self.notices = (_STOPPED,)
        self._send(inputs.ProofDone())

    def _edit_card(self) -> None:
        question = markable(self.sitting.state)
        if question is None:
            return
        try:
            with self.suspend():
                came = self._editor(question.card)
        except SuspendNotSupported:
            came = _NO_EDITOR_HERE
        if isinstance(came, Text):
            self.notices = (came,)
        else:
            self._send(came)

    def _leave(self) -> None:
        self._parts = None
        self._send(inputs.Quit())

    def end(self, code: int) -> None:
        """Close from a signal's handler or another thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self.exit, code)

    def action_interrupt(self) -> None:
        """Ctrl-C: what was answered is kept."""
        self.exit(INTERRUPTED)

    async def action_quit(self) -> None:
        """Ctrl-Q, a key of the library's own: it ends the sitting as any other end does."""
        self._leave()

    def _fatal_error(self) -> None:
        """Called by the library for an exception that nobody handled: close, and tell it after."""
        self.failure = self._exception
        self._close_messages_no_wait()


_HELD = Text(
    ja="続けて押された {keys} 個のキーは、測定のあとで使います。",
    en="Keys kept until the measurement is over: {keys}.",
)
_STOPPED = Text(ja="測定をやめました。", en="The measurement was stopped.")
_NO_EDITOR_HERE = Text(
    ja="この端末ではエディターを開けません。", en="No editor can be opened in this terminal."
)


def _prompt(line: str) -> Row:
    return Row(Content.styled(line, "dim"))
