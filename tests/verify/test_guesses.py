"""Guesses: what can be typed, what is asked of a run, and how guesses stand beside the result."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.catalogue import experiment_names, find_experiment
from verify.claims import Side
from verify.guesses import Guess, LawQuestion, ask_numbers, beside, off_by, parse_guesses
from verify.quantities import Interval
from verify.report.columns import cells
from verify.text import Language, Text
from verify.units import BYTE, ONE, SECOND, MiB, Unit


@pytest.mark.parametrize(
    ("line", "unit", "values"),
    [
        ("6 MiB, 4MiB、6291456 B", BYTE, [6 * MiB, 4 * MiB, 6 * MiB]),
        ("６　ＭｉＢ", BYTE, [6 * MiB]),
        ("3/11, 0.25, 30 %, 30%", ONE, [Fraction(3, 11), 0.25, 0.3, 0.3]),
        ("50 ms, 2*0.1 s", SECOND, [Fraction(1, 20), Fraction(1, 5)]),
        ("0", BYTE, [0]),
        ("", ONE, []),
        (" , ", ONE, []),
    ],
)
def test_numbers_as_a_class_calls_them(line: str, unit: Unit, values: list[Fraction]) -> None:
    guesses = parse_guesses(line, unit)
    assert not isinstance(guesses, Text)
    assert [float(guess.value) for guess in guesses] == pytest.approx([float(v) for v in values])


@pytest.mark.parametrize(
    ("line", "unit"),
    [("six", ONE), ("6", BYTE), ("6 s", BYTE), ("6 MiB", ONE), ("1/0", ONE), ("ranks", ONE),
     ("0.3, x", ONE), ("1 2", ONE)],
)  # fmt: skip
def test_what_is_no_number_is_said_with_an_example(line: str, unit: Unit) -> None:
    reason = parse_guesses(line, unit)
    assert isinstance(reason, Text)
    assert "Example" in reason.pick("en")
    assert "例" in reason.pick("ja")


@given(st.text(max_size=300), st.sampled_from([ONE, BYTE, SECOND]))
def test_any_line_is_read_or_refused(line: str, unit: Unit) -> None:
    assert isinstance(parse_guesses(line, unit), list | Text)


def test_at_a_keyboard_it_asks_again_and_a_pipe_has_one_line() -> None:
    lines = iter(["six", "0.5", "0.7"])
    said: list[str] = []

    def read() -> str | None:
        return next(lines, None)

    guesses = ask_numbers("How much?", ONE, read, said.append, "en", width=40, again=True)
    assert [guess.text for guess in guesses] == ["0.5"]
    assert "can't be read" in "".join(said)
    lines = iter(["six", "0.5"])
    assert ask_numbers("?", ONE, read, said.append, "en", width=40, again=False) == []
    lines = iter([])
    assert ask_numbers("?", ONE, read, said.append, "en", width=40, again=True) == []


def test_a_run_is_asked_about_the_left_side_of_its_first_equality() -> None:
    experiment = find_experiment("all-reduce-bytes")
    question = LawQuestion.of(experiment, {"ranks": 4, "payload": 4 * MiB})
    assert question is not None
    assert (question.words(experiment, "en"), question.unit) == ("bytes sent", BYTE)


def test_every_experiment_can_be_asked_about() -> None:
    for name in experiment_names():
        experiment = find_experiment(name)
        parameters = {p.name: p.default for p in experiment.parameters()}
        assert LawQuestion.of(experiment, parameters) is not None, name


def test_off_by_is_relative_and_knows_what_is_near() -> None:
    def said(typed: float, low: float, value: float, high: float) -> str:
        return off_by(Guess("g", typed), low, value, high)

    assert said(4, 6, 6, 6) == "g (-33%)"
    assert said(6.02, 6, 6, 6) == "g (=)"
    assert said(6.1, 6, 6, 6) == "g (+1.7%)"
    assert said(0.29, 0.25, 0.27, 0.3) == "g (=)"
    assert said(3, 0, 0, 0) == "g"


@pytest.mark.parametrize("width", [20, 40, 80])
@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_whole_class_fits_beside_the_result(width: int, language: Language) -> None:
    voices = [Guess(f"{i} MiB", Fraction(i * MiB)) for i in range(30)]
    side = Side((Interval.point(6 * MiB),), BYTE)
    rows = [("ranks=4 payload=4.00 MiB", voices, side), ("ranks=8", [], None)]
    lines = beside(rows, "bytes sent", width, language)
    assert max(map(cells, lines)) <= width
    text = " ".join(" ".join(lines).split())
    assert all(f"{i} MiB" in text for i in range(30))
    assert ("予想なし" if language == "ja" else "no guess") in text
