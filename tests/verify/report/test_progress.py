"""The progress line: one line, in words, that says which run and which rank."""

from __future__ import annotations

import io

import pyte
import pytest

from verify.catalogue import find_experiment
from verify.report.progress import ProgressLine, of_several, words
from verify.worlds.request import Progress, Request


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def requests(*microbatches: int) -> list[Request]:
    experiment = find_experiment("pipeline-bubble")
    return [Request(experiment, experiment.bind({"microbatches": m})) for m in microbatches]


@pytest.mark.parametrize(
    ("step", "ja", "en"),
    [
        ("joined", "ランク 2 / 4 が参加", "rank 2 of 4 joined"),
        ("running", "ランク 2 / 4 が測定中", "rank 2 of 4 is measuring"),
        (
            "repeat 3 of 5",
            "ランク 2 / 4 が測定中 (3 / 5 回目)",
            "rank 2 of 4 is measuring, repeat 3 of 5",
        ),
        ("loading", "torch を読み込んでいます…", "loading torch…"),
        ("shuffling", "ランク 2 / 4 shuffling", "rank 2 of 4 shuffling"),
    ],
)
def test_every_step_has_words(step: str, ja: str, en: str) -> None:
    text = words(Progress(2, 4, step))
    assert (text.pick("ja"), text.pick("en")) == (ja, en)


def test_a_run_of_several_names_what_is_swept() -> None:
    heard: list[Progress] = []
    listen = of_several(heard.append, 3, requests(2, 4, 8))
    listen(Progress(1, 4, "joined"))
    assert [words(p).pick("en") for p in heard] == [
        "run 3 of 3: pipeline-bubble microbatches=8  starting the ranks…",
        "run 3 of 3: pipeline-bubble microbatches=8  rank 1 of 4 joined",
    ]
    assert words(heard[1]).pick("ja").startswith("実行 3 / 3: pipeline-bubble microbatches=8")


def test_a_single_run_is_not_counted() -> None:
    heard: list[Progress] = []
    of_several(heard.append, 1, requests(8))
    assert [words(p).pick("en") for p in heard] == ["loading torch…"]


@pytest.mark.parametrize("width", [20, 40, 80])
def test_it_stays_on_one_line_and_is_gone_at_the_end(width: int) -> None:
    stream = Terminal()
    screen = pyte.Screen(width, 5)
    with ProgressLine(stream, "ja", width) as line:
        line.prefix = "3 / 12  data-parallel/a-card-with-quite-a-long-name"
        hear = of_several(line, 2, requests(2, 4))
        for rank in range(4):
            hear(Progress(rank, 4, "joined"))
        hear(Progress(0, 4, "repeat 1 of 5"))
        assert "\n" not in stream.getvalue()
        pyte.Stream(screen).feed(stream.getvalue())
        assert screen.display[0].strip()
        assert not any(row.strip() for row in screen.display[1:])
    pyte.Stream(screen).feed(stream.getvalue())
    assert not any(row.strip() for row in screen.display)


def test_where_there_is_little_room_what_changes_comes_first() -> None:
    stream = Terminal()
    with ProgressLine(stream, "en", 40) as line:
        of_several(line, 2, requests(2, 4))
        assert stream.getvalue().endswith(" starting the ranks…  run 2 of 2: pipe…")


def test_a_pipe_hears_nothing() -> None:
    stream = io.StringIO()
    with ProgressLine(stream, "en", 80) as line:
        line(Progress(0, 4, "joined"))
        line.say("loading")
    assert stream.getvalue() == ""
