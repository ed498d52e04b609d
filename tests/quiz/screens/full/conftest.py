"""The full screen over a real sitting, with the log and the prover stood in for."""

import asyncio
import itertools

import pytest

from quiz.deck.card import Card, Choice, Kind, NumberLure, Proof, Run, Statement
from quiz.events import EventKind, Grade
from quiz.screens.full.app import StudyApp
from quiz.screens.full.sheet import StyledPage
from quiz.session.inputs import Saved
from quiz.session.state import Turn
from quiz.sitting import Progress, Report, Sitting
from verify.api import ProofdeckError, Text, verbatim

PROOF = Proof((Run(None, "all-reduce-bytes"),))
RECALL = Card(
    "dp", "hold", Kind.RECALL,
    Text(
        ja="データ並列の **更新式** と、`reduce_scatter` の役割は何か",
        en="What is the **update** of data parallelism, and what does `reduce_scatter` do?",
    ),
    answer=Text(
        ja=r"$g = \frac{1}{N} \sum_{i=1}^{N} \nabla L_i$、$\theta \leftarrow \theta - \eta g$ です"
        "。\n\n- 和を断片ごとに配ります\n- 続く all-gather で全員に行き渡ります",
        en=r"$g = \frac{1}{N} \sum_{i=1}^{N} \nabla L_i$ and $\theta \leftarrow \theta - \eta g$."
        "\n\n- It leaves each rank one piece of the sum\n- An all-gather then hands them round",
    ),
    explain=Text(en="```\nwork = dist.reduce_scatter(out, pieces)\n```"),
    proof=PROOF,
)  # fmt: skip
TRAP = Card(
    "dp", "nothing", Kind.TRAP,
    Text(ja="データ並列の通信について、正しいものはどれか", en="What does data parallelism send?"),
    hint=Text(ja="勾配はどこで使われますか。", en="Where are gradients used?"),
    choices=(
        Choice(
            Text(
                ja="勾配を集約する。量はパラメータの規模で決まる",
                en="Gradients are combined; their size is that of the parameters",
            ),
            Statement("wire_sent > 0"),
        ),
        Choice(
            Text(ja="データを分けるだけなので、通信は不要", en="Only data is split: nothing"),
            Statement("wire_sent == 0"),
            "nothing-to-send",
            Text(
                ja="各ランクの勾配は違うデータから計算されるので、そろえなければ食い違います。",
                en="Gradients come from different data, so the replicas drift apart.",
            ),
        ),
    ),
    proof=PROOF,
)  # fmt: skip
COMPUTE = Card(
    "dp", "ring", Kind.COMPUTE,
    Text(
        ja="{ranks} 台で {payload} の勾配をリング all-reduce する。1 台が送る量は？",
        en="{ranks} ranks all-reduce {payload} over a ring. How much does one send?",
    ),
    vary={"ranks": (4,), "payload": ("4 MiB",)},
    result="2*(ranks-1)/ranks*payload",
    lures=(
        NumberLure(
            "payload", "once", Text(ja="二段階あります。", en="The ring goes round twice.")
        ),
    ),
    proof=PROOF,
)  # fmt: skip
REPORT = """\
 dp/nothing   proven
 4 ranks · gloo · 0.31 s · 2026-10-01 09:00:00 UTC

                        expected   measured
 a  wire_sent > 0            0 B   6.00 MiB
 b  wire_sent = 0            0 B   6.00 MiB"""


class Log:
    """Remembers what it was given."""

    def __init__(self, failing=False):
        self.drafts, self.undone, self.marks, self.failing = [], [], [], failing
        self.ids = map(str, itertools.count())

    def preview(self, question):
        return {Grade.AGAIN: 0, Grade.HARD: 1, Grade.GOOD: 3, Grade.EASY: 9}

    def save(self, draft, seconds):
        if self.failing:
            raise ProofdeckError(Text(ja="ディスクの空きがありません。", en="The disk is full."))
        self.drafts.append(draft)
        return Saved(next(self.ids), self.preview(None)[draft.grade])

    def undo(self, event, card):
        self.undone.append(event)
        return Saved(next(self.ids))

    def mark(self, kind, card, on):
        self.marks.append((kind, card, on))
        return Saved(next(self.ids))

    def flagged(self, card):
        flags = [on for kind, key, on in self.marks if kind is EventKind.FLAG and key == card]
        return bool(flags) and flags[-1]

    def upcoming(self):
        return (3, 2)


class Prover:
    """Yields no news `wait` times between its steps, as a run that takes a while."""

    def __init__(self, known=False, wait=0, failing=None):
        self.warmed = self.stopped = 0
        self.is_known, self.wait, self.failing = known, wait, failing
        self.proven = []

    def warm(self):
        self.warmed += 1

    def stop(self):
        self.stopped += 1

    def known(self, question):
        return self.report() if self.is_known else None

    def report(self):
        return Report(REPORT, "evidence", lambda width: REPORT.split("\n"))

    def prove(self, question):
        self.proven.append(question.card.id)
        if self.failing is not None:
            raise self.failing
        for rank in range(4):
            yield Progress(verbatim(f"rank {rank} of 4 joined"), None, rank)
            yield from [None] * self.wait
        yield self.report()


@pytest.fixture
def cards():
    """One card of each kind, by name."""
    return {"recall": RECALL, "trap": TRAP, "compute": COMPUTE}


@pytest.fixture
def study(cards):
    """Build an app over cards called by name; its sitting, log and prover are attributes."""

    def build(*names, language="en", log=None, prover=None, editor=None, turns=None):
        ticks = itertools.count()
        log, prover = log or Log(), prover or Prover()
        turns = turns or tuple(Turn(cards[name]) for name in names)
        sitting = Sitting(turns, log, lambda: prover, lambda: float(next(ticks)))
        page = StyledPage(language, 80, {"dp": Text(ja="データ並列", en="Data parallelism")})
        app = StudyApp(sitting, page, editor or (lambda card: verbatim("no editor")))
        app.log_of_answers, app.prover = log, prover
        return app

    build.log, build.prover = Log, Prover
    return build


@pytest.fixture
def screen():
    """Run an app headless, hand it and a pilot to `flow`, and return what `flow` returns."""

    def run(app, flow, size=(80, 24)):
        async def go():
            async with app.run_test(size=size) as pilot:
                await pilot.pause()
                return await flow(app, pilot)

        return asyncio.run(go())

    return run


@pytest.fixture
def text():
    """Everything on screen as lines of text."""

    def read(app):
        return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]

    return read
