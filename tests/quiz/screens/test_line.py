"""The plain screen over a real sitting, with the log and the prover stood in for."""

import itertools

import pytest

from quiz.deck.card import Card, Choice, Kind, NumberLure, Proof, Run, Statement
from quiz.events import Confidence, Grade
from quiz.screens.line import LineScreen
from quiz.screens.lines import Page
from quiz.session.inputs import Saved
from quiz.session.state import Turn
from quiz.sitting import Progress, Report, Sitting
from verify.api import ProofdeckError, Text, cells, verbatim

PROOF = Proof((Run(None, "all-reduce-bytes"),))
RECALL = Card(
    "dp", "hold", Kind.RECALL,
    Text(ja="各機に置くものと、主な通信対象は何か", en="What does each rank hold and send?"),
    answer=Text(ja="モデル全体を置き、勾配を送ります。", en="It holds the model, sends gradients."),
    proof=PROOF,
)  # fmt: skip
TRAP = Card(
    "dp", "nothing", Kind.TRAP,
    Text(ja="データ並列の通信について、正しいものはどれか。", en="Which one is right?"),
    hint=Text(ja="勾配はどこで使われますか。", en="Where are gradients used?"),
    choices=(
        Choice(
            Text(ja="勾配を集約する。量はパラメータの規模で決まる", en="Gradients are reduced"),
            Statement("wire_sent > 0"),
        ),
        Choice(
            Text(
                ja="データを分けるだけなので、通信は不要",
                en="Only data is split: nothing is sent",
            ),
            Statement("wire_sent == 0"),
            "nothing-to-send",
            Text(
                ja="各ランクの勾配は違うデータから計算されるので、そろえなければ食い違います。",
                en="Gradients differ between ranks, so the replicas drift apart.",
            ),
        ),
    ),
    proof=PROOF,
)  # fmt: skip
COMPUTE = Card(
    "dp", "ring", Kind.COMPUTE,
    Text(ja="{ranks} 台で {payload} を送る。量は？", en="{ranks} ranks, {payload}?"),
    vary={"ranks": (4,), "payload": ("4 MiB",)},
    result="2*(ranks-1)/ranks*payload",
    lures=(NumberLure("payload", "once", Text(ja="二段階あります。", en="There are two phases.")),),
)  # fmt: skip


class Log:
    """Remembers what it was given."""

    def __init__(self, failing=False):
        self.drafts, self.undone, self.failing = [], [], failing
        self.ids = map(str, itertools.count())

    def preview(self, question):
        return {Grade.AGAIN: 0, Grade.HARD: 1, Grade.GOOD: 3, Grade.EASY: 9}

    def save(self, draft, seconds):
        if self.failing:
            raise ProofdeckError(Text(ja="ディスクの空きがありません。", en="The disk is full."))
        assert seconds >= 0
        self.drafts.append(draft)
        return Saved(next(self.ids), self.preview(None)[draft.grade])

    def undo(self, event, card):
        self.undone.append(event)
        return Saved(next(self.ids))

    def upcoming(self):
        return (3, 2)


class Prover:
    def __init__(self):
        self.warmed = 0
        self.proven = []

    def warm(self):
        self.warmed += 1

    def known(self, question):
        return None

    def prove(self, question):
        self.proven.append(question.card.id)
        if question.card is RECALL:
            raise ProofdeckError(verbatim("torch is missing"), verbatim("install it"))
        yield Progress(verbatim("rank 1 of 4 joined"))
        yield Progress(verbatim("rank 2 of 4 joined"))
        yield Report("   a  confirmed", "evidence")


@pytest.fixture
def play():
    def run(cards, lines, language="en", width=80, log=None):
        log, prover, out = log or Log(), Prover(), []
        ticks = itertools.count()
        given = iter(lines)
        sitting = Sitting(tuple(map(Turn, cards)), log, lambda: prover, lambda: float(next(ticks)))
        titles = {"dp": Text(ja="データ並列", en="Data parallelism")}
        page = Page(language, width, titles)
        LineScreen(sitting, page, lambda: next(given, None), out.append).run()
        return "".join(out), log, prover

    return run


def letter(out, text):
    line = next(line for line in out.splitlines() if text in line)
    return line.split()[0]


def test_recall_reveals_and_grades(play):
    out, log, prover = play([RECALL], ["", "3"])
    assert [d.grade for d in log.drafts] == [Grade.GOOD]
    assert prover.warmed == 1
    assert "1 again (today)   2 hard (1 day)   3 good (3 days)   4 easy (9 days)" in out
    assert "1 card, 1 answer, 1 recalled at once." in out
    assert "Next due: 2 cards in 3 days." in out


def test_the_end_of_the_input_invents_nothing(play):
    for lines in ([], [""], ["q"], ["", "q"]):
        out, log, _ = play([RECALL], lines)
        assert log.drafts == []
        assert "No answer was recorded." in out


def test_wrong_and_sure_names_the_belief_and_comes_back(play):
    first, _, _ = play([TRAP], [])
    wrong = letter(first, "nothing is sent")
    out, log, prover = play([TRAP], [wrong, "1", "v", "q"])
    assert f"Not {wrong}: “Only data is split: nothing is sent”" in out
    assert "replicas drift apart" in out
    assert "This card comes back" in out
    assert [d.choice for d in log.drafts] == ["nothing-to-send"]
    assert [d.confidence for d in log.drafts] == [Confidence.SURE]
    assert prover.proven == ["nothing"]
    assert "rank 1 of 4 joined" in out
    assert "rank 2 of 4 joined" not in out  # progress never scrolls
    assert "a  confirmed" in out
    assert out.count("Which one is right?") == 2
    assert "Fooled by:\n   Only data is split: nothing is sent" in out


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "Fooled by:\n   2×  There are two phases."), ("ja", "考え:\n   2×  二段階あります。")],
)
def test_the_summary_says_once_in_words_what_a_number_was_taken_for(play, language, said):
    out, _, _ = play([COMPUTE], ["4 MiB", "4 MiB", "q"], language=language)
    assert said in out


@pytest.mark.parametrize(
    ("language", "keys"), [("en", " q quit (answers"), ("ja", " q 終了 (記録")]
)
def test_help_breaks_between_keys(play, language, keys):
    out, _, _ = play([RECALL], ["?"], language=language, width=40)
    assert any(line.startswith(keys) for line in out.splitlines())


def test_full_width_keys_work(play):
    first, _, _ = play([TRAP], [])
    right = letter(first, "Gradients are reduced")
    _, log, _ = play([TRAP], [chr(ord(right) + 0xFEE0), "１"])
    assert [d.correct for d in log.drafts] == [True]


def test_compute_takes_a_number_with_a_unit(play):
    out, log, _ = play([COMPUTE], ["6", "4 MiB", "６ＭｉＢ"])
    assert "4 ranks, 4 MiB?" in out
    assert "Add the unit" in out
    assert "Not 4.00 MiB: it is 6.00 MiB (6,291,456 B)." in out
    assert "There are two phases." in out
    assert [(d.correct, d.choice) for d in log.drafts] == [(False, "once"), (True, None)]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["3"], "Press Enter to see the answer first."),
        (["", "7"], "Answer with 1–4."),
        (["", ""], "Answer with 1–4."),
        (["u"], "nothing to undo"),
        (["h"], "no hint"),
        (["?"], "u undo the last answer"),
        (["", "v"], "torch is missing"),
    ],
)
def test_what_makes_no_sense_gets_one_short_line(play, lines, said):
    out, log, _ = play([RECALL], lines)
    assert said in out
    assert log.drafts == []


def test_undo_asks_again(play):
    out, log, _ = play([RECALL], ["", "4", "u", "", "1", "q"])
    assert log.undone == ["0"]
    assert [d.grade for d in log.drafts] == [Grade.EASY, Grade.AGAIN]
    assert [d.after_undo for d in log.drafts] == [False, True]
    assert "Undone." in out


def test_a_failed_save_says_so_and_waits(play):
    out, _, _ = play([RECALL], ["", "3"], log=Log(failing=True))
    assert "The disk is full." in out
    assert "No answer was recorded." in out


def test_a_hint_and_a_skip(play):
    out, log, _ = play([TRAP, RECALL], ["h", "s"])
    assert "Where are gradients used?" in out
    assert "What does each rank hold and send?" in out
    assert log.drafts == []


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("width", [20, 40, 80])
def test_no_line_is_wider_than_the_screen(play, language, width):
    lines = ["?", "", "v", "1", "h", "a", "1", "b", "3", "x", "6", "9 MiB", "v", "", "4", "u", "q"]
    out, _, _ = play([RECALL, TRAP, COMPUTE], lines, language, width)
    assert [line for line in out.splitlines() if cells(line) > width] == []


def test_japanese_at_forty_columns(play):
    out, _, _ = play([TRAP], ["q"], "ja", 40)
    heading = " データ並列" + " " * 23 + "1 / 1"
    assert f"\n{heading}\n\n データ並列の通信について、正しいものは\n どれか。\n" in out


def test_nothing_recalled_at_once_reads_naturally(play):
    out, _, _ = play([COMPUTE], ["4 MiB", "q"], language="ja")
    assert "1 問に 1 回答え、一度で思い出せたのは 0 問です。" in out
